"""One report for a slot, whichever device or address it is drawn under, and no list of friends beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphldp.audit.protocol import FailingCollector
from graphldp.client.keeping import vault
from graphldp.client.keeping.ledger import Ledger
from graphldp.client.protocol import Client
from graphldp.errors import ClientError

ONE = 10**6


@pytest.fixture
def client(tmp_path: Path, server: FailingCollector) -> Client:
    joined = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    joined.join(server.invitation, accept=ONE)
    return joined


@pytest.mark.attack("device")
def test_a_slot_that_is_held_gets_no_second_report(
    client: Client, server: FailingCollector, friends: Path, tmp_path: Path
) -> None:
    """A device that lost its ledger, or a second device, which draws anew for a slot that has a report."""
    client.report("audit", friends_file=friends)
    other = Client(tmp_path / "other", pauses=(), timeout=60.0, tick=0.0)
    with pytest.raises(ClientError, match="has your report already"):
        other.join(server.invitation, accept=ONE)
    assert not list((tmp_path / "other").glob("memberships/*"))
    client.join(server.invitation, accept=ONE)  # who drew it may take the invitation again
    client.forget("audit")
    client.join(server.invitation, accept=ONE)  # to withdraw, say; another report is refused
    with pytest.raises(ClientError, match="never drawn"):
        client.report("audit", friends_file=friends)
    assert len(set(server.bodies)) == 1


@pytest.mark.attack("device")
def test_a_new_epoch_that_is_held_gets_no_second_report(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    """A new epoch for which another device has reported, as the collector says."""
    client.report("audit", friends_file=friends)
    server.epoch, server.changes = 2, {"held": [1, 2]}
    with pytest.raises(ClientError, match="has your report already"):
        client.report("audit", friends_file=friends, new_epoch=True)
    assert (len(server.bodies), client.status()[0].spent) == (1, ONE)


@pytest.mark.attack("device")
def test_no_file_of_the_vault_holds_the_list_after_the_report_left(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    """Whoever gets the device later, and reads the friends from what the client kept."""
    client.report("audit", friends_file=friends, dry_run=True)
    (path,) = client.home.glob("memberships/*/report-1.json")
    assert set(vault.kept(path)) == {"choice", "report"}
    client.report("audit")
    assert set(vault.kept(path)) == {"choice", "report"}


@pytest.mark.attack("device")
def test_lists_that_older_clients_kept_are_dropped_when_the_vault_is_opened(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    """A vault of an older client, which kept every list for ever."""
    drawn = client.report("audit", friends_file=friends)
    (path,) = client.home.glob("memberships/*/report-1.json")
    vault.keep(path, vault.kept(path) | {"friends": list(range(10, 20))})
    client.status()
    assert set(vault.kept(path)) == {"choice", "report"}
    assert client.report("audit", resend=True).body == drawn.body


def test_one_server_under_two_addresses_is_one_in_an_older_vault(
    client: Client, server: FailingCollector, friends: Path, tmp_path: Path
) -> None:
    client.report("audit", friends_file=friends, dry_run=True)
    (folder,), ledger = client.home.glob("memberships/*"), tmp_path / "home" / "ledger.json"
    folder.rename(folder.with_name("0123456789abcdef"))
    fields = vault.kept(ledger)
    (entry,) = fields["entries"]
    again = entry | {"server": entry["server"].replace("http://127.0.0.1:", "HTTP://127.0.0.1:00")}
    vault.keep(ledger, fields | {"entries": [entry, again]})
    assert client.report("audit").acknowledged
    assert list(client.home.glob("memberships/*")) == [folder]
    assert Ledger(ledger).spent == 2 * ONE  # two reports left, under one address each
    assert len(Ledger(ledger).entries) == 1

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from graphldp.audit.protocol import ROSTER, FailingCollector, failing_collector
from graphldp.client.keeping import vault
from graphldp.client.protocol import Client
from graphldp.errors import ClientError, DataError, FormatError

ONE = 10**6


@pytest.fixture
def client(tmp_path: Path, server: FailingCollector) -> Client:
    joined = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    joined.join(server.invitation, accept=ONE)
    return joined


@pytest.fixture
def folder(client: Client, tmp_path: Path) -> Path:
    return next((tmp_path / "home" / "memberships").iterdir())


@pytest.mark.attack("device")
def test_one_id_on_two_servers(client: Client, server: FailingCollector, friends: Path) -> None:
    """One community id on two servers."""
    with failing_collector() as second:
        client.join(second.invitation, accept=ONE)
        with pytest.raises(ClientError, match=f"--server, one of: .*{second.invitation.server}"):
            client.report("audit", friends_file=friends)
        client.report("audit", friends_file=friends, server=f"{second.invitation.server.upper()}/")
        assert (len(server.bodies), len(second.bodies)) == (0, 1)
        client.report("audit", friends_file=friends, server=server.invitation.server)
        assert (len(server.bodies), len(second.bodies)) == (1, 1)
        with pytest.raises(ClientError, match="no community"):
            client.report("audit", server="https://third.example")
        client.forget("audit", server=server.invitation.server)
        assert client.report("audit").acknowledged


@pytest.mark.attack("device")
@pytest.mark.parametrize("name", ["invitation.json", "community.json"])
@pytest.mark.parametrize("text", ["{", "{}", "[]", "null", '{"invitation": "x", "published": {}, "accepted": 1}'])
def test_a_damaged_membership_sends_nothing(
    client: Client, server: FailingCollector, folder: Path, friends: Path, name: str, text: str
) -> None:
    """A damaged vault, a full disk, a kill at every step."""
    (folder / name).write_text(text)
    with pytest.raises(FormatError, match="damaged"):
        client.report("audit", friends_file=friends)
    assert server.bodies == []


def test_accepting_something_that_is_no_number_accepts_nothing(client: Client, folder: Path, friends: Path) -> None:
    fields = vault.kept(folder / "community.json")
    vault.keep(folder / "community.json", fields | {"accepted": "all"})
    with pytest.raises(FormatError, match="damaged"):
        client.report("audit", friends_file=friends)


@pytest.mark.parametrize("text", ["{", "[]", "[1]", json.dumps(ROSTER[::-1]), json.dumps([*ROSTER, "x"])])
def test_a_roster_other_than_the_pinned_one_is_not_matched(
    client: Client, server: FailingCollector, folder: Path, friends: Path, text: str
) -> None:
    next(folder.glob("roster-*.json")).write_text(text)
    with pytest.raises(FormatError, match="damaged"):
        client.report("audit", friends_file=friends)
    assert (server.bodies, client.status()[0].entries) == ([], [])


def test_a_lost_roster_can_be_fetched_by_joining_again(client: Client, folder: Path, friends: Path) -> None:
    next(folder.glob("roster-*.json")).unlink()
    with pytest.raises(ClientError, match="join"):
        client.report("audit", friends_file=friends)
    invitation = client.status()[1][0].invitation
    client.join(invitation, accept=ONE)
    assert client.report("audit", friends_file=friends).acknowledged


@pytest.mark.parametrize(
    "text", ["{", "{}", "[]", '{"report": "zz", "choice": "standard", "friends": []}', '{"report": "e1"}']
)
def test_a_damaged_report_is_neither_sent_nor_drawn_again(
    client: Client, server: FailingCollector, folder: Path, friends: Path, text: str
) -> None:
    kept = client.report("audit", friends_file=friends, dry_run=True)
    (folder / "report-1.json").write_text(text)
    with pytest.raises(DataError, match="damaged"):
        client.report("audit", friends_file=friends)
    assert server.bodies == []
    vault.keep(folder / "report-1.json", {"report": kept.body.hex(), "choice": "standard", "friends": kept.friends})
    assert client.report("audit").body == kept.body


def test_a_new_epoch_keeps_one_roster(client: Client, server: FailingCollector, folder: Path, friends: Path) -> None:
    server.epoch, server.changes = 2, {"roster": ROSTER[::-1]}
    client.report("audit", friends_file=friends, new_epoch=True)
    assert [vault.kept(path) for path in folder.glob("roster-*.json")] == [ROSTER[::-1]]


@pytest.mark.attack("device")
def test_two_ways_to_write_an_address_that_an_older_client_kept_apart(
    client: Client, server: FailingCollector, folder: Path, friends: Path
) -> None:
    """A vault that has one community twice, under two ways to write its server: one counts, until it is forgotten."""
    client.report("audit", friends_file=friends)
    shutil.copytree(folder, folder.with_name("0" * 16))
    ledger, members = client.status()
    assert [each.folder for each in members] == [folder]
    assert len(ledger.entries) == 1
    assert client.report("audit").acknowledged
    client.forget("audit")
    assert [each.folder for each in client.status()[1]] == [folder]
    client.forget("audit")
    assert client.status()[1] == []

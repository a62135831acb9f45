"""Withdrawn is withdrawn: nothing of it is sent again, whoever loses an answer, and the note outlives the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.services import Collector

from graphldp.audit.protocol import ROSTER, USER, FailingCollector
from graphldp.audit.traffic import HUB_COUNTS, asked
from graphldp.client.protocol import Client
from graphldp.collector.storage.store import Store
from graphldp.errors import ClientError, SendError
from graphldp.wire import Choice, Invitation

ONE = 10**6


@pytest.fixture
def client(tmp_path: Path, server: FailingCollector) -> Client:
    joined = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    joined.join(server.invitation, accept=ONE, cap=9 * ONE)
    return joined


def withdrawals(server: FailingCollector) -> list[str]:
    return [each.path for each in server.requests if each.method == "DELETE"]


def test_what_is_withdrawn_is_never_sent_again(client: Client, server: FailingCollector, friends: Path) -> None:
    client.report("audit", friends_file=friends)
    assert client.withdraw("audit") == [1]
    assert withdrawals(server) == [f"/v1/communities/audit/reports/{USER}?epoch=1"]
    server.changes = {"held": []}
    for options in ({}, {"resend": True}, {"friends_file": friends}):
        with pytest.raises(ClientError, match="withdrew"):
            client.report("audit", **options)
    assert len(server.bodies) == 1
    (entry,) = client.status()[0].entries
    assert (entry.withdrawn, entry.deleted, entry.millionths) == (True, True, ONE)  # what was seen stays paid for


def test_a_damaged_report_can_be_withdrawn(client: Client, server: FailingCollector, friends: Path) -> None:
    client.report("audit", friends_file=friends)
    next(client.home.glob("memberships/*/report-1.json")).write_text("[")
    assert client.withdraw("audit") == [1]
    assert len(withdrawals(server)) == 1


@pytest.mark.attack("device")
def test_a_withdrawal_that_was_not_heard_is_noted_and_sent_again(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    """A collector that loses or refuses a withdrawal and denies what it holds."""
    client.report("audit", friends_file=friends)
    for mishap in ("drop", 503, 401):
        server.mishaps = [mishap]
        with pytest.raises(SendError):
            client.withdraw("audit")
        (entry,) = client.status()[0].entries
        assert (entry.withdrawn, entry.deleted) == (True, False)
        with pytest.raises(ClientError, match="withdrew"):
            client.report("audit", resend=True)
    assert client.withdraw("audit") == client.withdraw("audit") == [1]
    assert len(withdrawals(server)) == 5
    assert len(server.bodies) == 1


def test_a_report_that_was_drawn_and_not_sent_is_withdrawn_too(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    with pytest.raises(ClientError, match="nothing to withdraw"):
        client.withdraw("audit")
    assert withdrawals(server) == []
    client.report("audit", friends_file=friends, dry_run=True)
    client.withdraw("audit")
    with pytest.raises(ClientError, match="withdrew"):
        client.report("audit")
    assert server.bodies == []


def test_the_note_outlives_what_is_forgotten(client: Client, server: FailingCollector, friends: Path) -> None:
    client.report("audit", friends_file=friends)
    client.forget("audit")
    client.join(server.invitation, accept=ONE)
    assert client.withdraw("audit") == [1]  # the token is all it takes
    client.forget("audit")
    client.join(server.invitation, accept=ONE)
    with pytest.raises(ClientError, match="withdrew"):
        client.report("audit", friends_file=friends)
    assert len(server.bodies) == 1


def test_a_later_epoch_is_a_new_decision(client: Client, server: FailingCollector, friends: Path) -> None:
    client.report("audit", friends_file=friends)
    client.withdraw("audit")
    server.epoch = 2
    assert client.report("audit", friends_file=friends, new_epoch=True).acknowledged
    assert client.withdraw("audit") == [1, 2]
    assert withdrawals(server)[-1].endswith("?epoch=2")
    assert client.status()[0].spent == 2 * ONE


def test_a_question_of_a_withdrawn_report_is_not_answered(tmp_path: Path, server: FailingCollector) -> None:
    server.changes, server.question = dict(HUB_COUNTS) | {"hub_from": -1000}, asked((11,))
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    client.join(server.invitation, accept=ONE)
    (tmp_path / "friends.txt").write_text("\n".join(ROSTER[10:20]))
    while not client.report("audit", friends_file=tmp_path / "friends.txt").report.asked:
        client.home = tmp_path / f"home-{len(server.bodies)}"  # another user; one in some is asked
        client.join(server.invitation, accept=ONE)
    client.withdraw("audit")
    before = list(server.requests)
    with pytest.raises(ClientError, match="withdrew"):
        client.answer("audit")
    assert server.requests == before


@pytest.mark.attack("device")
def test_a_vault_from_before_the_withdrawal_brings_nothing_back(tmp_path: Path, friends: Path) -> None:
    """A relay, or an old copy of a vault, that brings a report after its user withdrew it.

    The same bytes again, from an old copy of the vault: the collector has kept that the slot was used.
    """
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    cats = store.open_community("cats", ROSTER, mechanism="dprr", choices=[Choice("standard", 0.5, 0.5)])
    tokens = store.invite("cats")
    with Collector(database) as collector:
        client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
        client.join(Invitation(collector.url, "cats", tokens[3]), accept=ONE)
        client.report("cats", friends_file=friends)
        before = (client.home / "ledger.json").read_text()
        assert [each.user for each in store.stored(cats)] == [3]
        assert client.withdraw("cats") == [1]
        assert list(store.stored(cats)) == []
        (client.home / "ledger.json").write_text(before)
        with pytest.raises(SendError, match="410"):
            client.report("cats", resend=True)
    assert list(store.stored(cats)) == []
    assert "withdrawn" in json.loads(before)["entries"][0]
    store.close()

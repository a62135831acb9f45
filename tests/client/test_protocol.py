from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from benchmarks.services import Collector
from tests.values import some

from graphldp.audit.protocol import ROSTER, USER, FailingCollector, one_report
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent, Plan
from graphldp.collector.storage.store import Store
from graphldp.errors import ClientError, DataError, SendError
from graphldp.wire import Choice, Invitation, Published, decode

ONE = 10**6


@pytest.fixture
def client(tmp_path: Path, server: FailingCollector) -> Client:
    joined = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    joined.join(server.invitation, accept=ONE)
    return joined


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join([*ROSTER[10:20], "a-stranger", ROSTER[USER]]))
    return path


def test_a_report_is_drawn_kept_and_sent(client: Client, server: FailingCollector, friends: Path) -> None:
    drawn = client.report("audit", friends_file=friends)
    assert drawn.acknowledged
    assert server.bodies == [drawn.body]
    sent = decode(drawn.body, n=len(ROSTER))
    assert (sent.user, sent.mechanism, sent.epsilon1, sent.epsilon2) == (USER, "dprr", 0.5, 0.5)
    ledger, _ = client.status()
    assert ledger.spent == ONE
    assert ledger.entries[0].sent


def test_a_dry_run_shows_the_bytes_that_are_sent_later(client: Client, server: FailingCollector, friends: Path) -> None:
    shown = client.report("audit", friends_file=friends, dry_run=True)
    assert shown.body == client.report("audit", dry_run=True).body
    assert server.bodies == []
    assert client.status()[0].entries[0].drawn
    client.report("audit")
    assert server.bodies == [shown.body]


def test_retries_send_the_same_bytes(client: Client, server: FailingCollector, friends: Path) -> None:
    server.mishaps = ["drop", 503, "lost"]
    for _ in range(3):
        with pytest.raises(SendError, match="kept"):
            client.report("audit", friends_file=friends)
    client.report("audit", friends_file=friends)
    assert len(server.bodies) == 3
    assert len(set(server.bodies)) == 1
    assert client.status()[0].spent == ONE


def test_one_run_tries_again_by_itself(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    server.mishaps = ["drop", 503, "lost", 429]
    client = Client(tmp_path / "home", pauses=(0.0,) * 4, timeout=60.0, tick=0.0)
    client.join(server.invitation, accept=ONE)
    assert client.report("audit", friends_file=friends).acknowledged
    assert len(set(server.bodies)) == 1


@pytest.mark.parametrize("status", [400, 401, 409, 410, 422])
def test_refusals_are_final(tmp_path: Path, server: FailingCollector, friends: Path, status: int) -> None:
    server.mishaps = [status, 200]
    client = Client(tmp_path / "home", pauses=(0.0,) * 4, timeout=60.0, tick=0.0)
    client.join(server.invitation, accept=ONE)
    with pytest.raises(SendError, match=str(status)):
        client.report("audit", friends_file=friends)
    assert len(server.bodies) == 1


@pytest.mark.attack("device")
def test_a_changed_list_is_not_read_and_costs_again(client: Client, server: FailingCollector, friends: Path) -> None:
    """An honest roster, and a request without a report after it."""
    first = client.report("audit", friends_file=friends)
    assert client.report("audit").note is None
    friends.write_text("\n".join(ROSTER[10:25]))
    again = client.report("audit", friends_file=friends, resend=True)
    assert some(again.note).startswith("Your file was not read")
    assert server.bodies == [first.body] * 2
    with pytest.raises(ClientError, match="in epoch 1"):
        client.report("audit", friends_file=friends, new_epoch=True)
    server.epoch = 2
    assert some(client.report("audit", friends_file=friends).note).startswith("Your file was not read")
    client.report("audit", friends_file=friends, new_epoch=True)
    assert len(server.bodies) == 3
    assert client.status()[0].spent == 2 * ONE
    assert client.report("audit").body == server.bodies[2]


@pytest.mark.attack("device")
@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(b"\xff")])
def test_a_file_that_cannot_be_read_does_not_keep_a_drawn_report_back(
    client: Client, server: FailingCollector, friends: Path, spoil: Callable[[Path], object]
) -> None:
    """A missing or broken file after the draw."""
    client.report("audit", friends_file=friends, dry_run=True)
    spoil(friends)
    sent = client.report("audit", friends_file=friends)
    assert some(sent.note).startswith("Your file was not read")
    assert server.bodies == [sent.body]


def test_a_new_epoch_before_any_report(client: Client, server: FailingCollector, friends: Path) -> None:
    server.epoch = 2
    assert client.report("audit", friends_file=friends, new_epoch=True).acknowledged
    assert server.requests[-1].path.endswith("?epoch=2")
    assert client.status()[0].spent == ONE


def test_forget_deletes_everything_but_the_ledger(
    client: Client, server: FailingCollector, friends: Path, tmp_path: Path
) -> None:
    client.report("audit", friends_file=friends)
    client.forget("audit")
    assert list((tmp_path / "home" / "memberships").iterdir()) == []
    assert "a-token" not in "".join(path.read_text() for path in (tmp_path / "home").rglob("*") if path.is_file())
    ledger, members = client.status()
    assert (ledger.spent, members) == (ONE, [])
    assert ledger.entries[0].drawn
    with pytest.raises(ClientError, match="no community"):
        client.report("audit", friends_file=friends)
    client.join(server.invitation, accept=ONE)
    with pytest.raises(ClientError, match="forgotten; another is never drawn"):
        client.report("audit", friends_file=friends)
    server.epoch = 2
    client.forget("audit")
    client.join(server.invitation, accept=ONE)
    with pytest.raises(ClientError, match="explicitly"):
        client.report("audit", friends_file=friends)
    assert len(server.bodies) == 1
    client.report("audit", friends_file=friends, new_epoch=True)
    assert client.status()[0].spent == 2 * ONE


def test_more_than_was_accepted_or_than_the_cap_is_not_drawn(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    client.join(server.invitation, accept=ONE - 1, cap=ONE - 1)
    with pytest.raises(ClientError, match=r"you accepted 0\.999999"):
        client.report("audit", friends_file=friends)
    client.join(server.invitation, accept=ONE)
    with pytest.raises(ClientError, match="lifetime cap"):
        client.report("audit", friends_file=friends)
    client.join(server.invitation, accept=ONE, cap=ONE)
    assert client.report("audit", friends_file=friends).acknowledged


def test_a_public_list_must_be_accepted_as_such(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    offers = [{"name": "open", "epsilon1": None, "epsilon2": None}]
    server.changes = {"choices": offers}
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    client.join(server.invitation, accept=16 * ONE)
    with pytest.raises(ClientError, match="publishes your list"):
        client.report("audit", friends_file=friends)
    client.join(server.invitation, accept=None)
    client.report("audit", friends_file=friends)
    assert decode(server.bodies[0]).neighbours.tolist() == list(range(10, 20))


@pytest.mark.parametrize(
    "changes",
    [
        {"roster_digest": "0" * 64},
        {"roster": [*ROSTER[:-1], "\x1b[2J"]},
        {"roster": [*ROSTER[:-1], 3]},
        {"name": "a\x1b]0;b\x07"},
        {"name": "a\u202eb"},
        {"name": "a" * 201},
        {"choices": [{"name": "a\x9b31m", "epsilon1": 0.1, "epsilon2": 0.1}]},
        {"roster": ROSTER[:-1]},
        {"roster": None},
        {"id": "other"},
        {"n": 41},
        {"user": 40},
        {"user": True},
        {"mechanism": "arr"},
        {"choices": []},
        {"choices": [{"name": "a", "epsilon1": 0.1, "epsilon2": 1 / 3}]},
        {"choices": [{"name": "a", "epsilon1": 0.1, "epsilon2": None}]},
        {"epoch": 0},
    ],
)
def test_what_a_community_cannot_be_is_refused_at_the_door(
    tmp_path: Path, server: FailingCollector, changes: dict[str, Any]
) -> None:
    server.changes = changes
    with pytest.raises((ClientError, DataError)):
        Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0).join(server.invitation, accept=ONE)


def test_the_roster_of_the_day_of_joining_is_the_one_that_counts(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    server.changes = {"roster": ROSTER[::-1]}
    asked: list[Consent] = []

    def approve(question: Consent) -> bool:
        asked.append(question)
        return True

    client.report("audit", friends_file=friends, approve=approve)
    assert cast("Plan", asked[0]).friends == tuple(ROSTER[10:20])
    assert [each.method for each in server.requests] == ["GET", "PUT"]


def test_two_clients_at_once_draw_one_report(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    home = tmp_path / "home"
    Client(home).join(server.invitation, accept=ONE)
    threads = [
        threading.Thread(target=lambda: Client(home, timeout=60.0, tick=0.0).report("audit", friends_file=friends))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.bodies) == 1


@pytest.mark.parametrize("held", [[1], [1, 2], None, "all"])
def test_what_the_collector_holds_or_may_hold_is_not_sent_again(
    client: Client, server: FailingCollector, friends: Path, held: object
) -> None:
    first = client.report("audit", friends_file=friends)
    server.epoch, server.changes = 2, {"held": held}
    again = client.report("audit", friends_file=friends)
    assert again.acknowledged
    assert again.body == first.body
    assert len(server.bodies) == 1


def test_what_the_collector_has_lost_is_sent_again(client: Client, server: FailingCollector, friends: Path) -> None:
    first = client.report("audit", friends_file=friends)
    server.changes = {"held": [2]}
    client.report("audit")
    assert server.bodies == [first.body] * 2
    assert client.status()[0].spent == ONE


def test_resend_sends_the_same_bytes_without_a_question(
    client: Client, server: FailingCollector, friends: Path
) -> None:
    with pytest.raises(ClientError, match="nothing to send again"):
        client.report("audit", friends_file=friends, resend=True)
    first = client.report("audit", friends_file=friends)
    client.report("audit", resend=True)
    assert server.bodies == [first.body] * 2
    assert [each.method for each in server.requests] == ["GET", "PUT", "PUT"]


def test_a_late_report_does_not_fill_the_next_epochs_slot(tmp_path: Path, friends: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    store.open_community("cats", ROSTER, mechanism="dprr", choices=[Choice("standard", 0.5, 0.5)])
    token = store.invite("cats")[USER]
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
    with Collector(database) as collector:
        client.join(Invitation(collector.url, "cats", token), accept=ONE)
        client.report("cats", friends_file=friends, dry_run=True)
        second = store.open_epoch("cats")
        with pytest.raises(SendError, match=r"^The epoch .* is over, .*--new-epoch[^\n]*$"):
            client.report("cats")
        assert list(store.stored(second)) == []
        assert not client.status()[0].entries[0].sent
        drawn = client.report("cats", friends_file=friends, new_epoch=True)
        assert drawn.acknowledged
        assert [each.body for each in store.stored(second)] == [drawn.body]
        assert client.status()[0].spent == 2 * ONE
    store.close()


def test_a_kept_report_without_its_ledger_is_not_sent(
    client: Client, server: FailingCollector, friends: Path, tmp_path: Path
) -> None:
    client.report("audit", friends_file=friends, dry_run=True)
    (tmp_path / "home" / "ledger.json").unlink()
    with pytest.raises(ClientError, match="backup"):
        client.report("audit")
    assert server.bodies == []


def test_errors_carry_neither_token_nor_list(client: Client, server: FailingCollector, friends: Path) -> None:
    server.mishaps = [422]
    with pytest.raises(SendError) as caught:
        client.report("audit", friends_file=friends)
    assert "a-token" not in repr(caught.value) + repr(server.invitation) + repr(client.status())
    assert ROSTER[12] not in repr(caught.value)


@pytest.mark.attack("device")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"server": "https://a.example", "community": "c"}',
        '{"server": "http://a.example", "community": "c", "token": "t"}',
        '{"server": "ftp://a.example", "community": "c", "token": "t"}',
        '{"server": "https://me:pw@a.example", "community": "c", "token": "t"}',
        '{"server": "https://a.example?x=1", "community": "c", "token": "t"}',
        '{"server": "https://[a", "community": "c", "token": "t"}',
        '{"server": "https://a.example:99999", "community": "c", "token": "t"}',
        '{"server": "https://a\\u001b[2J.example", "community": "c", "token": "t"}',
        '{"server": "https://a.example", "community": "../c", "token": "t"}',
        '{"server": "https://a.example", "community": "c", "token": "t\\nHost: b"}',
        '{"server": "https://a.example", "community": "c", "token": 3}',
    ],
)
def test_bad_invitations(text: str) -> None:
    """A pause of `²` seconds, a server `https://[a`."""
    with pytest.raises(DataError):
        Invitation.from_json(text)


def test_published_comes_back_as_it_was(server: FailingCollector) -> None:
    fields = server.published()
    assert Published.from_json(Published.from_json(fields).to_json()) == Published.from_json(fields)


def test_the_protocol_audit_holds() -> None:
    assert one_report().holds

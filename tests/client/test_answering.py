"""The second question: pinned, answered once, the same bytes however often, nothing that depends on the list."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp.audit.protocol import ROSTER, USER, FailingCollector, failing_collector
from graphldp.audit.traffic import (
    ASKING_MOVES,
    CLOSED_PAIRS,
    FIRST,
    HUB_COUNTS,
    HUB_FROM,
    NEIGHBOURS,
    Given,
    Move,
    asked,
    asking,
    clique,
    recorded_answers,
    same_answers,
)
from graphldp.client import answering, protocol
from graphldp.client.keeping import vault
from graphldp.client.keeping.ledger import Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.protocol import Client
from graphldp.client.sampling import hubs, pairs
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError, GraphLDPError, SendError, WireError
from graphldp.privacy.pairs import PAIR_USERS
from graphldp.wire import Answer, NoisyLists, Question, roster_digest

ONE = 10**6
FRIENDS = (10, 11, 12, 13)


@pytest.fixture(scope="module")
def running() -> Iterator[FailingCollector]:
    with failing_collector() as server:
        yield server


@pytest.fixture
def server(running: FailingCollector) -> FailingCollector:
    running.requests, running.bodies, running.answers, running.mishaps = [], [], [], []
    running.changes, running.epoch, running.question = dict(HUB_COUNTS), 1, None
    return running


def member(folder: Path, server: FailingCollector, *noises: int, friends: tuple[int, ...] = FRIENDS) -> Client:
    """A user who has reported."""
    folder.mkdir(exist_ok=True)
    file = folder / "friends.txt"
    file.write_text("\n".join(ROSTER[number] for number in friends))
    client = Client(folder / "home", tick=0.0, _entropy=Given(*noises), pauses=(), timeout=60.0)
    client.join(server.invitation, accept=ONE)
    client.report("audit", friends_file=file)
    return client


def kept(client: Client) -> Any:
    (path,) = client.home.glob("memberships/*/report-1.json")
    return vault.kept(path)


def test_a_hub_answers_the_question(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11, 12, 30))
    found = client.answer("audit")
    assert server.answers == [found.body]
    assert Answer.decode(found.body, n=len(ROSTER)) == found.answer
    assert (found.answer.count, found.quiet_friends) == (2 + 5, 2 + 2)
    assert found.answer.user == USER
    ledger, _ = client.status()
    assert ledger.spent == ONE  # the answer costs nothing more
    assert ledger.entries[0].answered
    assert [each.path for each in server.requests[-2:]] == [
        "/v1/communities/audit/question?epoch=1",
        f"/v1/communities/audit/answers/{USER}?epoch=1",
    ]


def test_the_noise_is_forgotten_with_the_answer(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    assert kept(client)["noise"] == 5
    server.question, server.mishaps = asked((11,)), [503]
    with pytest.raises(SendError):
        client.answer("audit")
    assert set(kept(client)) == {"choice", "report", "answer"}
    assert kept(client)["answer"] == server.answers[0].hex()


def test_everybody_answers_about_pairs_of_her_friends(tmp_path: Path, server: FailingCollector) -> None:
    """Three of her four friends are a clique by what is published: two bits from either end of each pair, less 4C."""
    server.changes = dict(CLOSED_PAIRS)
    client = member(tmp_path, server, 1, -3)
    server.question = clique((10, 11, 12, 30))
    found = client.answer("audit")
    assert server.answers == [found.body]
    cap = pairs.cap(found.report)
    assert found.report.noisy_degree == 5
    assert cap == math.ceil(2 * 13 / (1 + math.exp(-0.4)))  # five and eight more, by bits that are right so often
    assert (found.answer.count, found.quiet_friends) == (12 - 4 * cap - 3, None)
    assert set(kept(client)) == {"choice", "report", "answer"}
    ledger, _ = client.status()
    assert ledger.spent == ONE  # all of it before the first round


def test_noisy_lists_of_the_largest_community_are_read(tmp_path: Path, server: FailingCollector) -> None:
    """Half a megabyte, and everybody's friend; what is larger, or of another kind, is no question."""
    names = [f"member {number}" for number in range(PAIR_USERS)]
    server.changes = CLOSED_PAIRS | {"n": PAIR_USERS, "roster": names, "roster_digest": roster_digest(names)}
    file = tmp_path / "friends.txt"
    file.write_text("\n".join(names))
    client = Client(tmp_path / "home", tick=0.0, pauses=(), timeout=60.0)
    client.join(server.invitation, accept=ONE)
    client.report("audit", friends_file=file)
    everybody = NoisyLists(~np.eye(PAIR_USERS, dtype=np.bool_))
    for wrong in (asked((11,)), everybody.encode() + b"\0"):
        server.question = wrong
        with pytest.raises(WireError):
            client.answer("audit")
    server.question = everybody.encode()
    assert len(server.question) == 499_753
    assert client.answer("audit").answer.question == everybody.digest


@pytest.mark.attack("device")
@pytest.mark.parametrize("late", [False, True])
def test_a_list_waits_until_its_last_day_and_no_longer(tmp_path: Path, server: FailingCollector, late: bool) -> None:
    """A question that never comes."""
    last = datetime.now(UTC).date() - timedelta(days=late)
    server.changes = CLOSED_PAIRS | {"answer_until": last.isoformat()}
    client = member(tmp_path, server, 1, -3)
    assert "friends" in kept(client)
    client.status()
    assert ("friends" in kept(client)) is not late
    server.question = clique((10, 11))
    if late:
        with pytest.raises(ClientError, match="not kept here any more"):
            client.answer("audit")
    else:
        assert client.answer("audit").body in server.answers


@pytest.mark.attack("device")
def test_who_will_not_answer_keeps_no_list_and_sends_nothing(tmp_path: Path, server: FailingCollector) -> None:
    """A question that never comes, so that the list waits for it on the device for ever."""
    client = member(tmp_path, server, 2, 5)
    assert kept(client)["friends"] == list(FRIENDS)
    before, server.question = list(server.requests), asked((11,))
    client.decline("audit")
    assert set(kept(client)) == {"choice", "report"}
    for refused, why in ((client.answer, "not kept here any more"), (client.decline, "No list waits")):
        with pytest.raises(ClientError, match=why):
            refused("audit")
    assert server.requests == before


@pytest.mark.parametrize("how", ["withdraw", "new epoch"])
def test_a_list_that_no_question_needs_is_dropped(tmp_path: Path, server: FailingCollector, how: str) -> None:
    client = member(tmp_path, server, 2, 5)
    path, server.epoch = next(client.home.glob("memberships/*/report-1.json")), 2
    if how == "withdraw":
        client.withdraw("audit")
    else:
        client._entropy = Given(-20, -1)
        client.report("audit", friends_file=tmp_path / "friends.txt", new_epoch=True)
    assert set(vault.kept(path)) == {"choice", "report"}


@pytest.mark.attack("device")
@pytest.mark.parametrize("note", [{"withdrawn": True}, {"question": "of another copy of this vault"}])
def test_a_list_that_the_ledger_knows_to_be_useless_is_dropped(
    tmp_path: Path, server: FailingCollector, note: dict[str, Any]
) -> None:
    """A device that is stopped while its report is taken back, and a copy of a vault whose question was answered."""
    client = member(tmp_path, server, 2, 5)
    known = client.ledger().to_json()
    known["entries"][0] |= note
    (tmp_path / "ledger.json").write_text(json.dumps(known))
    client.ledger(tmp_path / "ledger.json")
    assert set(kept(client)) == {"choice", "report"}


@pytest.mark.attack("device")
@pytest.mark.parametrize("name", ["invitation.json", "community.json"])
@pytest.mark.parametrize("text", ["{", "[]", '{"invitation": {}, "published": {}, "accepted": 1}'])
def test_a_damaged_membership_keeps_no_list(tmp_path: Path, server: FailingCollector, name: str, text: str) -> None:
    """A vault of which one file cannot be read any more, so that its list waits for nothing, and for ever."""
    client = member(tmp_path, server, 2, 5)
    folder = next(client.home.glob("memberships/*"))
    (folder / "report-0.json").write_text("[")
    (folder / name).write_text(text)
    client.ledger()
    assert set(kept(client)) == {"choice", "report"}


@pytest.mark.attack("device")
def test_a_write_that_was_stopped_leaves_no_list(tmp_path: Path, server: FailingCollector) -> None:
    """A device that was switched off while it wrote a report with its list under another name."""
    client = member(tmp_path, server, 2, 5)
    part = next(client.home.glob("memberships/*")) / ".report-3.json.part"
    part.write_text(json.dumps(kept(client)))
    client.status()
    assert not part.exists()


@pytest.mark.parametrize("friends", [(), FRIENDS, tuple(range(8, 40))])
def test_who_is_not_asked_sends_nothing_whatever_her_list(
    tmp_path: Path, server: FailingCollector, friends: tuple[int, ...]
) -> None:
    """Ask somebody who is not a hub."""
    client = member(tmp_path, server, HUB_FROM - len(friends), -1, friends=friends)
    assert "noise" not in kept(client)
    before, server.question = list(server.requests), asked((11,))
    with pytest.raises(ClientError, match="no second question"):
        client.answer("audit")
    assert server.requests == before


@pytest.mark.attack("device")
def test_the_first_question_is_pinned(
    tmp_path: Path, server: FailingCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Change the question between two fetches.

    Stopped after the pin and before the count, the client answers what it pinned, and asks for no other.
    """
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11,))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "counted", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            client.answer("audit")
    assert client.status()[0].entries[0].question is not None
    server.question = asked((11, 12, 13))
    before = len(server.requests)
    assert client.answer("audit").answer.count == 1 + 5
    assert [each.method for each in server.requests[before:]] == ["PUT"]


@pytest.mark.attack("device")
def test_a_second_question_is_never_answered(tmp_path: Path, server: FailingCollector) -> None:
    """Ask about a second set of users."""
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11,))
    first = client.answer("audit")
    for place in range(10, 20):
        server.question, server.changes["answered"] = asked((place,)), []
        client.answer("audit")
    assert set(server.answers) == {first.body}
    assert len(server.answers) == 11


@pytest.mark.attack("device")
def test_an_old_copy_of_the_report_does_not_answer_again(tmp_path: Path, server: FailingCollector) -> None:
    """Restore an old file of the report, then ask again."""
    client = member(tmp_path, server, 2, 5)
    (path,) = client.home.glob("memberships/*/report-1.json")
    old = path.read_bytes()
    server.question = asked((11,))
    client.answer("audit")
    path.write_bytes(old)
    server.question, before = asked((12,)), list(server.requests)
    with pytest.raises(ClientError, match="never answered"):
        client.answer("audit")
    assert server.requests == before


def test_an_answer_that_the_collector_lost_is_sent_again(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11,))
    first = client.answer("audit")
    server.changes["answered"] = [1]
    client.answer("audit")
    assert server.answers == [first.body]
    client.answer("audit", resend=True)
    server.changes["answered"] = []
    client.answer("audit")
    assert server.answers == [first.body] * 3


@pytest.mark.parametrize("question", [b"", b"\xe3\x28", b"\xe3\x28" + b"\0" * 6, b"\xe3\x01\x00"])
def test_what_is_no_question_is_not_pinned(tmp_path: Path, server: FailingCollector, question: bytes) -> None:
    client = member(tmp_path, server, 2, 5)
    server.question = question
    with pytest.raises(GraphLDPError):
        client.answer("audit")
    assert server.answers == []
    assert "question" not in kept(client)
    server.question = asked((11,))
    client.answer("audit")


def test_nothing_is_answered_before_the_report_is_acknowledged(tmp_path: Path, server: FailingCollector) -> None:
    server.mishaps = [503]
    with pytest.raises(SendError):
        member(tmp_path, server, 2, 5)
    client, server.question = Client(tmp_path / "home", tick=0.0, pauses=(), timeout=60.0), asked((11,))
    before = list(server.requests)
    with pytest.raises(ClientError, match="not acknowledged"):
        client.answer("audit")
    assert server.requests == before


def test_what_was_forgotten_is_not_answered(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    client.forget("audit")
    client.join(server.invitation, accept=ONE)
    server.question = asked((11,))
    with pytest.raises(ClientError, match="nothing to answer"):
        client.answer("audit")


def test_a_damaged_report_is_not_answered(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    (path,) = client.home.glob("memberships/*/report-1.json")
    path.write_text(json.dumps(kept(client) | {"noise": "5"}))
    with pytest.raises(GraphLDPError, match="damaged"):
        client.answer("audit")


@pytest.mark.attack("device")
@pytest.mark.parametrize("took", [0.0103, 0.0112, 0.7, 3.2])
def test_an_answer_leaves_on_a_tick_however_long_its_count_took(
    tmp_path: Path, server: FailingCollector, monkeypatch: pytest.MonkeyPatch, took: float
) -> None:
    """Time the count."""
    client = member(tmp_path, server, 2, 5)
    client._tick, now, real, server.question = 1.0, [100.25], hubs.answer, asked((11,))

    def counted(*arguments: Any) -> Any:
        now[0] += took
        return real(*arguments)

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(hubs, "answer", counted)
    monkeypatch.setattr(protocol, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    client.answer("audit")
    assert now[0] == pytest.approx(100.25 + int(took) + 1)


def test_the_audit_holds() -> None:
    assert same_answers().holds


def fetch_again(patch: pytest.MonkeyPatch) -> None:
    """Answer whatever is asked now, as long as the collector refuses."""
    real, real_counted = answering.send, answering.counted
    kept: dict[Path, tuple[int, ...]] = {}

    def counted(member: Membership, drawn: Drawn) -> Drawn:
        kept[member.folder] = drawn.friends or ()
        return real_counted(member, drawn)

    def send(member: Membership, ledger: Ledger, drawn: Drawn, sender: Sender, **options: Any) -> Any:
        friends, noise = kept[member.folder], 4 - len({*kept[member.folder]} & {12})
        question = Question.decode(sender.question(1), n=member.published.n)
        again = hubs.answer(question, friends, member.published.user, noise).encode()
        return real(member, ledger, replace(drawn, answer=again), sender, **options)

    patch.setattr(answering, "counted", counted)
    patch.setattr(answering, "send", send)


def stop_where_nobody_is_busy(patch: pytest.MonkeyPatch) -> None:
    real = answering.counted

    def counted(member: Membership, drawn: Drawn) -> Any:
        question = answering._question(member, drawn)
        about = np.asarray(question.busy if isinstance(question, Question) else np.asarray(question.listed).any(axis=0))
        if not about[list(drawn.friends or ())].any():
            raise ClientError("nobody is busy")
        return real(member, drawn)

    patch.setattr(answering, "counted", counted)


@pytest.mark.parametrize("mutant", [fetch_again, stop_where_nobody_is_busy])
def test_the_audit_catches_clients_that_answer_twice_or_look_at_the_list(
    monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    mutant(monkeypatch)
    assert not same_answers().holds


questions = st.one_of(
    st.sampled_from([None, "first", "same", b"", b"\xe3\x28"]),
    st.sets(st.integers(0, len(ROSTER) - 1), max_size=5).map(tuple),
)
mishaps = st.lists(st.sampled_from(["drop", "lost", 200, 201, 302, 401, 409, 410, 422, 500]), max_size=3).map(tuple)
published = st.sampled_from([{}, {"answered": []}, {"answered": [1]}, {"held": []}, {"answered": "no"}, {"epoch": 2}])
later = st.lists(
    st.builds(
        Move,
        published,
        mishaps,
        st.sampled_from([{}, {"resend": True}]),
        command=st.sampled_from(["answer", "answer", "report"]),
        question=questions,
    ),
    max_size=6,
)


@settings(max_examples=25, derandomize=True)
@given(script=later, pair=st.sampled_from(NEIGHBOURS), first=st.sampled_from(FIRST), hub=st.booleans())
def test_no_script_tells_neighbours_apart(
    running: FailingCollector, script: list[Move], pair: Any, first: tuple[int, ...], hub: bool
) -> None:
    """The first question comes first, so that the noise makes both answers to it the same; then anything may follow."""
    moves = [Move(), asking("first", (503,)), *script]
    one, two = (recorded_answers(running, friends, first, moves, hub=hub) for friends in pair)
    assert one == two


def test_the_moves_reach_what_they_are_for(running: FailingCollector) -> None:
    found: Any = recorded_answers(running, FRIENDS, (12,), ASKING_MOVES, hub=True)
    requests, spent = found
    assert spent == ONE
    assert sum("/question" in each.path for each in requests) == 2  # no question, and then the pinned one
    assert sum("/answers/" in each.path for each in requests) > 8

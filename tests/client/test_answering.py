"""The second question: pinned, answered once, the same bytes however often, nothing that depends on the list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp.audit.asking import FIRST, MOVES, TERMS, Asking, asked, recorded, same_answers
from graphldp.audit.protocol import ROSTER, USER, FailingCollector, failing_collector
from graphldp.audit.traffic import HUB_FROM, NEIGHBOURS, Given
from graphldp.client import answering, protocol
from graphldp.client.keeping import vault
from graphldp.client.keeping.ledger import Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.protocol import Client
from graphldp.client.sampling import hubs
from graphldp.client.sending.sender import Sender
from graphldp.errors import ClientError, GraphLDPError, SendError
from graphldp.wire import Answer, Question

ONE = 10**6
FRIENDS = (10, 11, 12, 13)


@pytest.fixture(scope="module")
def running() -> Iterator[FailingCollector]:
    with failing_collector() as server:
        yield server


@pytest.fixture
def server(running: FailingCollector) -> FailingCollector:
    running.requests, running.bodies, running.answers, running.mishaps = [], [], [], []
    running.changes, running.epoch, running.question = dict(TERMS), 1, None
    return running


def member(folder: Path, server: FailingCollector, *noises: int, friends: tuple[int, ...] = FRIENDS) -> Client:
    """A user who has reported."""
    folder.mkdir(exist_ok=True)
    file = folder / "friends.txt"
    file.write_text("\n".join(ROSTER[number] for number in friends))
    client = Client(folder / "home", tick=0.0, _entropy=Given(*noises), pauses=(), timeout=5.0)
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
    assert (found.answer.busy_friends, found.quiet_friends) == (2 + 5, 2 + 2)
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
    assert {"noise", "question"} & set(kept(client)) == set()
    assert kept(client)["answer"] == server.answers[0].hex()


@pytest.mark.parametrize("friends", [(), FRIENDS, tuple(range(8, 40))])
def test_who_is_not_asked_sends_nothing_whatever_her_list(
    tmp_path: Path, server: FailingCollector, friends: tuple[int, ...]
) -> None:
    client = member(tmp_path, server, HUB_FROM - len(friends), -1, friends=friends)
    assert "noise" not in kept(client)
    before, server.question = list(server.requests), asked((11,))
    with pytest.raises(ClientError, match="no second question"):
        client.answer("audit")
    assert server.requests == before


def test_the_first_question_is_pinned(
    tmp_path: Path, server: FailingCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after the pin and before the count, the client answers what it pinned, and asks for no other."""
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11,))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "counted", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            client.answer("audit")
    assert client.status()[0].entries[0].question is not None
    server.question = asked((11, 12, 13))
    before = len(server.requests)
    assert client.answer("audit").answer.busy_friends == 1 + 5
    assert [each.method for each in server.requests[before:]] == ["PUT"]


def test_a_second_question_is_never_answered(tmp_path: Path, server: FailingCollector) -> None:
    client = member(tmp_path, server, 2, 5)
    server.question = asked((11,))
    first = client.answer("audit")
    for place in range(10, 20):
        server.question, server.changes["answered"] = asked((place,)), []
        client.answer("audit")
    assert set(server.answers) == {first.body}
    assert len(server.answers) == 11


def test_an_old_copy_of_the_report_does_not_answer_again(tmp_path: Path, server: FailingCollector) -> None:
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
    client, server.question = Client(tmp_path / "home", tick=0.0, pauses=(), timeout=5.0), asked((11,))
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


@pytest.mark.parametrize("took", [0.0103, 0.0112, 0.7, 3.2])
def test_an_answer_leaves_on_a_tick_however_long_its_count_took(
    tmp_path: Path, server: FailingCollector, monkeypatch: pytest.MonkeyPatch, took: float
) -> None:
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
    real = answering.send

    def send(member: Membership, ledger: Ledger, drawn: Drawn, sender: Sender, **options: Any) -> Any:
        friends, noise = drawn.friends, 4 - len({*drawn.friends} & {12})
        question = Question.decode(sender.question(1), n=member.published.n)
        again = hubs.answer(question, friends, member.published.user, noise).encode()
        return real(member, ledger, replace(drawn, answer=again), sender, **options)

    patch.setattr(answering, "send", send)


def stop_where_nobody_is_busy(patch: pytest.MonkeyPatch) -> None:
    real = answering.counted

    def counted(member: Membership, drawn: Drawn) -> Any:
        if not answering._question(member, drawn).busy[list(drawn.friends)].any():
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
        Asking,
        questions,
        mishaps,
        published,
        st.sampled_from(["answer", "answer", "report"]),
        st.sampled_from([{}, {"resend": True}]),
    ),
    max_size=6,
)


@settings(max_examples=25, derandomize=True)
@given(script=later, pair=st.sampled_from(NEIGHBOURS), first=st.sampled_from(FIRST), hub=st.booleans())
def test_no_script_tells_neighbours_apart(
    running: FailingCollector, script: list[Asking], pair: Any, first: tuple[int, ...], hub: bool
) -> None:
    """The first question comes first, so that the noise makes both answers to it the same; then anything may follow."""
    moves = [Asking(command="report"), Asking("first", (503,)), *script]
    one, two = (recorded(running, friends, first, moves, hub=hub) for friends in pair)
    assert one == two


def test_the_moves_reach_what_they_are_for(running: FailingCollector) -> None:
    found: Any = recorded(running, FRIENDS, (12,), MOVES, hub=True)
    requests, spent = found
    assert spent == ONE
    assert sum("/question" in each.path for each in requests) == 2  # no question, and then the pinned one
    assert sum("/answers/" in each.path for each in requests) > 8

"""What leaves the device, compared for neighbouring lists, against collectors that lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphldp.audit.protocol import ROSTER, USER, FailingCollector, failing_collector
from graphldp.audit.traffic import MOVES, NEIGHBOURS, Move, recorded, renamed, same_traffic
from graphldp.client import drawing, protocol
from graphldp.client import friends as friends_room
from graphldp.client.keeping.ledger import Entry, Ledger
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent, Plan
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import ClientError, GraphLDPError
from graphldp.wire import Report

ONE = 10**6


@pytest.fixture(scope="module")
def server() -> Iterator[FailingCollector]:
    with failing_collector() as running:
        yield running


@pytest.fixture
def fresh(server: FailingCollector) -> FailingCollector:
    server.requests, server.bodies, server.mishaps, server.changes, server.epoch = [], [], [], {}, 1
    return server


def user(folder: Path, server: FailingCollector, numbers: Sequence[int]) -> tuple[Client, Path]:
    file = folder / "friends.txt"
    file.write_text("\n".join(ROSTER[number] for number in numbers))
    client = Client(folder / "home", tick=0.0, pauses=(), timeout=60.0)
    client.join(server.invitation, accept=ONE)
    return client, file


def tried(client: Client, **options: Any) -> Drawn | None:
    try:
        return client.report("audit", **options)
    except GraphLDPError:
        return None


@pytest.mark.attack("device")
def test_renaming_users_between_runs_reads_nothing(tmp_path: Path, fresh: FailingCollector) -> None:
    """Refuse the first report, rename one roster entry a run.

    The first report is refused. Then one name a run changes: a client that matched anew would stop for a friend.
    """
    friends = (3, 12, 17, 31)
    client, file = user(tmp_path, fresh, friends)
    fresh.mishaps = [422]
    tried(client, friends_file=file)
    read = set()
    for number in range(len(ROSTER)):
        fresh.changes, fresh.mishaps, before = renamed(number), [422], len(fresh.bodies)
        tried(client, friends_file=file)
        if len(fresh.bodies) == before:
            read.add(number)
    assert read == set()
    assert len(set(fresh.bodies)) == 1


@pytest.mark.attack("device")
def test_a_roster_with_one_name_reads_nothing_from_a_silence(tmp_path: Path, fresh: FailingCollector) -> None:
    """A roster with one real name, and a look whether silence follows.

    A roster of strangers but for one user: a client that would not report an empty list tells who is a friend.
    """
    requests = []
    for place, numbers in enumerate(((12,), (13,))):
        fresh.changes = {"roster": [ROSTER[12] if number == 12 else f"x{number}" for number in range(len(ROSTER))]}
        fresh.requests = []
        folder = tmp_path / str(place)
        folder.mkdir()
        client, file = user(folder, fresh, numbers)
        tried(client, friends_file=file)
        requests.append([(each.method, each.path) for each in fresh.requests])
    assert requests[0] == requests[1]
    assert requests[0][-1][0] == "PUT"


def test_the_first_request_after_joining_is_the_report(tmp_path: Path, fresh: FailingCollector) -> None:
    client, file = user(tmp_path, fresh, (1, 2))
    asked = []

    def approve(question: Consent) -> bool:
        asked.append(len(fresh.requests))
        return True

    client.report("audit", friends_file=file, approve=approve)
    assert asked == [1]
    assert [each.method for each in fresh.requests] == ["GET", "PUT"]


@pytest.mark.parametrize("answer", ["no", "interrupt"])
def test_who_says_no_has_sent_and_spent_nothing(tmp_path: Path, fresh: FailingCollector, answer: str) -> None:
    client, file = user(tmp_path, fresh, (1, 2))
    before = list(fresh.requests)

    def approve(question: Consent) -> bool:
        if answer == "interrupt":
            raise KeyboardInterrupt
        return False

    with pytest.raises((ClientError, KeyboardInterrupt)):
        client.report("audit", friends_file=file, approve=approve)
    assert fresh.requests == before
    assert client.status()[0].entries == []
    assert client.report("audit", friends_file=file).acknowledged


LeftAfter = Callable[..., float]
LATER = 17  # ticks, by chance


@pytest.fixture
def left_after(tmp_path: Path, fresh: FailingCollector, monkeypatch: pytest.MonkeyPatch) -> LeftAfter:
    """How long after its beginning a report leaves, by our own clock, where draw and roster take so many seconds."""

    def left(took: float, new_epoch: bool, numbers: tuple[int, ...], reading: float = 0.0) -> float:
        client, file = user(tmp_path, fresh, numbers)
        client._tick, fresh.epoch, now, real = 1.0, 1 + new_epoch, [100.25], sampler.draw
        real_below, read = Entropy.below, Membership.people

        def draw(*arguments: Any, **options: Any) -> Report:
            now[0] += took
            return real(*arguments, **options)

        def people(member: Membership) -> tuple[list[str], list[int] | None]:
            now[0] += reading
            return read(member)

        def sleep(seconds: float) -> None:
            now[0] += seconds

        monkeypatch.setattr(sampler, "draw", draw)
        monkeypatch.setattr(Membership, "people", people)
        monkeypatch.setattr(
            Entropy, "below", lambda _, bound: LATER if bound == protocol.LATEST else real_below(_, bound)
        )
        monkeypatch.setattr(protocol, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
        client.report("audit", friends_file=file, new_epoch=new_epoch)
        return now[0] - 100.25

    return left


@pytest.mark.attack("device")
@pytest.mark.parametrize("new_epoch", [False, True])
@pytest.mark.parametrize("took", [0.0103, 0.0112, 0.7, 3.2])
@pytest.mark.parametrize("numbers", [(), (1, 2)])
def test_a_report_leaves_on_a_tick_however_long_its_draw_took(
    left_after: LeftAfter, took: float, new_epoch: bool, numbers: tuple[int, ...]
) -> None:
    """The time between the question and the report."""
    assert left_after(took, new_epoch, numbers) == pytest.approx(int(took) + 1 + LATER)


@pytest.mark.attack("device")
@pytest.mark.parametrize("took", [0.01, 2.1, 3.7])
def test_a_tick_is_longer_in_a_community_of_many_users(
    left_after: LeftAfter, monkeypatch: pytest.MonkeyPatch, took: float
) -> None:
    """The time between the question and the report, with a roster of a million names after `--new-epoch`.

    Among a million users, one missing name costs seconds. None of them shows: the tick grows with n.
    """
    monkeypatch.setattr(protocol, "USERS_A_TICK", len(ROSTER) // 4)
    assert left_after(took, True, (1, 2)) == pytest.approx(5 + LATER)


@pytest.mark.attack("device")
@pytest.mark.parametrize("reading", [0.6, 16.3])
def test_a_roster_that_takes_long_to_check_takes_no_ticks(left_after: LeftAfter, reading: float) -> None:
    """Twenty thousand names of ligatures take sixteen seconds to check: in which tick a draw then ends is chance."""
    assert left_after(0.7, False, (1, 2), reading) == pytest.approx(reading + 1 + LATER)


@pytest.mark.parametrize("place", [0, 1])
def test_ctrl_c_at_either_question_of_a_new_epoch_loses_nothing(
    tmp_path: Path, fresh: FailingCollector, place: int
) -> None:
    client, file = user(tmp_path, fresh, (1, 2))
    first = client.report("audit", friends_file=file)
    fresh.epoch, asked = 2, []

    def approve(question: Consent) -> bool:
        asked.append(question)
        if len(asked) > place:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        client.report("audit", friends_file=file, new_epoch=True, approve=approve)
    assert fresh.bodies == [first.body]
    assert client.status()[0].spent == ONE
    client.report("audit", friends_file=file, new_epoch=True)
    assert len(fresh.bodies) == 2


@pytest.mark.attack("device")
def test_a_bad_file_ends_a_new_epoch_before_any_request(tmp_path: Path, fresh: FailingCollector) -> None:
    """A broken file in a new epoch."""
    client, file = user(tmp_path, fresh, (1, 2))
    fresh.epoch = 2
    file.write_bytes(b"\xff")
    assert tried(client, friends_file=file, new_epoch=True) is None
    assert tried(client, new_epoch=True) is None
    assert len(fresh.requests) == 1


@pytest.mark.attack("device")
def test_a_roster_that_no_list_can_be_matched_with_is_not_pinned(tmp_path: Path, fresh: FailingCollector) -> None:
    """A new epoch whose roster has one name twice, in upper and lower case."""
    client, file = user(tmp_path, fresh, (1, 2))
    fresh.mishaps = [422]
    tried(client, friends_file=file)
    fresh.epoch, fresh.changes = 2, {"roster": [*ROSTER[:-1], ROSTER[0].upper()]}
    assert tried(client, friends_file=file, new_epoch=True) is None
    assert client.report("audit").acknowledged  # the first epoch's report is where it was
    assert len(set(fresh.bodies)) == 1
    with pytest.raises(GraphLDPError, match="the same to every client"):
        Client(tmp_path / "other", pauses=()).join(fresh.invitation, accept=ONE)


@pytest.mark.attack("device")
def test_the_audit_holds() -> None:
    """Recognise a hub of `hub-lists` by her traffic, not by her report."""
    assert same_traffic().holds


def lists_kept(patch: pytest.MonkeyPatch) -> dict[Path, tuple[int, ...]]:
    """What a client would have that kept the list with the report: by its folder."""
    kept, real = {}, drawing.draw

    def draw(member: Membership, people: drawing.People, ledger: Ledger, names: list[str], *arguments: Any) -> Drawn:
        kept[member.folder] = numbers_of(names, people.roster)
        return real(member, people, ledger, names, *arguments)

    patch.setattr(drawing, "draw", draw)
    return kept


def numbers_of(names: list[str], roster: list[str]) -> tuple[int, ...]:
    return friends_room.match(names, friends_room.numbered(roster), USER).neighbours


def refuse_changed_lists(patch: pytest.MonkeyPatch) -> None:
    kept, real = lists_kept(patch), Client._send

    def send(self: Client, member: Membership, ledger: Ledger, entry: Entry, drawn: Drawn, **options: Any) -> Drawn:
        names = friends_room.read_names(self.home.parent / "friends.txt")
        if numbers_of(names, self._fetch(member.invitation).roster) != kept[member.folder]:
            raise ClientError("changed")
        return real(self, member, ledger, entry, drawn, **options)

    patch.setattr(Client, "_send", send)


def refuse_changed_lists_locally(patch: pytest.MonkeyPatch) -> None:
    kept, real = lists_kept(patch), Client._send

    def send(self: Client, member: Membership, ledger: Ledger, entry: Entry, drawn: Drawn, **options: Any) -> Drawn:
        names = friends_room.read_names(self.home.parent / "friends.txt")
        if numbers_of(names, member.people()[0]) != kept[member.folder]:
            raise ClientError("changed")
        return real(self, member, ledger, entry, drawn, **options)

    patch.setattr(Client, "_send", send)


def refuse_empty_lists(patch: pytest.MonkeyPatch) -> None:
    real = Plan

    def plan(*arguments: Any) -> Plan:
        made = real(*arguments)
        if not made.friends:
            raise ClientError("nobody matches")
        return made

    patch.setattr(drawing, "Plan", plan)


@pytest.mark.parametrize("mutant", [refuse_changed_lists, refuse_changed_lists_locally, refuse_empty_lists])
def test_the_audit_catches_clients_that_look_at_the_list(
    monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    mutant(monkeypatch)
    assert not same_traffic().holds


changes = st.one_of(
    st.just({}),
    st.builds(lambda numbers: renamed(*numbers), st.sets(st.integers(0, len(ROSTER) - 1), max_size=4)),
    st.builds(lambda epoch: {"epoch": epoch}, st.integers(1, 4)),
    st.sampled_from([{"held": []}, {"held": [1]}, {"n": 41}, {"n": 40}, {"user": 8}, {"user": USER}, {"roster": None}]),
)
mishaps = st.lists(st.sampled_from(["drop", "lost", 200, 201, 302, 401, 409, 410, 422, 429, 500, 503]), max_size=3)
runs = st.sampled_from([{}, {"resend": True}, {"new_epoch": True}, {"dry_run": True}])
moves = st.lists(
    st.builds(Move, changes, mishaps.map(tuple), runs, st.booleans(), st.sampled_from(["report", "withdraw"])),
    min_size=1,
    max_size=6,
)


@pytest.mark.attack("device")
@settings(max_examples=25, deadline=None, derandomize=True)
@given(script=moves, pair=st.sampled_from(NEIGHBOURS))
def test_no_script_tells_neighbours_apart(
    server: FailingCollector, script: list[Move], pair: tuple[Sequence[int], Sequence[int]]
) -> None:
    """Any script of refusals, cut connections, 429s, new epochs, false `held`, another n or slot. A collector that
    loses or refuses a withdrawal and denies what it holds.
    """
    first = recorded(server, pair[0], pair[0], script)
    assert recorded(server, pair[1], range(20, 30), script) == first


def test_the_moves_reach_what_they_are_for(server: FailingCollector) -> None:
    requests, spent = recorded(server, (10,), (11,), MOVES)
    assert spent == 3 * ONE
    assert {each.path.partition("?")[2] for each in requests} == {"", "epoch=1", "epoch=2", "epoch=3"}
    assert [each.path.partition("?")[2] for each in requests if each.method == "DELETE"] == ["epoch=2"] * 4
    assert sum(each.method == "PUT" for each in requests) > 15

"""The second round in the store, on both databases: frozen once, answered once by those who are asked, nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, event, text
from tests.collector.people import ALICE, HUB, HUB_CHOICES, LATE, QUIET, hub_report, open_bees, submission
from tests.collector.people import BEES as N
from tests.values import some

from graphldp import wire
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.mechanisms import HubCounts
from graphldp.mechanisms.hubs.hub_lists import hub_threshold
from graphldp.privacy.hubs import BUSY_FROM, HUB_TIMES, hub_from
from graphldp.wire import Answer, Question


def answer(store: Store, user: int, busy: int) -> bytes:
    return Answer(N, user, store.community("bees").question_digest or "", busy).encode()


def test_the_numbers_are_the_lab_s() -> None:
    lab = HubCounts(1.0)
    assert (lab.times, lab.busy) == (HUB_TIMES, BUSY_FROM)
    for n in (2, 50, 74, 75, 76, 77, 500, 3782):
        exact, found = float(hub_threshold(np.array([n]), HUB_TIMES)[0]), hub_from(n, HUB_TIMES)
        assert (found is not None) == (exact <= n - 1)
        for rough in range(math.floor(exact) - 1, math.ceil(exact) + 2):
            assert (found is not None and rough >= found) == (exact <= n - 1 and rough >= exact)


def test_who_is_busy_is_frozen_when_it_is_asked(store: Store) -> None:
    _, tokens = open_bees(store)
    assert store.community("bees").hub_from == hub_from(N, HUB_TIMES)
    question = store.second_round.ask("bees")
    assert isinstance(question, Question)
    assert np.flatnonzero(question.busy).tolist() == [HUB, QUIET, 20, 23, 24]
    bees = store.community("bees")
    assert (bees.question_digest, bees.busy_from) == (question.digest, BUSY_FROM)
    assert bees.asked_at is not None
    assert store.accept([submission(bees, LATE, tokens[LATE], hub_report(LATE, 88, asked=True), 88)]) == [Ruling.STORED]
    with pytest.raises(ParameterError, match="frozen"):
        store.second_round.ask("bees")
    assert store.second_round.question(bees, LATE) == question.encode()
    assert store.second_round.progress(bees) == (2, 0)


def test_only_those_who_are_asked_see_the_question(store: Store) -> None:
    bees, _ = open_bees(store)
    assert store.second_round.question(bees, HUB) is None
    question, bees = store.second_round.ask("bees"), store.community("bees")
    seen = [user for user in range(N) if store.second_round.question(bees, user) is not None]
    assert seen == [HUB]
    assert store.second_round.question(bees, HUB) == question.encode()


def test_an_answer_is_taken_once(store: Store) -> None:
    open_bees(store)
    accept = store.second_round.accept
    assert accept("bees", HUB, 1, b"").ruling is Ruling.UNASKED
    store.second_round.ask("bees")
    body, other = answer(store, HUB, 3), answer(store, HUB, 4)
    assert accept("bees", HUB, 2, body).ruling is Ruling.OUTDATED
    assert accept("bees", QUIET, 1, answer(store, QUIET, 3)).ruling is Ruling.UNASKED
    assert accept("bees", 50, 1, answer(store, 50, 3)).ruling is Ruling.UNASKED
    assert accept("bees", HUB, 1, body).ruling is Ruling.STORED
    assert accept("bees", HUB, None, body).ruling is Ruling.REPEATED
    assert accept("bees", HUB, 1, other).ruling is Ruling.TAKEN
    assert [each.count for each in store.second_round.answers(store.community("bees"))] == [3]
    assert store.holdings.epochs("bees", HUB, schema.answers) == [1]
    (held,) = store.holdings.of("bees")
    assert (held.asked, held.answered) == ([HUB], [HUB])


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"", "cut short"),
        (Answer(N, 20, "ab" * 32, 3).encode(), "another slot"),
        (Answer(N, HUB, "ab" * 32, 3).encode(), "another question"),
        (Answer(N + 1, HUB, "ab" * 32, 3).encode(), "not 90"),
    ],
)
def test_bad_answers_are_refused_with_a_reason(store: Store, body: bytes, wrong: str) -> None:
    open_bees(store)
    store.second_round.ask("bees")
    decided = store.second_round.accept("bees", HUB, 1, body)
    assert decided.ruling is Ruling.UNREADABLE
    assert wrong in (decided.wrong or "")


@pytest.mark.attack("storage")
def test_a_report_that_says_asked_below_the_threshold_is_refused(store: Store) -> None:
    """Claim to be asked below the threshold."""
    bees, _ = open_bees(store)
    assert wire.validate(bees, HUB, hub_report(HUB, 85, asked=True)).good
    assert not wire.validate(bees, HUB, hub_report(HUB, (bees.hub_from or 0) - 1, asked=True)).good


def test_a_new_epoch_has_not_asked(store: Store) -> None:
    open_bees(store)
    store.second_round.ask("bees")
    store.second_round.accept("bees", HUB, 1, answer(store, HUB, 3))
    new = store.open_epoch("bees")
    assert (new.hub_from, new.asked_at) == (hub_from(N, HUB_TIMES), None)
    assert (new.question_digest, new.busy_from) == (None, None)
    assert store.second_round.accept("bees", HUB, 1, b"").ruling is Ruling.OUTDATED
    assert [each.answered for each in store.holdings.of("bees")] == [[HUB], []]


def test_other_communities_are_asked_nothing(store: Store) -> None:
    store.open_community("cats", ["a", "b"], mechanism="hub-counts", choices=HUB_CHOICES)
    with pytest.raises(ParameterError, match="too small"):
        store.second_round.ask("cats")
    store.open_community("dogs", ["a", "b"], mechanism="noisy-degrees", choices=HUB_CHOICES)
    with pytest.raises(ParameterError, match="hub-counts"):
        store.second_round.ask("dogs")
    assert store.community("dogs").hub_from is None


def test_deleting_a_report_deletes_its_answer(store: Store) -> None:
    open_bees(store)
    store.second_round.ask("bees")
    store.second_round.accept("bees", HUB, 1, answer(store, HUB, 3))
    store.holdings.delete("bees", HUB)
    bees = store.community("bees")
    assert list(store.second_round.answers(bees)) == []
    assert store.second_round.accept("bees", HUB, 1, answer(store, HUB, 3)).ruling is Ruling.DELETED
    assert verify(store.engine).problems == []


def test_an_export_holds_both_rounds(store: Store) -> None:
    bees, _ = open_bees(store)
    before = export(store, [bees])
    assert not some(before.answers).busy.any()
    question = store.second_round.ask("bees")
    store.second_round.accept("bees", HUB, 1, answer(store, HUB, 3))
    found = export(store, [store.community("bees")])
    told = some(found.answers)
    assert np.flatnonzero(told.asked).tolist() == [HUB]
    assert isinstance(question, Question)
    assert np.array_equal(told.busy, question.busy)
    assert (told.busy_friends[HUB], told.quiet_friends[HUB]) == (3, 82)
    assert np.isnan(np.delete(told.busy_friends, HUB)).all()
    assert found.origin.name == "hub-counts"
    assert "busy" not in before.origin.parameters  # nobody was said to be busy by any number
    assert found.origin.parameters["busy"] == HubCounts(1.0).busy


def test_the_number_that_makes_a_user_busy_stays_with_the_question(store: Store) -> None:
    """As if another version had asked by 12: what it froze is what an export and the pages say of it."""
    open_bees(store)
    store.second_round.ask("bees")
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text("UPDATE communities SET busy_from = 12"))
    bees = store.community("bees")
    assert bees.busy_from == 12
    assert export(store, [bees]).origin.parameters["busy"] == 12.0
    other = replace(bees, busy_from=6)
    assert "busy" not in export(store, [bees, replace(other, key=-1)]).origin.parameters


def test_a_backup_holds_answers_and_a_restore_keeps_what_was_asked_and_deleted_since(
    store: Store, tmp_path: Path
) -> None:
    _, tokens = open_bees(store)
    early, late = tmp_path / "early.backup", tmp_path / "late.backup"
    back_up(store.engine, early)
    question = store.second_round.ask("bees")
    bees = store.community("bees")
    store.accept([submission(bees, LATE, tokens[LATE], hub_report(LATE, 88, asked=True), 88)])
    bodies = {user: answer(store, user, 3) for user in (HUB, LATE)}
    for user, body in bodies.items():
        store.second_round.accept("bees", user, 1, body)
    back_up(store.engine, late)
    store.holdings.delete("bees", LATE)
    for file, answered in ((late, [HUB]), (early, [])):
        with sound(file) as (backup, _):
            restore(backup, store.engine, ALICE)
        assert verify(store.engine).problems == []
        assert store.community("bees").question_digest == question.digest
        assert store.community("bees").busy_from == BUSY_FROM
        assert [each.user for each in store.second_round.answers(store.community("bees"))] == answered
    assert store.second_round.accept("bees", HUB, 1, bodies[HUB]).ruling is Ruling.STORED
    assert store.second_round.accept("bees", LATE, 1, bodies[LATE]).ruling is Ruling.DELETED


@pytest.mark.parametrize(
    ("change", "values", "said"),
    [
        ("UPDATE answers SET body = :x", {"x": b"nonsense"}, "slot 7: bytes that are no answer"),
        ('UPDATE answers SET "user" = 20', {}, "slot 20: an answer without a report that is asked"),
        ("UPDATE answers SET community = 0", {}, "1 answers belong to no community"),
        (
            "UPDATE communities SET question = :x",
            {"x": b"nonsense"},
            "the second question is not the one of its digest",
        ),
        ("UPDATE communities SET question = NULL", {}, "the second question is not the one of its digest"),
        ("UPDATE communities SET asked_at = NULL", {}, "the second question is not the one of its digest"),
        ("UPDATE communities SET busy_from = NULL", {}, "the second question is not the one of its digest"),
    ],
)
def test_every_kind_of_damage_is_found(store: Store, change: str, values: dict[str, object], said: str) -> None:
    open_bees(store)
    store.second_round.ask("bees")
    store.second_round.accept("bees", HUB, 1, answer(store, HUB, 3))
    found = verify(store.engine)
    assert (found.answers, found.problems) == (1, [])
    with transaction(store.engine, writes=True) as connection:
        connection.execute(text(change), values)
    assert said in "\n".join(verify(store.engine).problems)


def test_an_answer_goes_with_the_report_that_is_withdrawn(store: Store) -> None:
    bees, _ = open_bees(store)
    store.second_round.ask("bees")
    told = answer(store, HUB, 4)
    assert store.second_round.accept("bees", HUB, 1, told).ruling is Ruling.STORED
    store.holdings.withdraw("bees", HUB, 1)
    bees = store.community("bees")
    assert list(store.second_round.answers(bees)) == []
    assert store.second_round.progress(bees) == (0, 0)
    assert store.second_round.question(bees, HUB) is None
    assert store.second_round.accept("bees", HUB, 1, told).ruling is Ruling.DELETED
    assert some(export(store, [bees]).missing)[HUB]
    assert verify(store.engine).problems == []


@pytest.mark.attack("storage")
def test_answers_are_decided_together(store: Store) -> None:
    """Each answer of a batch took transactions of its own: 45 batches took a minute of processor time."""
    _, tokens = open_bees(store)
    bees = store.community("bees")
    store.accept([submission(bees, LATE, tokens[LATE], hub_report(LATE, 88, asked=True), 88)])
    store.second_round.ask("bees")
    bees, begun = store.community("bees"), list[object]()
    body, other = answer(store, HUB, 3), answer(store, HUB, 4)
    given = [(HUB, 1, body), (QUIET, 1, answer(store, QUIET, 3)), (HUB, 1, other), (HUB, 1, body), (HUB, 2, body)]
    given += [(50, 1, body), (LATE, 1, answer(store, LATE, 5))] + [(HUB, 1, body)] * 2000
    with listened(store.engine, begun):
        found = [each.ruling for each in store.second_round.accept_many("bees", given)]
        opened = store.invitations.holders(
            [(bees, tokens[HUB]), (bees, tokens[LATE] + "x"), (None, tokens[HUB]), (bees, "x")] * 500
        )
    assert len(begun) == 3  # the answers, the tokens, and the clock
    assert opened == [HUB, None, None, None] * 500
    first = [
        Ruling.STORED,
        Ruling.UNASKED,
        Ruling.TAKEN,
        Ruling.REPEATED,
        Ruling.OUTDATED,
        Ruling.UNASKED,
        Ruling.STORED,
    ]
    assert found == first + [Ruling.REPEATED] * 2000
    assert [each.count for each in store.second_round.answers(bees)] == [3, 5]


@contextmanager
def listened(engine: Engine, begun: list[object]) -> Iterator[None]:
    """Every transaction that begins, put down."""

    def note(connection: object) -> None:
        begun.append(connection)

    event.listen(engine, "begin", note)
    yield
    event.remove(engine, "begin", note)

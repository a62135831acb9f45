"""Reports go when the time is over that members were promised, and no sooner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update
from tests.collector.people import CHOICES, N, report, submission
from tests.collector.storage.test_clock import Machine

from graphldp.collector.intake import Ruling
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.results import Prediction, Run
from graphldp.collector.storage.retention import Retention
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

DAY, HOUR, YEAR = timedelta(days=1), timedelta(hours=1), timedelta(days=365)


def open_promised(store: Store, id: str, days: int | None, *, keeps_models: bool = True) -> dict[int, str]:
    names = [f"cat {user}" for user in range(N)]
    store.open_community(id, names, mechanism="dprr", choices=CHOICES, retention_days=days, keeps_models=keeps_models)
    return store.invite(id)


def held(store: Store, id: str) -> list[int]:
    return [each.user for each in store.stored(store.community(id))]


def test_reports_are_kept_for_as_long_as_was_promised(store: Store) -> None:
    machine = Machine(store)
    store.clock = machine.clock
    sweeper = Retention(store.engine, machine.clock)
    tokens = {id: open_promised(store, id, days) for id, days in (("week", 7), ("ever", None))}
    sweeper.sweep()
    for user in range(3):  # one a day
        for id in tokens:
            mine = submission(store.community(id), user, tokens[id][user], report(user))
            assert store.accept([mine]) == [Ruling.STORED]
        machine.run(DAY)
    store.results.set_flags(store.community("week").key, {0: "threshold", 2: "threshold"})
    for _ in range(4):
        machine.run(DAY)
        assert sweeper.sweep() == 0  # the seventh day is not over yet
    machine.run(DAY)
    assert (sweeper.sweep(), sweeper.sweep()) == (1, 0)
    assert (held(store, "week"), held(store, "ever")) == ([1, 2], [0, 1, 2])
    assert list(store.results.flags(store.community("week").key)) == [2]
    again = submission(store.community("week"), 0, tokens["week"][0], report(0))
    assert store.accept([again]) == [Ruling.DELETED]  # the slot stays taken
    assert store.holdings.erase()  # and its bytes leave the files like those of any deleted report


def test_a_clock_that_jumps_deletes_nothing(store: Store) -> None:
    machine = Machine(store)
    store.clock = machine.clock
    sweeper = Retention(store.engine, machine.clock)
    tokens = open_promised(store, "week", 7)
    sweeper.sweep()
    store.accept([submission(store.community("week"), 0, tokens[0], report(0))])
    machine.run(HOUR, YEAR)
    assert sweeper.sweep() == 0
    machine.run(HOUR, -2 * YEAR)  # a report that comes while the clock is wrong is not older for it
    store.accept([submission(store.community("week"), 1, tokens[1], report(1))])
    machine.run(HOUR, YEAR)
    assert sweeper.sweep() == 0
    assert held(store, "week") == [0, 1]
    for _ in range(7):
        machine.run(DAY)
        assert sweeper.sweep() == 0
    machine.run(DAY)
    assert sweeper.sweep() == 2


def test_a_report_that_came_while_the_clock_was_ahead_goes_in_time(store: Store) -> None:
    machine = Machine(store)
    store.clock = machine.clock
    sweeper = Retention(store.engine, machine.clock)
    tokens = open_promised(store, "week", 7)
    sweeper.sweep()
    machine.run(HOUR, YEAR)
    store.accept([submission(store.community("week"), 0, tokens[0], report(0))])
    machine.run(HOUR, -YEAR)
    for _ in range(8):
        machine.run(DAY)
        assert sweeper.sweep() == 0
    machine.run(DAY)
    assert sweeper.sweep() == 1


def test_a_report_that_comes_after_a_long_break_keeps_its_day(store: Store) -> None:
    machine = Machine(store)
    store.clock = machine.clock
    sweeper = Retention(store.engine, machine.clock)
    tokens = open_promised(store, "week", 7)
    sweeper.sweep()
    machine.run(timedelta(0), YEAR)  # the server was off
    store.accept([submission(store.community("week"), 0, tokens[0], report(0))])
    for _ in range(7):
        machine.run(DAY)
        assert sweeper.sweep() == 0
    machine.run(DAY)
    assert sweeper.sweep() == 1


@pytest.mark.parametrize("keeps", [True, False])
def test_models_go_where_that_was_promised(store: Store, keeps: bool) -> None:
    machine = Machine(store)
    machine.wall = datetime.now(UTC)
    store.clock = machine.clock
    sweeper = Retention(store.engine, machine.clock)
    tokens = open_promised(store, "week", 7, keeps_models=keeps)
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    mine = store.community("week")
    sweeper.sweep()
    store.accept([submission(mine, 0, tokens[0], report(0))])
    store.results.add_run(Run("both.npz", 2, 4, 4, None, {}, learned_from=[mine.key, other.key]))
    store.results.add_run(Run("other.npz", 1, 2, 2, None, {}, learned_from=[other.key]))
    store.results.set_predictions([Prediction(mine.key, 1, 0.9, 30, "other.npz")])
    store.results.set_predictions([Prediction(other.key, 1, 0.9, 30, "both.npz")])
    for _ in range(8):
        machine.run(DAY)
    assert sweeper.sweep() == 1
    assert store.results.withdrawn("both.npz") is not keeps
    assert not store.results.withdrawn("other.npz")
    assert (store.results.predictions() == {}) is not keeps


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_other_promises_are_refused(store: Store, days: int) -> None:
    with pytest.raises(ParameterError, match="'retention' parameter"):
        open_promised(store, "week", days)


@contextmanager
def later(store: Store, time: timedelta) -> Iterator[None]:
    """The same store, so much later or earlier by its machine's clock."""
    right = store.clock._wall
    store.clock._wall = lambda: right() + time
    yield
    store.clock._wall = right


def test_an_invitation_expires_unless_it_was_used(store: Store) -> None:
    open_promised(store, "cats", None)
    drawn = store.invitations.draw("cats", [0, 1])
    store.invitations.keep("cats", drawn, replace=True, days=3)
    cats = store.community("cats")
    assert store.accept([submission(cats, 0, drawn[0], report(0))]) == [Ruling.STORED]
    with later(store, 2 * DAY):
        assert [store.holder(cats, drawn[user]) for user in (0, 1)] == [0, 1]
    with later(store, 4 * DAY):
        assert [store.holder(cats, drawn[user]) for user in (0, 1)] == [0, None]
        mine = [submission(cats, user, drawn[user], report(user)) for user in (0, 1)]
        assert store.accept(mine) == [Ruling.REPEATED, Ruling.UNKNOWN]
        second = store.open_epoch("cats")  # who took part is not turned away from the next one
        mine = [submission(second, user, drawn[user], report(user)) for user in (0, 1)]
        assert store.accept(mine) == [Ruling.STORED, Ruling.UNKNOWN]
    with transaction(store.engine) as connection:
        query = select(schema.slots.c.user).where(schema.slots.c.expires_at.is_not(None)).distinct()
        assert set(connection.execute(query).scalars()) == {0, 1}  # of the first epoch, and hers who did not report


def test_what_expired_stays_so_when_the_clock_goes_back(store: Store) -> None:
    open_promised(store, "cats", None)
    drawn = store.invitations.draw("cats", [0])
    store.invitations.keep("cats", drawn, replace=True, days=3)
    with transaction(store.engine, writes=True) as connection:
        connection.execute(update(schema.slots).where(schema.slots.c.user == 0).values(expires_at=datetime.now(UTC)))
    store.clock.tick()
    with later(store, -YEAR):
        assert store.holder(store.community("cats"), drawn[0]) is None


@pytest.mark.parametrize("days", [0.0, -1.0, float("nan"), 1e6])
def test_a_lifetime_that_is_none_is_refused(store: Store, days: float) -> None:
    open_promised(store, "cats", None)
    drawn = store.invitations.draw("cats", [0])
    with pytest.raises(ParameterError, match="'expires' parameter of an invitation"):
        store.invitations.keep("cats", drawn, replace=True, days=days)

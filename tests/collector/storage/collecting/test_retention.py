"""Reports go when the time is over that members were promised, and no sooner."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, select, update
from tests.collector.people import CHOICES, N, report, submission
from tests.collector.storage.test_clock import Machine

from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.collecting.retention import Retention, swept_since
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

DAY, HOUR, YEAR = timedelta(days=1), timedelta(hours=1), timedelta(days=365)


def open_promised(store: Store, id: str, days: int | None, *, keeps_models: bool = True) -> dict[int, str]:
    names = [f"cat {user}" for user in range(N)]
    store.open_community(id, names, mechanism="dprr", choices=CHOICES, retention_days=days, keeps_models=keeps_models)
    return store.invite(id)


class Keeper:
    """A collector on a machine whose clock can be set. It has a community that keeps reports for a week."""

    def __init__(self, store: Store, *, keeps_models: bool = True) -> None:
        self.store, self.machine = store, Machine(store)
        self.machine.wall = datetime.now(UTC).replace(hour=12)  # the hours of a test do not pass midnight
        store.clock, store.retention = self.machine.clock, Retention(store.engine, self.machine.clock)
        self.tokens = {"week": open_promised(store, "week", 7, keeps_models=keeps_models)}
        self.sweep()

    @property
    def week(self) -> Community:
        return self.store.community("week")

    def sweep(self) -> int:
        return self.store.retention.sweep()

    def run(self, time: timedelta, jump: timedelta = timedelta(0)) -> None:
        self.machine.run(time, jump)

    def report(self, user: int, id: str = "week") -> Ruling:
        mine = submission(self.store.community(id), user, self.tokens[id][user], report(user))
        return self.store.accept([mine])[0]

    def kept_for(self, days: int) -> bool:
        """Whether nothing goes for so many days, one after the other."""
        swept = []
        for _ in range(days):
            self.run(DAY)
            swept.append(self.sweep())
        return not any(swept)

    def held(self, id: str = "week") -> list[int]:
        return [each.user for each in self.store.stored(self.store.community(id))]


def test_reports_are_kept_for_as_long_as_was_promised(store: Store) -> None:
    keeper = Keeper(store)
    keeper.tokens["ever"] = open_promised(store, "ever", None)
    for user in range(3):  # one a day
        assert {keeper.report(user, id) for id in keeper.tokens} == {Ruling.STORED}
        keeper.run(DAY)
    store.results.set_flags(keeper.week.key, {0: "threshold", 2: "threshold"})
    assert keeper.kept_for(4)  # the seventh day is not over yet
    keeper.run(DAY)
    assert (keeper.sweep(), keeper.sweep()) == (1, 0)
    assert (keeper.held(), keeper.held("ever")) == ([1, 2], [0, 1, 2])
    assert list(store.results.flags(keeper.week.key)) == [2]
    assert keeper.report(0) is Ruling.DELETED  # the slot stays taken
    assert store.holdings.erase()  # and its bytes leave the files like those of any deleted report


@pytest.mark.attack("storage")
def test_a_clock_that_jumps_deletes_nothing(store: Store) -> None:
    """Set the clock ahead, so that reports are deleted."""
    keeper = Keeper(store)
    keeper.report(0)
    keeper.run(HOUR, YEAR)
    assert keeper.sweep() == 0
    keeper.run(HOUR, -2 * YEAR)  # a report that comes while the clock is wrong is not older for it
    keeper.report(1)
    keeper.run(HOUR, YEAR)
    assert keeper.sweep() == 0
    assert keeper.held() == [0, 1]
    assert keeper.kept_for(7)
    keeper.run(DAY)
    assert keeper.sweep() == 2


@pytest.mark.attack("storage")
def test_a_report_that_came_while_the_clock_was_ahead_goes_in_time(store: Store) -> None:
    """Report while the server's clock is a year ahead."""
    keeper = Keeper(store)
    keeper.run(HOUR, YEAR)
    keeper.report(0)
    keeper.run(HOUR, -YEAR)
    assert keeper.kept_for(8)
    keeper.run(DAY)
    assert keeper.sweep() == 1


def test_a_report_that_comes_after_a_long_break_keeps_its_day(store: Store) -> None:
    keeper = Keeper(store)
    keeper.run(timedelta(0), YEAR)  # the server was off
    keeper.report(0)
    assert keeper.kept_for(7)
    keeper.run(DAY)
    assert keeper.sweep() == 1


@pytest.mark.parametrize("keeps", [True, False])
def test_models_go_where_that_was_promised(store: Store, keeps: bool) -> None:
    keeper = Keeper(store, keeps_models=keeps)
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    mine = keeper.week
    keeper.report(0)
    store.results.add_run(Run("both.npz", 2, 4, 4, None, {}, learned_from=[mine.key, other.key]))
    store.results.add_run(Run("other.npz", 1, 2, 2, None, {}, learned_from=[other.key]))
    store.results.set_predictions([Prediction(mine.key, 1, 0.9, 30, "other.npz")])
    store.results.set_predictions([Prediction(other.key, 1, 0.9, 30, "both.npz")])
    keeper.run(8 * DAY)
    keeper.run(DAY)
    assert keeper.sweep() == 1
    assert store.results.withdrawn("both.npz") is not keeps
    assert not store.results.withdrawn("other.npz")
    assert (store.results.predictions() == {}) is not keeps


@pytest.mark.attack("storage")
@pytest.mark.parametrize("keeps", [True, False])
def test_what_was_learned_while_reports_went_is_not_kept(store: Store, keeps: bool) -> None:
    """A training or a labelling that read reports before they were due, and ended after.

    A training and a labelling read, the reports go as promised, and then the two end.
    """
    keeper = Keeper(store, keeps_models=keeps)
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    keeper.report(0)
    keeper.report(1)
    keys = [keeper.week.key, other.key]
    run, given = (
        Run("both.npz", 2, 4, 4, None, {}, learned_from=keys),
        [Prediction(key, 1, 0.9, 30, "x") for key in keys],
    )
    keeper.run(8 * DAY)
    store.holdings.delete("week", 1)  # what its user or an operator deletes is in models that exist: they are told so
    before = store.retention.before(keys)
    assert keeper.sweep() == 1
    if keeps:
        store.results.add_run(run, before)
        assert store.results.set_predictions(given, before) == given
    else:
        with pytest.raises(ParameterError, match="Train again"):
            store.results.add_run(run, before)
        assert store.results.set_predictions(given, before) == given[1:]
    assert set(store.results.predictions()) == set(keys if keeps else keys[1:])
    assert len(store.results.runs()) == keeps
    store.results.add_run(run, store.retention.before(keys))  # what reads from now on is kept
    store.results.set_flags(keeper.week.key, {0: "threshold", 2: "threshold"})  # a test that read before the sweep
    assert list(store.results.flags(keeper.week.key)) == [2]


def test_no_label_is_kept_of_a_model_that_was_withdrawn_meanwhile(store: Store) -> None:
    keeper = Keeper(store, keeps_models=False)
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    keeper.report(0)
    store.results.add_run(Run("week.npz", 1, 2, 2, None, {}, learned_from=[keeper.week.key]))
    keeper.run(8 * DAY)
    before = store.retention.before([other.key])
    keeper.sweep()
    with pytest.raises(ParameterError, match="used no more"):
        store.results.set_predictions([Prediction(other.key, 1, 0.9, 30, "week.npz")], before)
    assert store.results.predictions() == {}


@pytest.mark.attack("storage")
def test_a_sweep_waits_for_what_is_being_kept_and_then_finds_it(store: Store) -> None:
    """A training or a labelling that read reports before they were due, and ended after."""
    keeper = Keeper(store, keeps_models=False)
    keeper.report(0)
    keeper.run(8 * DAY)
    run = Run("week.npz", 1, 2, 2, None, {}, learned_from=[keeper.week.key])
    before, sweeping = store.retention.before([keeper.week.key]), threading.Thread(target=keeper.sweep)
    with transaction(store.engine, writes=True) as connection:
        assert swept_since(connection, before) == set()
        sweeping.start()
        sweeping.join(0.3)  # long enough for one that does not wait
        row = {"model": run.model, "communities": 1, "users": 2, "reported": 2, "settings": {}}
        row |= {"learned_from": run.learned_from, "finished_at": keeper.machine.wall}
        connection.execute(insert(schema.runs).values(**row))
    sweeping.join()
    assert store.results.withdrawn("week.npz")


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


@pytest.mark.attack("storage")
def test_what_expired_stays_so_when_the_clock_goes_back(store: Store) -> None:
    """Set the clock back, so that an expired invitation opens again."""
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

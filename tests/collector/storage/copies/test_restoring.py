"""What members were promised outlives a restore, as far as the database knows of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select, update
from tests.collector.people import ALICE, BEES, CHOICES, HUB_CHOICES, open_bees, open_cats, report, submission
from tests.collector.storage.collecting.test_retention import DAY, Keeper, open_promised

from graphldp.collector.actions import administration
from graphldp.collector.roles import Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.columns import Moment
from graphldp.collector.storage.community_cache import CommunityCache
from graphldp.collector.storage.copies.backup import back_up, sound
from graphldp.collector.storage.copies.restoring import restore
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, StoreError
from graphldp.wire import Choice

pytestmark = pytest.mark.attack("storage")


class Kept:
    """A store with a backup of an earlier moment."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.file = store, folder / "a.backup"

    def back_up(self) -> None:
        back_up(self.store.engine, self.file)

    def restore(self) -> None:
        with sound(self.file) as (source, _):
            restore(source, self.store.engine, ALICE)
        assert verify(self.store.engine).problems == []


@pytest.fixture
def kept(store: Store, tmp_path: Path) -> Kept:
    return Kept(store, tmp_path)


@pytest.mark.parametrize("again", [False, True])
def test_a_withdrawal_outlives_a_restore_that_does_not_know_its_epoch(kept: Kept, again: bool) -> None:
    """Restore a backup from before an epoch, open the epoch again, and send a report that was withdrawn in it."""
    store = kept.store
    _, tokens = open_cats(store)
    kept.back_up()
    second = store.open_epoch("cats")
    both = [submission(second, user, tokens[user], report(user)) for user in (1, 2)]
    store.accept(both)
    store.holdings.withdraw("cats", 1)
    kept.restore()
    if again:  # a second restore knows what the first one did, and so does a backup from between the two
        kept.back_up()
        kept.restore()
    assert store.community("cats").epoch == 1
    second = store.open_epoch("cats")
    both = [submission(second, user, tokens[user], report(user)) for user in (1, 2)]
    assert store.accept(both) == [Ruling.DELETED, Ruling.STORED]
    assert verify(store.engine).problems == []
    with transaction(store.engine) as connection:
        assert connection.execute(select(schema.tombstones)).all() == []


@pytest.mark.parametrize("dealt", [False, True])
def test_a_withdrawal_from_an_epoch_that_a_restore_took_away_holds_when_it_opens_again(kept: Kept, dealt: bool) -> None:
    """Restore a backup from before an epoch, and withdraw from it: whoever carries the report brings it once it opens.

    The client names the latest epoch in which it drew. In a community with witnesses each epoch has other groups.
    """
    store, law = kept.store, "friend-counts" if dealt else "dprr"
    choices = [Choice("standard", 1.0, 0.0)] if dealt else CHOICES
    store.open_community("cats", [f"cat {user}" for user in range(50)], mechanism=law, choices=choices, dealt=dealt)
    store.holdings.withdraw("cats", 1, 3)
    store.holdings.withdraw("cats", 2, 1)
    store.holdings.withdraw("cats", 4, 1 << 30)  # a token's thief does not close the slot for good
    for epoch in range(2, 13):
        kept.back_up()
        kept.restore()
        store.open_epoch("cats")
        assert store.holdings.of("cats")[-1].deleted == [1] * (epoch <= 3) + [4] * (epoch <= 11)


def test_a_withdrawal_holds_in_an_epoch_that_opens_again(kept: Kept) -> None:
    """Hold a report back over a new epoch, its withdrawal and a restore, and bring it in its own epoch."""
    store = kept.store
    cats, tokens = open_cats(store)
    kept.back_up()
    store.open_epoch("cats")
    store.holdings.withdraw("cats", 1)
    kept.restore()
    assert store.accept([submission(cats, 1, tokens[1], report(1))]) == [Ruling.DELETED]


def test_a_slot_of_another_roster_is_another_users(kept: Kept) -> None:
    """Restore a backup from before a community, and open it again: withdrawals hold for the same people alone."""
    store = kept.store
    kept.back_up()
    for id in ("cats", "dogs"):
        _, tokens = open_cats(store, id)
        store.holdings.withdraw(id, 1)
    kept.restore()
    cats, tokens = open_cats(store)
    assert store.accept([submission(cats, 1, tokens[1], report(1))]) == [Ruling.DELETED]
    dogs, tokens = open_cats(store, "dogs", n=51)
    assert store.accept([submission(dogs, 1, tokens[1], report(1, n=51))]) == [Ruling.STORED]


def test_who_came_in_their_place_takes_no_withdrawal_away(kept: Kept) -> None:
    """Restore a backup from before a community, open it with a roster mistyped, and restore the right one."""
    store = kept.store
    early, late = Kept(store, kept.file.parent), Kept(store, kept.file.parent / "late")
    late.file.parent.mkdir()
    early.back_up()
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 1, tokens[1], report(1))])
    late.back_up()
    store.holdings.withdraw("cats", 1)
    early.restore()
    open_cats(store, n=51)
    store.holdings.withdraw("cats", 1)
    early.restore()
    late.restore()
    assert (store.holdings.of("cats")[0].held, store.holdings.of("cats")[0].deleted) == ([], [1])


def test_a_backup_of_another_community_by_the_same_id_loses_no_report(kept: Kept, tmp_path: Path) -> None:
    """Restore another collector's backup: whoever withdrew or was asked here is not the user of that slot there."""
    other = Kept(Store.open(f"sqlite:///{tmp_path / 'other.db'}"), tmp_path)
    cats, tokens = open_cats(other.store, n=51)
    other.store.accept([submission(cats, 1, tokens[1], report(1, n=51))])
    bees = [f"other bee {user}" for user in range(BEES)]
    other.store.open_community("bees", bees, mechanism="hub-counts", choices=HUB_CHOICES)
    other.back_up()
    other.store.close()
    open_bees(kept.store)
    kept.store.second_round.ask("bees")
    open_cats(kept.store)
    kept.store.holdings.withdraw("cats", 1)
    kept.restore()
    assert kept.store.holdings.of("cats")[0].held == [1]
    assert kept.store.community("bees").asked_at is None


def test_flags_of_who_withdrew_stay_away(kept: Kept) -> None:
    """Restore a backup in which a user is flagged who has withdrawn since."""
    store = kept.store
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], report(user)) for user in (1, 2)])
    store.results.set_flags(cats.key, {1: "threshold", 2: "threshold"})
    kept.back_up()
    store.holdings.withdraw("cats", 1)
    kept.restore()
    assert list(store.results.flags(cats.key)) == [2]


@pytest.mark.parametrize("keeps", [True, False])
def test_models_and_labels_that_went_with_reports_stay_away(store: Store, tmp_path: Path, keeps: bool) -> None:
    """Restore a backup with a model and labels that were withdrawn since, as members were promised."""
    keeper, kept = Keeper(store, keeps_models=keeps), Kept(store, tmp_path)
    keeper.report(0)
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    mine = keeper.week
    store.results.add_run(Run("both.npz", 2, 4, 4, None, {}, learned_from=[mine.key, other.key]))
    store.results.add_run(Run("other.npz", 1, 2, 2, None, {}, learned_from=[other.key]))
    store.results.set_predictions([Prediction(mine.key, 1, 0.9, 30, "other.npz")])
    store.results.set_predictions([Prediction(other.key, 1, 0.9, 30, "both.npz")])
    kept.back_up()
    store.results.add_run(Run("later.npz", 1, 2, 2, None, {}, learned_from=[mine.key]))
    keeper.run(9 * DAY)
    keeper.run(2 * DAY)
    assert keeper.sweep() == 1
    assert store.results.withdrawn("both.npz") is not keeps
    kept.restore()
    withdrawn = {name: store.results.withdrawn(name) for name in ("both.npz", "other.npz", "later.npz")}
    assert withdrawn == {"both.npz": not keeps, "other.npz": False, "later.npz": not keeps}
    assert (store.results.predictions() == {}) is not keeps
    assert [each.model for each in store.results.runs()] == ["later.npz", "other.npz", "both.npz"]
    assert keeper.report(0) is Ruling.DELETED


def test_a_model_is_withdrawn_later_too_when_the_restore_does_not_know_it(store: Store, tmp_path: Path) -> None:
    """Train, restore a backup from before the training, and wait until the reports that it learned from are due."""
    keeper, kept = Keeper(store, keeps_models=False), Kept(store, tmp_path)
    keeper.report(0)
    kept.back_up()
    store.results.add_run(Run("later.npz", 1, 2, 2, None, {}, learned_from=[keeper.week.key]))
    kept.restore()
    assert not store.results.withdrawn("later.npz")
    keeper.run(9 * DAY)
    keeper.run(2 * DAY)
    assert keeper.sweep() == 1
    assert store.results.withdrawn("later.npz")


def test_a_promise_that_a_restore_forgets_is_kept_at_once(kept: Kept) -> None:
    """Restore a backup from before a community that promised to drop models: nobody would drop them later."""
    store = kept.store
    kept.back_up()
    open_promised(store, "week", 7, keeps_models=False)
    store.results.add_run(Run("week.npz", 1, 2, 2, None, {}, learned_from=[store.community("week").key]))
    kept.restore()
    assert store.results.withdrawn("week.npz")


@pytest.mark.parametrize("keeps", [True, False])
def test_a_deleted_community_takes_its_models_along(store: Store, keeps: bool) -> None:
    """Delete a community that promised to drop models, while another training of it is under way."""
    other = store.open_community("ever", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    open_promised(store, "week", 7, keeps_models=keeps)
    key = store.community("week").key
    run = Run("both.npz", 2, 4, 4, None, {}, learned_from=[key, other.key])
    store.results.add_run(run)
    store.results.set_predictions([Prediction(other.key, 1, 0.9, 30, "both.npz")])
    before = store.retention.before([key, other.key])
    store.removals.delete("week")
    assert store.results.withdrawn("both.npz") is not keeps
    assert (store.results.predictions() == {}) is not keeps
    if keeps:
        store.results.add_run(run, before)
        return
    with pytest.raises(ParameterError, match="Train again"):
        store.results.add_run(run, before)
    label = Prediction(other.key, 1, 0.9, 30, "new.npz")
    assert store.results.set_predictions([label], before) == [label]


def test_what_was_learned_before_a_restore_is_not_kept_after_it(kept: Kept) -> None:
    """Restore a backup while a training and a labelling are under way."""
    store = kept.store
    cats, _ = open_cats(store)
    kept.back_up()
    before = store.retention.before([cats.key])
    kept.restore()
    with pytest.raises(ParameterError, match="restored meanwhile"):
        store.results.add_run(Run("a.npz", 1, 2, 2, None, {}, learned_from=[cats.key]), before)
    with pytest.raises(ParameterError, match="restored meanwhile"):
        store.results.set_predictions([Prediction(cats.key, 1, 0.9, 30, "a.npz")], before)
    assert (store.results.runs(), store.results.predictions()) == ([], {})


def test_no_number_is_given_twice_after_a_restore(kept: Kept) -> None:
    """Restore a backup under a server that still knows a community by its key, and open another one."""
    store = kept.store
    kept.back_up()
    mice = store.open_community("mice", ["a", "b"], mechanism="dprr", choices=CHOICES)
    cache = CommunityCache(store)
    cache.read("mice")
    assert b'["a", "b"]' in asyncio.run(cache.published(mice, 0))[1]
    store.results.add_run(Run("a.npz", 1, 2, 2, None, {}))
    job = store.jobs.add("train", {}, "alice")  # whose model has its number in its name
    kept.restore()
    dogs = store.open_community("dogs", ["rex", "fido"], mechanism="dprr", choices=CHOICES)
    assert dogs.key > mice.key
    store.results.add_run(Run("b.npz", 1, 2, 2, None, {}))
    assert len({each.key for each in store.results.runs()}) == 2
    assert store.jobs.add("train", {}, "alice").key > job.key
    twin = update(schema.communities).values(key=mice.key)
    with transaction(store.engine, writes=True) as connection:  # as in a database that was made by hand
        connection.execute(twin)
    assert b'["rex", "fido"]' in asyncio.run(cache.published(store.community("dogs"), 0))[1]


@pytest.fixture
def served(database: str) -> Iterator[Store]:
    """A server's store."""
    opened = Store.open(database, stays=True)
    opened.ping()
    yield opened
    opened.close()


def test_nothing_is_restored_under_a_server(kept: Kept, served: Store, database: str) -> None:
    """Restore while a server has the database open, and start a server while it is being restored."""
    open_cats(kept.store)
    kept.back_up()
    with pytest.raises(StoreError, match="Stop it first"):
        kept.restore()
    served.close()
    kept.restore()
    told: list[str] = []

    def start(*_: object) -> None:
        with pytest.raises(StoreError) as caught:
            Store.open(database, stays=True).ping()
        told.append(str(caught.value))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphldp.collector.storage.copies.restoring._read", start)
        with pytest.raises(AttributeError):  # and so the restore ends
            kept.restore()
    assert ["being restored" in each for each in told] == [True]


def test_a_backup_keeps_no_order_of_arrival(kept: Kept) -> None:
    """Read from a backup, or from SQLite's own file, in which order reports came and when they were withdrawn."""
    store, tables = kept.store, ("reports", "answers", "tombstones")
    cats, tokens = open_cats(store)
    for user in (3, 1, 2):
        store.accept([submission(cats, user, tokens[user], report(user))])
        store.holdings.withdraw("cats", user)
    store.holdings.erase()
    kept.back_up()
    files = [kept.file]
    if store.engine.dialect.name == "sqlite":
        files.append(Path(str(store.engine.url.database)))
    for file in files:
        with closing(sqlite3.connect(file)) as connection:
            for table in tables:
                with pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
                    connection.execute(f"SELECT rowid FROM {table}")
            assert [row[0] for row in connection.execute("SELECT user FROM reports")] == [1, 2, 3]
            days = connection.execute("SELECT received_on, deleted_on, erased_on FROM reports").fetchall()
            assert {len(each) for row in days for each in row} == {len("2026-01-01")}
    with transaction(store.engine) as connection:
        for table in tables:
            moments = [each.name for each in schema.metadata.tables[table].c if isinstance(each.type, Moment)]
            assert moments == []


def test_who_lost_her_access_does_not_come_back(kept: Kept) -> None:
    """Restore a backup from before a key was rotated, an operator removed and a group taken off the list."""
    store = kept.store
    stolen, gone = (administration.add(store, ALICE, name) for name in ("bob", "eve"))
    administration.allow(store, ALICE, "staff", "group", Role.OPERATOR)
    kept.back_up()
    kept.restore()  # knows all that the log does
    for key in (stolen, gone):
        assert store.operators.keyed(key) is not None
    own = administration.rotate(store, ALICE, "bob")
    administration.remove(store, ALICE, "eve")
    administration.disallow(store, ALICE, "staff", "group")
    kept.restore()
    found = [actor and actor.name for actor in map(store.operators.keyed, (own, stolen, gone))]
    assert found == ["bob", None, None]
    assert store.sign_ins.rules() == []

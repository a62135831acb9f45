"""Counts that are exact while counting is quick, and never kept waiting for where it is not."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from tests.collector.people import N, open_cats, report, submission

from graphldp.collector.storage.collecting.tally import Counts, Tally
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError


def _counted_anew() -> None:
    for thread in threading.enumerate():
        if thread.name == "graphldp-tally":
            thread.join()


def test_few_rows_are_counted_each_time(store: Store) -> None:
    cats, tokens = open_cats(store)
    assert store.tally.all() == {cats.key: (N, 0, 0)}
    store.accept([submission(cats, 4, tokens[4], report(4))])
    assert store.tally.all() == {cats.key: (N, 1, 0)}


def test_many_rows_are_counted_beside_whoever_asks(store: Store) -> None:
    cats, tokens = open_cats(store)
    now = [0.0]
    tally = Tally(store.engine, few=N - 1, clock=lambda: now[0])
    assert tally.all() is None  # not even the first waits for it
    _counted_anew()
    store.accept([submission(cats, 4, tokens[4], report(4))])
    now[0] = 29.0
    assert tally.all() == {cats.key: (N, 0, 0)}
    _counted_anew()
    now[0] = 30.0
    assert tally.all() == {cats.key: (N, 0, 0)}  # asked for, and shown to whoever asks next
    _counted_anew()
    assert tally.all() == {cats.key: (N, 1, 0)}


def test_a_count_that_fails_leaves_the_last_one_and_is_tried_again(store: Store) -> None:
    cats, _ = open_cats(store)
    tally = _Failing(store.engine, few=0, clock=lambda: 0.0)
    for _ in range(2):
        assert tally.all() is None
        _counted_anew()
    assert tally.tries == 2
    tally.fails = False
    tally.all()
    _counted_anew()
    assert tally.all() == {cats.key: (N, 0, 0)}


class _Failing(Tally):
    """One whose database takes too long to count."""

    fails, tries = True, 0

    def of(self, keys: Sequence[int] | None = None) -> Counts:
        self.tries += 1
        if self.fails:
            raise StoreError("The database cannot be used now.")
        return super().of(keys)


def test_some_communities_are_counted_alone(store: Store) -> None:
    cats, _ = open_cats(store)
    dogs, tokens = open_cats(store, "dogs")
    store.accept([submission(dogs, 4, tokens[4], report(4))])
    assert store.tally.of([dogs.key]) == {dogs.key: (N, 1, 0)}
    assert store.tally.of([]) == {}
    assert store.tally.of() == {cats.key: (N, 0, 0), dogs.key: (N, 1, 0)}

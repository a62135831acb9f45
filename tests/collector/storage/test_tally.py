"""Counts that are exact while counting is quick, and never kept waiting for where it is not."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.collector.people import N, open_cats, report, submission

from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.store import Store
from graphldp.collector.storage.tally import Tally


def _counted_anew() -> None:
    for thread in threading.enumerate():
        if thread.name == "graphldp-tally":
            thread.join()


def test_few_rows_are_counted_each_time(store: Store) -> None:
    cats, tokens = open_cats(store)
    assert store.progress() == {cats.key: (N, 0, 0)}
    store.accept([submission(cats, 4, tokens[4], report(4))])
    assert store.progress() == {cats.key: (N, 1, 0)}


def test_many_rows_are_counted_beside_whoever_asks(store: Store) -> None:
    cats, tokens = open_cats(store)
    now = [0.0]
    tally = Tally(store.engine, few=N - 1, clock=lambda: now[0])
    before = tally.all()
    store.accept([submission(cats, 4, tokens[4], report(4))])
    now[0] = 29.0
    assert tally.all() == before == {cats.key: (N, 0, 0)}
    now[0] = 30.0
    assert tally.all() == before  # asked for, and shown to whoever asks next
    _counted_anew()
    assert tally.all() == {cats.key: (N, 1, 0)}


def test_a_database_that_is_away_leaves_the_last_count(store: Store, tmp_path: Path) -> None:
    cats, _ = open_cats(store)
    now = [0.0]
    tally = Tally(store.engine, few=0, clock=lambda: now[0])
    tally.all()
    tally.engine, now[0] = open_engine(f"sqlite:///{tmp_path}"), 30.0
    for _ in range(2):
        assert tally.all() == {cats.key: (N, 0, 0)}
        _counted_anew()
    tally.engine = store.engine
    tally.all()
    _counted_anew()
    assert tally.all() == {cats.key: (N, 0, 0)}


def test_some_communities_are_counted_alone(store: Store) -> None:
    cats, _ = open_cats(store)
    dogs, tokens = open_cats(store, "dogs")
    store.accept([submission(dogs, 4, tokens[4], report(4))])
    assert store.tally.of([dogs.key]) == {dogs.key: (N, 1, 0)}
    assert store.tally.of([]) == {}
    assert store.tally.of() == store.progress() == {cats.key: (N, 0, 0), dogs.key: (N, 1, 0)}

"""What a collector says of its communities is what ``gl.statistics`` says of the same reports."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from tests.collector.people import ANTS, N, open_ants, open_cats, report, submission

import graphldp as gl
from graphldp.collector import statistics as of_pages
from graphldp.collector.statistics import on_page, statistics_of
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

COUNTS = np.random.default_rng(5).integers(-3, 9, (39, 3)).tolist()


def test_counts_of_a_database_are_those_of_the_export(database: str) -> None:
    store = Store.open(database)
    ants = open_ants(store, COUNTS)
    found = statistics_of(store, [ants], 5)
    same = gl.statistics(export(store, [ants]), groups=sorted(ANTS), communities=["ants"], least=5)
    assert found.rows == same.rows
    assert found["mean degree"].assumed  # somebody is missing
    assert "40 of" in found["E–I index"].basis
    assert statistics_of(store, [ants], 0).rows == statistics_of(store, [ants], 1).rows  # as the setting allows
    store.close()


def test_two_communities_and_both_together(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    made = []
    for name in ("cats", "dogs"):
        one, tokens = open_cats(store, name)
        store.accept([submission(one, u, tokens[u], report(u, 4 + u % 3), 4 + u % 3) for u in range(N)])
        made.append(one)
    found = statistics_of(store, made, 5)
    assert {row.community for row in found} == {"all", "cats", "dogs"}
    ants = open_ants(store, COUNTS)
    with pytest.raises(ParameterError, match="different groups, or not at all"):
        statistics_of(store, [made[0], ants], 5)
    store.close()


@pytest.mark.attack("collector")
def test_no_group_or_bar_rests_on_few_reports(tmp_path: Path) -> None:
    """A community's page: a group of which four have reported, a bar of one, or a whole of four."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    ants = open_ants(store, COUNTS[:11])  # and one with a public list: four of each group
    found = statistics_of(store, [ants], 5)
    assert not any(row.of or row.to for row in found)
    assert "fewer than 5" in found.notes[0]
    assert statistics_of(store, [ants], 4)["share inside", sorted(ANTS)[0]]
    with pytest.raises(ParameterError, match="13 users"):
        statistics_of(store, [ants], 13)
    cats, tokens = open_cats(store)
    told = [3] * 20 + [9] * 4 + [60]  # one hub, who must not be a bar
    store.accept([submission(cats, u, tokens[u], report(u, d), d) for u, d in enumerate(told)])
    ranges = [row.of for row in statistics_of(store, [cats], 5).about("share with degree")]
    held = [sum(_in(words, d) for d in told) for words in ranges[1:]]  # but the first, of who has none
    assert all(count >= 5 for count in held)
    store.close()


def _in(words: str, degree: int) -> bool:
    low, *rest = words.split(" ")
    return degree >= int(low) and (rest == ["or", "more"] or degree <= int(rest[1] if rest else low))


def test_a_page_need_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    ants = open_ants(store, COUNTS)
    assert on_page(store, ants, 40, 5).rows is not None
    monkeypatch.setattr(of_pages, "_WAIT_SECONDS", 0.0)
    others = threading.Event()
    of_pages._ONE.submit(others.wait)
    assert on_page(store, ants, 40, 5).instead == "This takes a while: graphldp collect statistics ants"
    others.set()
    assert "Fewer than 41" in on_page(store, ants, 40, 41).instead
    many = [f"user {number}" for number in range(5001)]
    large = store.open_community(
        "large", many, mechanism="friend-counts", choices=ants.choices, groups=["a", "b"] * 2500 + ["a"]
    )
    assert on_page(store, large, 40, 5).instead == "This takes a while: graphldp collect statistics large"
    store.close()

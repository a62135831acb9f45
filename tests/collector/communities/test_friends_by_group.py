"""Means of friend counts, and the picture of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collector.people import ANTS, open_ants, open_cats
from tests.values import some

from graphldp.collector.communities import friends_by_group as module
from graphldp.collector.communities.friends_by_group import FriendsByGroup, GroupMean, friends_by_group
from graphldp.collector.dashboard.charts import NARROW, group_chart
from graphldp.collector.storage.store import Store

COUNTS = np.random.default_rng(5).integers(-3, 9, (39, 3))


def test_means_are_those_of_the_counts_and_margins_those_of_the_noise(database: str) -> None:
    epsilon = 0.7
    store = Store.open(database)
    found = some(friends_by_group(store, open_ants(store, COUNTS.tolist(), epsilon), 40))
    assert [each.name for each in found.groups] == sorted(ANTS)
    expected = (COUNTS.sum(axis=0) + [3 * (name == ANTS[0]) for name in sorted(ANTS)]) / 40  # and the public list
    assert [each.mean for each in found.groups] == pytest.approx(expected.tolist())
    chance = [math.exp(-epsilon * abs(k)) for k in range(-200, 201)]
    variance = sum(k * k * p for k, p in zip(range(-200, 201), chance, strict=True)) / sum(chance)
    assert [each.margin for each in found.groups] == pytest.approx([1.96 * math.sqrt(39 * variance) / 40] * 3)
    store.close()


def test_too_few_are_not_shown(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    ants, (cats, _) = open_ants(store, COUNTS.tolist()), open_cats(store)
    assert some(friends_by_group(store, ants, 40)).reports == 40
    assert friends_by_group(store, ants, 41) is None
    assert friends_by_group(store, cats, 0) is None
    store.close()


def test_of_many_some_are_read_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    ants = open_ants(store, COUNTS.tolist())
    monkeypatch.setattr(module, "MOST", 15)
    found = some(friends_by_group(store, ants, 14))
    assert found.reports == 14  # every third of forty
    assert [each.mean for each in found.groups] == pytest.approx(
        ((COUNTS[::3].sum(axis=0) + [3 * (name == ANTS[0]) for name in sorted(ANTS)]) / 14).tolist()
    )
    store.close()


MEANS = st.lists(st.floats(-3, 300), min_size=2, max_size=40)


@given(MEANS, st.floats(0, 5))
def test_groups_stand_in_the_picture_by_their_means(means: list[float], margin: float) -> None:
    groups = tuple(GroupMean(f"group number {place:,} of all", mean, margin) for place, mean in enumerate(means))
    made = some(group_chart(FriendsByGroup(groups, 100)))
    assert [dot.group.mean for dot in made.dots] == sorted(means, reverse=True)[:24]
    assert made.left_out == len(means) - len(made.dots)
    for dot in made.dots:
        assert -0.1 <= dot.left <= dot.x <= dot.right <= NARROW + 0.1
        assert 0 < dot.y < made.height
        assert len(dot.label) <= 40
    assert made.ticks[0][1] == "0"
    assert 2 <= len(made.ticks) <= 6
    assert all(-0.1 <= x <= NARROW + 0.1 for x, _ in made.ticks)
    assert group_chart(None) is None

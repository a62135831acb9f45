"""From reports that devices drew to the classes of single users."""

from __future__ import annotations

import numpy as np
import pytest
from tests.collector.counted import CLASSES, EDGES, EPSILON, GROUPS, KNOWN, NAMES, SILENT, UNKNOWN, N, fill

import graphldp as gl
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.errors import DataError, ParameterError
from graphldp.experiments.service.collected_users import classify_users


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('collected') / 'collector.db'}"
    fill(url)
    return url


def test_who_has_reported_is_labelled_by_her_friends(database: str) -> None:
    store = Store.open(database)
    made = classify_users(store, store.community("pages"), KNOWN)
    assert [each.user for each in made.users] == UNKNOWN
    assert all(each.name == f"user {each.user}" for each in made.users)
    right = np.mean([each.label == NAMES[CLASSES[each.user]] for each in made.users])
    by_group = np.mean([GROUPS[each.user] == CLASSES[each.user] for each in made.users])
    assert right > 0.9 > 0.85 > by_group
    assert made.accuracy > made.alone
    assert (made.reported, made.known) == (N - 2, len(KNOWN.keys() - {*SILENT}))
    low, high = made.interval
    assert low <= made.accuracy <= high
    assert all(0.5 <= each.confidence <= 1 for each in made.users)
    store.close()


def test_public_numbers_are_learned_from(database: str) -> None:
    """One of two numbers tells the class nine times in ten, whatever its scale; the other is the same for all."""
    store = Store.open(database)
    told = np.where(np.random.default_rng(0).random(N) < 0.9, CLASSES, 1 - CLASSES)
    numbers = np.stack((5000.0 + 300.0 * told, np.ones(N)), axis=1)
    made = classify_users(store, store.community("pages"), KNOWN, numbers=numbers)
    without = classify_users(store, store.community("pages"), KNOWN)
    assert made.alone > without.alone
    assert np.mean([each.label == NAMES[CLASSES[each.user]] for each in made.users]) > 0.95
    store.close()


def test_what_was_collected_is_what_the_lab_would_draw(database: str) -> None:
    """The same mechanism by name, the same law, the same groups: the classifier cannot tell which of the two it has."""
    store = Store.open(database)
    collected = export(store, [store.community("pages")]).induced()
    ends = np.argwhere(EDGES)
    graphs = gl.GraphSet.from_edges(ends[:, 0], ends[:, 1], np.array([N])).with_groups(GROUPS)
    recipe = gl.recommended(EPSILON, task="nodes")
    drawn = recipe.mechanism.randomize(graphs, rng=1)
    assert (collected.origin.name, collected.noise) == (drawn.origin.name, drawn.noise)
    assert collected.guarantee.edge_ldp == drawn.guarantee.edge_ldp == EPSILON
    assert collected.friend_counts is not None
    assert collected.friend_counts.shape == (N - 2, 2)
    store.close()


def test_too_little_is_not_learned_from(database: str) -> None:
    store = Store.open(database)
    pages = store.community("pages")
    with pytest.raises(ParameterError, match="Fewer than 500 users"):
        classify_users(store, pages, KNOWN, min_reports=500)
    with pytest.raises(ParameterError, match="The classes of 3 users who have reported are known"):
        classify_users(store, pages, dict(list(KNOWN.items())[:3]))
    with pytest.raises(DataError, match="two classes"):
        classify_users(store, pages, dict.fromkeys(KNOWN, "cats"))
    store.close()

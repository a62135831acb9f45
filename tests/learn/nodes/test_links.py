"""Friendships from lists: which pairs are looked at, and how likely they are."""

from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.nodes.links import link_graph

from .conftest import Town


def blind(town: Town) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.full((town.graphs.num_users, 3), 1 / 3)


def test_weights_are_probabilities(town: Town) -> None:
    """Of pairs whose weight is about p a share p are friends: calibrated within four standard errors; seeded."""
    knowing = np.where(np.eye(3)[town.classes] > 0, 0.8, 0.1)
    true = town.graphs.to_scipy()[0]
    for epsilon in (2.0, 3.0):
        graph = link_graph(gl.RR(epsilon).randomize(town.graphs, rng=1), knowing, 0).tocoo()
        friends = np.asarray(true[graph.coords[0], graph.coords[1]]).ravel() > 0
        assert 0 < graph.data.min() <= graph.data.max() <= 1
        off = friends.mean() - graph.data.mean()
        assert abs(off) < 4 * np.sqrt(graph.data.mean() / len(friends) * 2)
        assert graph.data[friends].mean() > graph.data[~friends].mean() + 0.1


def test_dprrs_weights_are_probabilities_too(town: Town) -> None:
    """Its lists are sampled, so all pairs that anybody names are looked at; calibrated as above, seeded."""
    knowing = np.where(np.eye(3)[town.classes] > 0, 0.8, 0.1)
    true = town.graphs.to_scipy()[0]
    for epsilon in (2.0, 4.0):
        reports = gl.DPRR(epsilon).randomize(town.graphs, rng=1)
        graph = link_graph(reports, knowing, 0).tocoo()
        friends = np.asarray(true[graph.coords[0], graph.coords[1]]).ravel() > 0
        off = friends.mean() - graph.data.mean()
        assert abs(off) < 4 * np.sqrt(graph.data.mean() / len(friends) * 2)
        owner = np.repeat(np.arange(600), reports.degrees)
        named = np.zeros((600, 600), np.bool_)
        named[owner, reports.indices] = True
        assert np.array_equal(graph.toarray() > 0, named | named.T)
        both = (named & named.T)[graph.coords[0], graph.coords[1]]
        assert graph.data[both].mean() > graph.data[~both].mean() + 0.2


def test_where_lists_are_noise_the_likeliest_pairs_are_kept(town: Town) -> None:
    """At ε = 0.5 some 26,000 pairs name each other; 32 for each user stay, those whose classes agree before others."""
    reports = gl.RR(0.5).randomize(town.graphs, rng=0)
    graph = link_graph(reports, np.eye(3)[town.classes], 0).tocoo()
    assert graph.nnz == 2 * 32 * 600
    named = np.zeros((600, 600), np.bool_)
    named[np.repeat(np.arange(600), reports.degrees), reports.indices] = True
    alike = town.classes[:, None] == town.classes
    assert np.array_equal((graph.toarray() > 0) & alike, named & named.T & alike)


def test_public_lists_are_taken_as_they_are(town: Town) -> None:
    whole = link_graph(gl.NonPrivFull().randomize(town.graphs, rng=0), blind(town), 0)
    assert np.array_equal(whole.toarray(), town.graphs.to_scipy()[0].toarray())
    epsilon = np.where(np.arange(town.graphs.num_users) < 300, np.inf, 3.0)
    mixed = link_graph(gl.RR(epsilon).randomize(town.graphs, rng=0), blind(town), 0)
    rows, exact = mixed[:300].toarray(), town.graphs.to_scipy()[0][:300].toarray()
    assert np.array_equal(rows, exact)


def test_nobody_named_is_no_friendship() -> None:
    alone = gl.GraphSet.from_edges([], [], [4])
    assert link_graph(gl.NonPrivFull().randomize(alone, rng=0), np.full((4, 2), 0.5), 0).nnz == 0


def test_a_pair_that_one_end_names_is_left_out(town: Town) -> None:
    reports = gl.RR(2.0).randomize(town.graphs, rng=0)
    named = np.zeros((600, 600), np.bool_)
    named[np.repeat(np.arange(600), reports.degrees), reports.indices] = True
    graph = link_graph(reports, blind(town), 0)
    assert np.array_equal(graph.toarray() > 0, named & named.T)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_gives_the_same_graph(town: Town, seed: int) -> None:
    reports = gl.RR(3.0).randomize(town.graphs, rng=0)
    one, two = (link_graph(reports, np.eye(3)[town.classes], seed) for _ in range(2))
    assert np.array_equal(one.toarray(), two.toarray())

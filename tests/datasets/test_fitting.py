"""Graphs drawn from reports fit what the reports say, cost nothing, and are whole."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from tests.values import wrong

import graphldp as gl
from graphldp.datasets.fitting import _discrete, _summing_to, _undone
from graphldp.datasets.rewiring import close, triangles, untangle
from graphldp.errors import DataError, ParameterError

GRAPH = gl.synthetic.communities(users=240, kinds=3, seed=1)
GRAPH = GRAPH.with_groups(GRAPH.node_labels)
EVERYTHING = np.full(240, np.inf)


def state(seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([seed], np.uint64)


def closed(net: Any) -> float:
    return float(np.trace(np.linalg.matrix_power(nx.to_numpy_array(net), 3))) / 6


def clique_of(parts: int) -> gl.GraphSet:
    """Groups of six who all know each other."""
    net = nx.disjoint_union_all([nx.complete_graph(6)] * parts)
    return gl.GraphSet.from_networkx([net])


def test_exact_counts_give_their_degrees_and_mixing() -> None:
    reports = gl.FriendCounts(EVERYTHING).randomize(GRAPH, rng=0)
    drawn = gl.synthesize(reports, rng=1)
    assert sorted(drawn.degrees) == pytest.approx(sorted(GRAPH.degrees), abs=2)
    rows = {row.row: row for row in gl.synthetic.distances(drawn, reports)}
    assert rows["friendships"].drawn == pytest.approx(rows["friendships"].estimate, rel=0.01)
    for name in ("friendships between 0 and 0", "friendships between 0 and 1", "friendships between 2 and 2"):
        assert rows[name].drawn == pytest.approx(rows[name].estimate, rel=0.05)
    assert drawn.groups is not None
    assert (drawn.groups == GRAPH.groups).all()
    shared = {*map(tuple, np.argwhere(nx.to_numpy_array(drawn.to_networkx()[0]) > 0))}
    true = {*map(tuple, np.argwhere(nx.to_numpy_array(GRAPH.to_networkx()[0]) > 0))}
    assert len(shared & true) < 0.3 * len(true)  # who is whose friend was not copied


def test_distances_are_the_graphs_own_statistics() -> None:
    """What the drawn graph is said to be is what networkx says of it."""
    surveys = [gl.FriendCounts(1.0).randomize(GRAPH, rng=0), gl.RR(2.0).randomize(GRAPH, rng=0)]
    surveys.append(gl.NoisyDegrees(1.0, noise="discrete").randomize(GRAPH, rng=0))
    drawn = gl.synthesize(surveys, rng=3)
    net = drawn.to_networkx()[0]
    groups = dict(enumerate(np.asarray(drawn.groups).tolist()))
    nx.set_node_attributes(net, groups, "group")
    mixing = nx.attribute_mixing_matrix(net, "group", mapping={0: 0, 1: 1, 2: 2}, normalized=False)
    rows = {row.row: row for row in gl.synthetic.distances(drawn, surveys)}
    true = {
        "friendships": net.number_of_edges(),
        "density": nx.density(net),
        "share without a friend": len(list(nx.isolates(net))) / 240,
        "triangles": closed(net),
        "clustering": nx.transitivity(net),
        "2-stars": sum(d * (d - 1) / 2 for _, d in net.degree),
        "assortativity": nx.attribute_assortativity_coefficient(net, "group"),
        "E–I index": 1 - 2 * np.trace(mixing) / mixing.sum(),
        "friendships between 0 and 1": mixing[0, 1],
        "friendships between 1 and 1": mixing[1, 1] / 2,
        "share with degree 0": sum(d == 0 for _, d in net.degree) / 240,
    }
    assert {name: rows[name].drawn for name in true} == pytest.approx(true)
    bars = [row for name, row in rows.items() if name.startswith("share with degree")]
    assert sum(row.drawn for row in bars) == pytest.approx(1)
    assert rows["friendships"].inside == (rows["friendships"].low <= net.number_of_edges() <= rows["friendships"].high)


def test_clustering_is_raised_and_lowered_to_what_was_estimated() -> None:
    graph = clique_of(20)
    flat = gl.GraphSet.from_networkx([nx.random_regular_graph(6, 120, seed=0)])
    for one in (graph, flat):
        lists = gl.NonPrivFull().randomize(one, rng=0)
        drawn = gl.synthesize(lists, rng=2)
        wanted = nx.transitivity(one.to_networkx()[0])
        assert nx.transitivity(drawn.to_networkx()[0]) == pytest.approx(wanted, abs=0.1 if one is graph else 0.02)


def test_exchanges_keep_degrees_and_mixing() -> None:
    indptr, friends = GRAPH.indptr.astype(np.int64).copy(), GRAPH.indices.astype(np.int64).copy()
    group = np.asarray(GRAPH.groups)
    owner = np.repeat(np.arange(240), np.diff(indptr))
    before = np.bincount(group[owner] * 3 + group[friends], minlength=9)
    start = triangles(indptr, friends)
    assert start == closed(GRAPH.to_networkx()[0])
    more = close(indptr, friends, group, 2.0 * start, 100_000, state())
    assert (np.bincount(group[owner] * 3 + group[friends], minlength=9) == before).all()
    changed = gl.GraphSet.from_edges(owner, friends, [240])
    assert (changed.degrees == GRAPH.degrees).all()  # and no pair is there twice
    assert more == triangles(indptr, friends) == pytest.approx(2 * start, rel=0.02)
    assert close(indptr, friends, group, 0.5 * start, 100_000, state()) == pytest.approx(0.5 * start, rel=0.05)


def test_no_pair_is_there_twice_and_nobody_is_her_own_friend() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.integers(30, size=120), rng.integers(30, size=120)
    degrees = np.bincount(one, minlength=30) + np.bincount(two, minlength=30)
    right = untangle(one, two, np.array([0, 60, 120]), 30, 1000, state())
    pairs = {(min(pair), max(pair)) for pair in zip(one[right].tolist(), two[right].tolist(), strict=True)}
    assert len(pairs) == right.sum() > 115
    assert all(a != b for a, b in pairs)
    assert (np.bincount(one, minlength=30) + np.bincount(two, minlength=30) == degrees).all()


def test_the_law_of_degrees_comes_out_of_their_noise() -> None:
    rng = np.random.default_rng(0)
    true = rng.choice([2, 20], size=4000)
    noise = _discrete(8.0)
    far = len(noise) // 2
    assert float(np.arange(-far, far + 1) ** 2 @ noise) == pytest.approx(8.0, rel=1e-3)
    assert float(noise.sum()) == pytest.approx(1.0)
    law = _undone(true + rng.choice(np.arange(-far, far + 1), size=4000, p=noise / noise.sum()), noise, 60)
    assert law[:8].sum() == pytest.approx(0.5, abs=0.03)
    assert law[8:14].sum() < 0.02
    assert _summing_to(np.array([0.0, 3.2, 9.0]), 4, rng).sum() == 4
    assert _summing_to(np.zeros(3), 100, rng).max() <= 2


def test_missing_users_and_many_communities() -> None:
    graphs = gl.synthetic.barabasi_albert(80, 3, 3, seed=0)
    reports = gl.NoisyDegrees(2.0, noise="discrete").randomize(graphs, rng=0)
    silent = np.random.default_rng(0).random(240) < 0.3
    drawn = gl.synthesize(reports.changed(missing=silent), rng=5)
    assert drawn.sizes.tolist() == [80, 80, 80]
    found = gl.statistics(reports.changed(missing=silent))
    for graph in range(3):
        want = next(row for row in found if row.community == str(graph) and row.name == "friendships")
        assert drawn[graph].num_entries / 2 == pytest.approx(want.value, rel=0.06)
    assert {row.community for row in gl.synthetic.distances(drawn, reports.changed(missing=silent))} == {"0", "1", "2"}


def test_missing_users_are_like_those_of_their_group() -> None:
    """Busy and quiet groups of which half is missing, and a second survey of which others are."""
    group = np.arange(240) // 120
    one, two = np.triu_indices(240, 1)
    chance = np.where(group[one] + group[two] == 0, 0.3, np.where(group[one] == group[two], 0.05, 0.02))
    some = np.random.default_rng(0).random(len(one)) < chance
    graph = gl.GraphSet.from_edges(one[some], two[some], [240]).with_groups(group)
    silent = np.arange(240) % 2 == 0
    counts = gl.FriendCounts(1.0).randomize(graph, rng=0)
    degrees = gl.NoisyDegrees(4.0, noise="discrete").randomize(graph, rng=0)
    half = counts.changed(missing=silent)
    other = degrees.changed(missing=~silent, noisy_degree=np.where(silent, np.asarray(degrees.noisy_degree), 0.0))
    for surveys in ([half], [half, other]):
        drawn = gl.synthesize(surveys, rng=1)
        for number in (0, 1):
            true = graph.degrees[group == number].mean()
            assert drawn.degrees[group == number].mean() == pytest.approx(true, rel=0.12)
    rows = gl.synthetic.distances(gl.synthesize(half, rng=1), half)
    assert all(row.inside for row in rows)


def test_the_same_seed_gives_the_same_graphs() -> None:
    reports = gl.FriendCounts(1.0).randomize(GRAPH, rng=0)
    one, two, other = (gl.synthesize(reports, rng=seed) for seed in (1, 1, 2))
    assert (one.indices == two.indices).all()
    assert one.num_entries != other.num_entries or (one.indices != other.indices).any()


def test_bad_input() -> None:
    reports = gl.FriendCounts(1.0).randomize(GRAPH, rng=0)
    with pytest.raises(ParameterError, match="'reports' parameter of synthesize"):
        gl.synthesize(**wrong({"reports": GRAPH}))
    with pytest.raises(ParameterError, match="'reports' parameter of synthesize"):
        gl.synthesize([])
    with pytest.raises(DataError, match="of the same users"):
        gl.synthesize([reports, gl.RR(1.0).randomize(clique_of(3), rng=0)])
    with pytest.raises(DataError, match="of the same communities"):
        gl.synthetic.distances(clique_of(3), reports)
    with pytest.raises(DataError, match="Statistics need"):
        gl.synthesize(gl.NoisyDegrees(1.0).randomize(gl.GraphSet.from_edges([0], [1], [3]), rng=0), rng=0)

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, TypeVar

import networkx as nx
import numpy as np
import pytest
from scipy import stats
from tests.values import some

import graphldp as gl
from graphldp.datasets import synthetic
from graphldp.errors import ParameterError

T = TypeVar("T", bound=Hashable)
FALSE_ALARM = 1e-6  # of each statistical test below, were its seed drawn anew


@pytest.fixture(scope="module")
def threads() -> gl.GraphSet:
    return gl.synthetic.threads(num_graphs=1000, seed=1)


def same(one: gl.GraphSet, two: gl.GraphSet) -> bool:
    return np.array_equal(one.indptr, two.indptr) and np.array_equal(one.indices, two.indices)


def test_threads_look_like_reddits(threads: gl.GraphSet) -> None:
    facts = threads.statistics()
    assert (facts["graphs"], facts["classes"]) == (1000, 2)
    assert 2.2 <= some(facts["degree_mean"]) <= 2.5
    assert 100 <= some(facts["nodes_mean"]) <= 160
    assert threads.sizes.min() >= 10
    assert facts["nodes_max"] == 1000
    assert some(facts["degree_max"]) > 100 * some(facts["degree_mean"])


def test_threads_are_connected_and_balanced(threads: gl.GraphSet) -> None:
    assert all(nx.is_connected(graph) for graph in threads[:50].to_networkx())
    assert threads.labels is not None
    assert np.bincount(threads.labels).tolist() == [500, 500]


def test_size_tells_little_and_degrees_tell_much_but_not_all(threads: gl.GraphSet) -> None:
    hub = np.maximum.reduceat(threads.degrees, threads.graph_ptr[:-1]) / threads.sizes

    def auc(score: np.ndarray) -> float:
        spokes, tree = score[threads.labels == 0], score[threads.labels == 1]
        return float(stats.mannwhitneyu(spokes, tree).statistic / (len(spokes) * len(tree)))

    assert 0.55 < auc(threads.sizes) < 0.75
    assert 0.85 < auc(hub) < 0.99


def test_threads_follow_their_seed() -> None:
    assert same(gl.synthetic.threads(20, seed=3), gl.synthetic.threads(20, seed=3))
    assert not same(gl.synthetic.threads(20, seed=3), gl.synthetic.threads(20, seed=4))
    assert gl.synthetic.threads().num_graphs == 300


@pytest.mark.parametrize(
    "changed", [{"num_graphs": 0}, {"num_graphs": 2.0}, {"num_graphs": True}, {"seed": -1}, {"seed": None}]
)
def test_threads_bad_arguments(changed: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{next(iter(changed))}' parameter of synthetic.threads must be a whole"):
        gl.synthetic.threads(**changed)


@pytest.mark.parametrize(("n", "m"), [(2, 1), (5, 4), (10, 1), (30, 7), (200, 5)])
def test_barabasi_albert_has_networkx_shape(n: int, m: int) -> None:
    graphs = gl.synthetic.barabasi_albert(n, m, num_graphs=3, seed=0)
    assert graphs.sizes.tolist() == [n] * 3
    for graph in graphs.to_networkx():
        assert graph.number_of_edges() == m * (n - m)
        assert all(sum(u < v for u in graph[v]) == m for v in range(m + 1, n))  # each newcomer chose m earlier nodes
        assert set(graph.subgraph(range(m + 1)).edges()) == {(0, v) for v in range(1, m + 1)}


def test_barabasi_albert_follows_its_seed() -> None:
    graphs = gl.synthetic.barabasi_albert(50, 2, num_graphs=5, seed=9)
    assert same(graphs, gl.synthetic.barabasi_albert(50, 2, num_graphs=5, seed=9))
    assert same(graphs[:2], gl.synthetic.barabasi_albert(50, 2, num_graphs=2, seed=9))
    assert not same(graphs[0], graphs[1])
    assert not same(graphs, gl.synthetic.barabasi_albert(50, 2, num_graphs=5, seed=10))


def test_barabasi_albert_exact_law_of_one_edge() -> None:
    # m = 1, n = 4: node 2 joins 0 or 1 evenly; its choice then has degree 2 of 4, the other two 1 each
    expected = {(a, b): (1 / 2) * (1 / 2 if b == a else 1 / 4) for a in (0, 1) for b in (0, 1, 2)}
    lists = gl.synthetic.barabasi_albert(4, 1, num_graphs=20_000, seed=0)
    seen = Counter((first_of(lists, g, 2), first_of(lists, g, 3)) for g in range(len(lists)))
    assert chi_square(seen, expected) > FALSE_ALARM


def test_barabasi_albert_exact_law_of_distinct_edges() -> None:
    # m = 2, n = 4: nodes 0, 1, 2 have degrees 2, 1, 1. {1, 2} needs 1/4 · 1/3 twice; the rest is even
    expected = {(0, 1): 5 / 12, (0, 2): 5 / 12, (1, 2): 1 / 6}
    lists = gl.synthetic.barabasi_albert(4, 2, num_graphs=20_000, seed=0)
    ends = lists.indptr[4::4]
    seen = Counter(tuple(lists.indices[end - 2 : end].tolist()) for end in ends)
    assert chi_square(seen, expected) > FALSE_ALARM


def test_barabasi_albert_agrees_with_networkx() -> None:
    n, m, count = 60, 3, 400
    ours = (gl.synthetic.barabasi_albert(n, m, count, seed=2).degrees.reshape(count, n) ** 2).sum(axis=1)
    theirs = [sum(d * d for _, d in nx.barabasi_albert_graph(n, m, seed=seed).degree()) for seed in range(count)]
    assert stats.ttest_ind(ours, theirs, equal_var=False).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("changed", "name"),
    [({"n": 1}, "n"), ({"m": 0}, "m"), ({"m": 5}, "m"), ({"num_graphs": 0}, "num_graphs"), ({"seed": -1}, "seed")],
)
def test_barabasi_albert_bad_arguments(changed: dict[str, int], name: str) -> None:
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of synthetic.barabasi_albert must be"):
        gl.synthetic.barabasi_albert(**{"n": 5, "m": 2, **changed})


def first_of(graphs: gl.GraphSet, graph: int, node: int) -> int:
    """The smallest neighbour: for m = 1 the one that a newcomer chose."""
    return int(graphs.indices[graphs.indptr[4 * graph + node]])


def chi_square(seen: Counter[T], expected: dict[T, float]) -> float:
    assert set(seen) == set(expected)
    total = sum(seen.values())
    return float(stats.chisquare([seen[k] for k in expected], [total * p for p in expected.values()]).pvalue)


def test_communities_have_kinds_words_and_friends_of_their_kind() -> None:
    graphs = gl.synthetic.communities(3000, kinds=5, seed=2)
    kinds, columns = some(graphs.node_labels), some(graphs.features)
    assert np.bincount(kinds).tolist() == [600] * 5
    assert 5.5 < graphs.num_entries / graphs.num_users < 6.2
    assert graphs.attributes is not None
    assert not graphs.attributes.private_columns()
    owner = np.repeat(np.arange(3000), graphs.degrees)
    alike = (kinds[owner] == kinds[graphs.indices]).mean()
    assert 0.65 < alike < 0.73  # 9 : 4 in expectation, .692
    own = np.array([columns[kinds == kind][:, kind * 30 : kind * 30 + 30].mean() for kind in range(5)])
    assert own == pytest.approx(0.12, abs=0.02)
    assert columns.mean() == pytest.approx((0.12 + 4 * 0.04) / 5, abs=0.01)


def test_embedded_sets_have_names() -> None:
    assert same(synthetic.embedded("synthetic:threads"), gl.synthetic.threads())
    assert same(synthetic.embedded("synthetic:communities"), gl.synthetic.communities())
    with pytest.raises(ParameterError, match="synthetic:threads or synthetic:communities"):
        synthetic.embedded("synthetic:other")


@pytest.mark.parametrize("given", [{"users": 1}, {"kinds": 1}, {"users": 3, "kinds": 4}, {"seed": -1}])
def test_communities_say_what_is_wrong(given: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=r"synthetic\.communities"):
        gl.synthetic.communities(**given)

"""Raw graphs: from edges, NetworkX and SciPy, and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError

from .mechanisms.strategies import graph_sets


def assert_same(one: gl.GraphSet, two: gl.GraphSet) -> None:
    for name in ("indptr", "indices", "graph_ptr", "directed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@settings(max_examples=40, deadline=None)
@given(graph_sets())
def test_there_and_back(graphs: gl.GraphSet) -> None:
    assert_same(gl.GraphSet.from_scipy(graphs.to_scipy(), directed=graphs.directed), graphs)
    if graphs.num_graphs:  # without graphs NetworkX cannot tell directed from undirected
        assert_same(gl.GraphSet.from_networkx(graphs.to_networkx()), graphs)


def test_edges_are_merged_and_mirrored() -> None:
    graphs = gl.GraphSet.from_edges([2, 1, 0, 4], [1, 2, 1, 3], [3, 2], [1, 0])
    assert graphs.indptr.tolist() == [0, 1, 3, 4, 5, 6]
    assert graphs.indices.tolist() == [1, 0, 2, 1, 1, 0]
    directed = gl.GraphSet.from_edges([2, 2, 0, 4], [1, 1, 1, 3], [3, 2], directed=True)
    assert directed.indices.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("source", "target", "sizes", "message"),
    [
        ([0], [5], [3, 2], "join users 0 to 4"),
        ([-1], [0], [3], "join users 0 to 2"),
        ([0], [3], [3, 2], "users of one graph"),
        ([1], [1], [3], "two different users"),
        ([0, 1], [1], [3], "flat and of one length"),
        ([[0]], [[1]], [3], "flat and of one length"),
        ([0.5], [1], [3], "source must hold whole numbers"),
        ([0], [1], [2.5], "sizes must hold whole numbers"),
        ([0], [1], [3, -1], "sizes must be flat and hold numbers ≥ 0"),
        ([0], [1], 3, "sizes must be flat"),
    ],
)
def test_edges_that_are_refused(source: Any, target: Any, sizes: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.GraphSet.from_edges(source, target, sizes)


@pytest.mark.parametrize("labels", [[0], [0, 1, 2], [0.5, 1.0], ["a", "b"], [[0, 1]]])
def test_labels_that_are_refused(labels: Any) -> None:
    with pytest.raises(DataError, match="labels must be 2 whole numbers"):
        gl.GraphSet.from_edges([], [], [1, 1], labels)


def test_labels_may_be_missing_and_set_later() -> None:
    graphs = gl.GraphSet.from_edges([], [], [1, 1])
    assert graphs.labels is None
    assert graphs.subset([0]).labels is None
    assert some(graphs.with_labels([3, 4]).labels).tolist() == [3, 4]
    assert some(gl.GraphSet.from_edges([], [], [], []).labels).tolist() == []


def test_an_undirected_set_is_symmetric() -> None:
    one_way = np.array([0, 1, 1]), np.array([1]), np.array([0, 2])
    with pytest.raises(DataError, match="every edge with both users"):
        gl.GraphSet(*one_way)
    with pytest.raises(DataError, match="every edge with both users"):
        gl.GraphSet(np.arange(5), np.array([1, 2, 3, 0]), np.array([0, 4]))  # a cycle: as many edges in as out
    assert gl.GraphSet(*one_way, directed=True).num_entries == 1


def test_networkx_nodes_keep_their_order_and_loops_go() -> None:
    graph = nx.Graph([("c", "a"), ("a", "b"), ("b", "b")])
    made = gl.GraphSet.from_networkx([graph, nx.empty_graph(2), nx.MultiGraph([(0, 1), (0, 1)])], [0, 1, 1])
    assert made.sizes.tolist() == [3, 2, 2]
    assert made.indices.tolist() == [1, 0, 2, 1, 1, 0]
    assert gl.GraphSet.from_networkx([]).num_graphs == 0
    with pytest.raises(DataError, match="all directed or all undirected"):
        gl.GraphSet.from_networkx([nx.Graph(), nx.DiGraph()])


def test_one_graph_is_no_list_of_graphs() -> None:
    message = "The 'graphs' parameter of GraphSet.from_networkx must be a list of graphs, also for a single one. Got "
    for value, kind in ((nx.path_graph(3), "Graph"), ([nx.path_graph(3), 7], "int"), (None, "NoneType")):
        with pytest.raises(ParameterError, match=f"{message}{kind} instead"):
            gl.GraphSet.from_networkx(wrong(value))
    with pytest.raises(ParameterError, match=r"'matrices' parameter of GraphSet.from_scipy .* Got csr_array instead"):
        gl.GraphSet.from_scipy(wrong(sparse.csr_array((2, 2))))
    assert gl.GraphSet.from_networkx(nx.path_graph(n) for n in (2, 3)).sizes.tolist() == [2, 3]


def test_scipy_matrices() -> None:
    matrix = sparse.csr_array(np.array([[3.0, -1.0], [2.0, 0.0]]))
    assert gl.GraphSet.from_scipy([matrix, sparse.eye_array(3)]).indices.tolist() == [1, 0]
    with pytest.raises(DataError, match=r"square. Got shape \(1, 2\)"):
        gl.GraphSet.from_scipy([sparse.csr_array((1, 2))])
    lonely = sparse.csr_array(np.array([[0, 1], [0, 0]]))
    with pytest.raises(DataError, match="every edge with both users"):
        gl.GraphSet.from_scipy([lonely])
    assert gl.GraphSet.from_scipy([lonely], directed=True).directed


def test_statistics() -> None:
    graphs = gl.GraphSet.from_edges([0, 0, 3], [1, 2, 4], [3, 2], [0, 1])
    expected = {"graphs": 2, "classes": 2, "users": 5, "edges": 3, "nodes_max": 3, "nodes_mean": 2.5}
    assert graphs.statistics() == expected | {"degree_max": 2, "degree_mean": 1.2}
    assert gl.GraphSet.from_edges([], [], []).statistics()["nodes_mean"] == 0.0

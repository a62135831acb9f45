"""Neighbour lists from and to SciPy and NetworkX; :mod:`graphldp.learn.pyg` does the same for PyTorch Geometric.

Raw graphs and reports are written alike, so the functions that write take either; :class:`graphldp.GraphSet` and
:class:`graphldp.Reports` offer them as methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.neighbour_lists.lists import NeighbourLists

if TYPE_CHECKING:
    import networkx as nx
    from scipy import sparse


def to_scipy(lists: NeighbourLists) -> list[sparse.csr_array[np.int8]]:
    """One sparse matrix per graph; row i is user i's list."""
    from scipy import sparse  # reports go to machines that train and have numpy and torch alone

    matrices = []
    for start, stop in zip(lists.graph_ptr[:-1], lists.graph_ptr[1:], strict=True):
        low, high = lists.indptr[start], lists.indptr[stop]
        content = (np.ones(high - low, np.int8), lists.indices[low:high], lists.indptr[start : stop + 1] - low)
        matrices.append(sparse.csr_array(content, shape=(stop - start, stop - start)))
    return matrices


def to_networkx(lists: NeighbourLists, *, directed: bool) -> list[nx.Graph[int]]:
    """One NetworkX graph per graph, with nodes 0 … n−1 and an edge from i to each j on i's list."""
    import networkx as nx

    made: list[nx.Graph[int]] = []
    for matrix, start in zip(to_scipy(lists), lists.graph_ptr[:-1].tolist(), strict=True):
        graph: nx.Graph[int] = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(matrix.shape[0]))
        graph.add_edges_from(zip(*(axis.tolist() for axis in matrix.nonzero()), strict=True))
        for node, attributes in graph.nodes(data=True):
            attributes.update(_columns(lists, start + node))
        made.append(graph)
    return made


def _columns(lists: NeighbourLists, user: int) -> dict[str, Any]:
    """What is known of a user, by the names that PyTorch Geometric has for it."""
    found: dict[str, Any] = {}
    if lists.features is not None:
        row = lists.features[[user]]
        found["x"] = (row if isinstance(row, np.ndarray) else row.toarray())[0].tolist()
    if lists.node_labels is not None and lists.node_labels[user] != NO_LABEL:
        found["y"] = int(lists.node_labels[user])
    if lists.groups is not None:
        found["group"] = int(lists.groups[user])
    return found


def networkx_edges(graphs: Sequence[nx.Graph[Any]]) -> tuple[list[int], list[int], list[int]]:
    """The edges of NetworkX graphs without self-loops, users numbered through all graphs, and the graphs' sizes."""
    source, target, offset = [], [], 0
    for graph in graphs:
        number = {node: offset + i for i, node in enumerate(graph)}
        pairs = [(number[a], number[b]) for a, b in graph.edges() if a != b]
        source += [a for a, _ in pairs]
        target += [b for _, b in pairs]
        offset += len(number)
    return source, target, [len(graph) for graph in graphs]


def scipy_edges(matrices: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """The same of sparse adjacency matrices; any non-zero off the diagonal is an edge."""
    from scipy import sparse

    parts = [sparse.coo_array(matrix) for matrix in matrices]
    for part in parts:
        if part.ndim != 2 or part.shape[0] != part.shape[1]:
            raise DataError(f"An adjacency matrix must be square. Got shape {part.shape} instead.")
    sizes = [int(part.shape[0]) for part in parts]
    ends: tuple[list[NDArray[np.int64]], ...] = ([np.zeros(0, np.int64)], [np.zeros(0, np.int64)])
    for part, start in zip(parts, np.cumsum([0, *sizes[:-1]]), strict=False):
        row, column = (np.asarray(each, dtype=np.int64) for each in part.coords)
        edge = (part.data != 0) & (row != column)
        ends[0].append(row[edge] + start)
        ends[1].append(column[edge] + start)
    return np.concatenate(ends[0]), np.concatenate(ends[1]), sizes


def node_column(graphs: Sequence[nx.Graph[Any]], name: str) -> NDArray[Any]:
    """One attribute of all nodes of some NetworkX graphs, in their order."""
    try:
        found = [attributes[name] for graph in graphs for _, attributes in graph.nodes(data=True)]
    except KeyError:
        raise DataError(f"Every node must have the attribute {name!r}.") from None
    try:
        return np.array(found)
    except ValueError:
        raise DataError(f"The attribute {name!r} must have the same length for every node.") from None

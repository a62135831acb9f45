"""Neighbour lists in the forms of SciPy and NetworkX; :mod:`graphldp.learn.pyg` writes those of PyTorch Geometric.

Raw graphs and reports are written alike, so the functions take either; :class:`graphldp.GraphSet` and
:class:`graphldp.Reports` offer them as methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphldp.neighbour_lists import NeighbourLists

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
    for matrix in to_scipy(lists):
        graph: nx.Graph[int] = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(matrix.shape[0]))
        graph.add_edges_from(zip(*(axis.tolist() for axis in matrix.nonzero()), strict=True))
        made.append(graph)
    return made

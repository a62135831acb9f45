"""The compiled loop behind :func:`graphldp.synthetic.barabasi_albert`."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def grow(n: int, m: int, streams: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Grow one graph per random stream.

    Args:
        n: nodes in each graph.
        m: edges that each new node brings.
        streams: the first state of each graph's random numbers (splitmix64).

    Shapes:
        Pointers (graphs · n + 1,) and sorted entries (graphs · 2m(n − m),), numbered from 0 in each graph.
    """
    edges = m * (n - m)
    indptr = np.zeros(len(streams) * n + 1, np.int64)
    indices = np.empty(len(streams) * 2 * edges, np.int32)
    urn = np.empty(2 * edges, np.int32)  # a node stands in it as often as it has edges
    drawn_for = np.empty(n, np.int32)
    late = np.empty(n, np.int64)
    early = np.empty(n, np.int64)
    for graph in range(len(streams)):
        state = streams[graph]
        drawn_for[:] = 0
        for node in range(m):  # the star; pairs (target, source) stand side by side from here on
            urn[2 * node] = 0
            urn[2 * node + 1] = node + 1
        filled = 2 * m
        for source in range(m + 1, n):
            full = filled
            while filled < full + 2 * m:
                state += np.uint64(0x9E3779B97F4A7C15)
                word = state
                word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                word ^= word >> np.uint64(31)
                # 64 bits modulo a length below 2³¹: off by less than 2⁻³³
                target = urn[np.int64(word % np.uint64(full))]
                if drawn_for[target] != source:
                    drawn_for[target] = source
                    urn[filled] = target
                    urn[filled + 1] = source
                    filled += 2
        # lists come out sorted without a sort: first every node's later neighbours, in order of arrival …
        first = graph * n
        late[:] = 0
        for k in range(0, 2 * edges, 2):
            late[urn[k]] += 1
        at = np.int64(graph * 2 * edges)
        for node in range(n):
            mine = m if node > m else min(node, 1)
            early[node] = at
            at += mine + late[node]
            late[node] = early[node] + mine
            indptr[first + node + 1] = at
        for k in range(0, 2 * edges, 2):
            indices[late[urn[k]]] = urn[k + 1]
            late[urn[k]] += 1
        # … then, node by node, each tells its later neighbours about itself
        for node in range(n):
            mine = m if node > m else min(node, 1)
            for k in range(indptr[first + node] + mine, indptr[first + node + 1]):
                indices[early[indices[k]]] = node
                early[indices[k]] += 1
    return indptr, indices

"""The β-model: a graph in which every edge is on its own, with the degrees that were asked for.

    Pr(a_ij = 1) = e^(β_i+β_j)/(1 + e^(β_i+β_j)),   Σ_j Pr(a_ij = 1) = d_i

β is the fixed point of β_i = log d_i − log Σ_{j≠i} 1/(e^(−β_j) + e^(β_i)) (Chatterjee, Diaconis & Sly 2011). Users
with the same degree have the same β, so a graph with K different degrees costs O(K²) an iteration, whatever n.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ITERATIONS = 200  # as Blink's authors; noisy degrees may have no fixed point, and then 200 steps are the answer
_ENOUGH = 1e-9
_AT_A_TIME = 1 << 18  # pairs of degrees


def beta_model(degree: Floats, graph_ptr: NDArray[np.int64]) -> Floats:
    """β of every user; 0 for somebody alone.

    Wanted degrees are brought to between 1 and n−2, since at 0 and n−1 β is infinite.
    """
    beta = np.zeros(len(degree))
    alike: dict[int, list[_Wanted]] = {}  # by how many degrees a graph has: these are solved together
    for start, stop in pairwise(graph_ptr.tolist()):
        n = stop - start
        if n > 1:
            middle = (n - 1) / 2  # all there is to choose for two users
            wanted = np.clip(degree[start:stop], min(1.0, middle), max(n - 2.0, middle))
            values, place, counts = np.unique(wanted, return_inverse=True, return_counts=True)
            alike.setdefault(len(values), []).append(
                _Wanted(slice(start, stop), values, counts.astype(np.float64), place)
            )
    for size, graphs in alike.items():
        step = max(_AT_A_TIME // size**2, 1)
        for some in (graphs[first : first + step] for first in range(0, len(graphs), step)):
            found = _fixed_points(np.stack([each.degrees for each in some]), np.stack([each.counts for each in some]))
            for each, own in zip(some, found, strict=True):
                beta[each.users] = own[each.place]
    return beta


class _Wanted(NamedTuple):
    """The degrees that one graph asks for, how many users want each, and which of them each user wants."""

    users: slice
    degrees: Floats
    counts: Floats
    place: NDArray[np.intp]


def _fixed_points(degree: Floats, counts: Floats) -> Floats:
    """β by degree for several graphs with as many degrees each, [graphs, degrees]. Who has settled is left alone."""
    beta, going = np.zeros(degree.shape), np.arange(len(degree))
    for _ in range(_ITERATIONS):
        up, down = np.exp(beta[going]), np.exp(-beta[going])
        pairs = (1.0 / (up[:, :, None] + down[:, None]) @ counts[going, :, None])[:, :, 0]
        after = np.log(degree[going]) - np.log(pairs - 1.0 / (up + down))  # nobody is her own friend
        moved = np.abs(after - beta[going]).max(axis=1)
        beta[going] = after
        going = going[~(moved < _ENOUGH)]
        if not len(going):
            break
    return beta

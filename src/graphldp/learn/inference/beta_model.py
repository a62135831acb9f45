"""The β-model: a graph in which every edge is on its own, with the degrees that were asked for.

    Pr(a_ij = 1) = e^(β_i+β_j)/(1 + e^(β_i+β_j)),   Σ_j Pr(a_ij = 1) = d_i

β is the fixed point of β_i = log d_i − log Σ_{j≠i} 1/(e^(−β_j) + e^(β_i)) (Chatterjee, Diaconis & Sly 2011). Users
with the same degree have the same β, so a graph with K different degrees costs O(K²) an iteration, whatever n.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ITERATIONS = 200  # as Blink's authors; noisy degrees may have no fixed point, and then 200 steps are the answer
_ENOUGH = 1e-9


def beta_model(degree: Floats, graph_ptr: NDArray[np.int64]) -> Floats:
    """β of every user.

    Args:
        degree: the wanted degree of each user; brought to between 1 and n−2, since at 0 and n−1 β is infinite.
        graph_ptr: where each graph's users begin.

    Returns:
        β, one per user; 0 for somebody alone.
    """
    beta = np.zeros(len(degree))
    for start, stop in pairwise(graph_ptr.tolist()):
        n = stop - start
        if n > 1:
            middle = (n - 1) / 2  # all there is to choose for two users
            wanted = np.clip(degree[start:stop], min(1.0, middle), max(n - 2.0, middle))
            values, place, counts = np.unique(wanted, return_inverse=True, return_counts=True)
            beta[start:stop] = _fixed_point(values, counts.astype(np.float64))[place]
    return beta


def _fixed_point(degree: Floats, counts: Floats) -> Floats:
    beta, wanted, table = np.zeros(len(degree)), np.log(degree), np.empty((len(degree), len(degree)))
    for _ in range(_ITERATIONS):
        up, down = np.exp(beta), np.exp(-beta)
        np.divide(1.0, np.add(up[:, None], down, out=table), out=table)
        pairs = table @ counts - 1.0 / (up + down)  # nobody is her own friend
        before, beta = beta, wanted - np.log(pairs)
        if np.abs(beta - before).max() < _ENOUGH:
            break
    return beta

"""Whether the degrees that users claim fit together: a hub of d friends needs d others who have a friend.

No single d* can be checked, but in every graph, for every set S of k users (Erdős & Gallai, 1960),

    Σ_S d  ≤  k(k − 1) + Σ_others min(d, k)

Both sides have unbiased estimates from d*. With discrete noise of decay r, min(d, k) is the mean of

    min(d*, k) + r/(1 − r)²·1[d* = k]

since the law's inverse is a second difference. With Laplace noise d itself is taken, which is no less than min(d, k).
What noise adds is bounded: the k largest noises of n by k(log(n/k) + 1)/ε₁, the sum over the others by its spread.
Where x users are set aside, or have not reported, each may be a friend of all of S, and the right side grows by k·x.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from graphldp.errors import DataError
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

MISFITS = 1e-3
"""The share of honest graphs whose claims do not fit, as the recommended defense has it and careful liars know it."""

_SETS = (1, 2, 3, 5, 8, 16, 32, 64, 128)  # k
_STEPS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)  # users set aside
_LARGEST = 40.0  # ε₁ above which there is no noise


def unsupported(reports: Reports, *, theta: float = 0.01) -> Counts:
    """How many of a graph's users with the largest d* must be set aside until the other claims fit together.

    Args:
        reports: with noisy degrees.
        theta: the share of honest graphs for which the answer is not 0, at most and about.

    Returns:
        [graphs]: 0 where everything fits.

    Example::

        forged = FakeHub(fraction=0.1).apply(reports, rng=7)
        unsupported(forged) > 0  # nearly everywhere
    """
    if reports.noisy_degree is None:
        raise DataError("Only noisy degrees show whether claims fit together. These reports hold none.")
    ranked = _Ranked(reports, norm.isf(theta / len(_SETS)))
    found = np.zeros(reports.num_graphs, np.int64)
    doubtful = ranked.excess(0, np.arange(reports.num_graphs)) > 0
    for aside in _STEPS[1:]:
        left = np.flatnonzero(doubtful)
        if not len(left):
            break
        found[left] = aside
        doubtful[left] = ranked.excess(aside, left) > 0
    return np.minimum(found, ranked.reported)


class _Ranked:
    """Each graph's d* in falling order, with sums over what comes after."""

    def __init__(self, reports: Reports, quantile: float) -> None:
        here = np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing
        graph, n = reports.graph_of_user[here], reports.sizes.astype(np.float64)
        degree = np.minimum(np.asarray(reports.noisy_degree)[here], n[graph] - 1)
        order = np.lexsort((-degree, graph))
        epsilon = np.minimum(reports.epsilon1[here][order], _LARGEST)
        degree, decay, whole = degree[order], np.exp(-epsilon), reports.noise == "discrete"
        variance = 2 * decay / (1 - decay) ** 2 if whole else 2 / epsilon**2
        self.reported = np.bincount(graph, minlength=reports.num_graphs)
        self._first = np.concatenate(([0], np.cumsum(self.reported)))
        self._away = n - self.reported
        self._spread = quantile * np.sqrt(np.bincount(graph, variance, reports.num_graphs))
        least = np.full(reports.num_graphs, _LARGEST)
        np.minimum.at(least, graph, epsilon)
        self._scale = 1 / least
        self._claimed = self._sums(degree)
        self._room = {k: self._sums(at_most(degree, decay, k)) if whole else self._claimed for k in _SETS}

    def _sums(self, values: Floats) -> Floats:
        """Of each graph 0, and then the sums of its first values: those of a graph do not depend on other graphs."""
        found = np.zeros(len(values) + len(self.reported))
        for graph, (start, end) in enumerate(pairwise(self._first.tolist())):
            np.cumsum(values[start:end], out=found[start + graph + 1 : end + graph + 1])
        return found

    def excess(self, aside: int, graphs: Counts) -> Floats:
        """By how much the claims of some k users are too large, for the worst k; below 0 where they fit."""
        worst = np.full(len(graphs), -np.inf)
        start, end = self._first[graphs] + graphs + aside, self._first[graphs + 1] + graphs
        m = self.reported[graphs]
        for k in _SETS:
            there = m >= aside + k
            at, after = np.where(there, start, 0), np.where(there, start + k, 0)
            claimed = self._claimed[after] - self._claimed[at]
            others = self._room[k][np.where(there, end, 0)] - self._room[k][after]
            noise = k * (np.log(np.maximum(m / k, 1.0)) + 1) * self._scale[graphs] + self._spread[graphs]
            room = k * (k - 1) + k * (aside + self._away[graphs]) + np.maximum(others, 0.0) + noise
            worst = np.maximum(worst, np.where(there, claimed - room, -np.inf))
        return worst


def at_most(degree: Floats, decay: Floats, k: int) -> Floats:
    """What has the mean min(d, k), for discrete noise.

    Args:
        degree: d*.
        decay: r = e^(−ε₁) of each.
        k: a whole number.
    """
    return np.asarray(np.minimum(degree, k) + decay / (1 - decay) ** 2 * (degree == k))

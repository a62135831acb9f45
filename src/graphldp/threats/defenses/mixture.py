"""How many of the users with lists of one length are malicious: an empirical-Bayes mixture, graph by graph.

In a cell (one graph, lists of about one length) h honest users are expected, by the population's law. If μ malicious
ones are there too, a user whose columns favour honesty by a factor r is malicious with probability μ/(μ + h·r). μ is
found by expectation–maximization with the scale-free prior 1/μ, which takes one user off the count:

    μ ← max(Σ_i μ/(μ + h·r_i) − 1, 0).

So one or two long lists where a fraction of one is expected are taken for hubs (the only fixed point is 0), and many
for what they are. No share β of malicious users is assumed, and one graph's verdict does not depend on another's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_ROUNDS = 40
_PRIOR = 1.0


def by_number(cell: NDArray[np.int64], expected: Floats) -> Floats:
    """The posterior probability that each user is malicious where all r are 1: the largest fixed point has a formula.

        μ = (k + √(k² − 4h))/2,   k = N − h − 1,   for N users in the cell; 0 where k < 2√h.

    Args:
        cell: which cell each user is in.
        expected: h of her cell.
    """
    excess = np.bincount(cell)[cell] - expected - 1.0
    inside = excess**2 - 4.0 * expected
    mu = np.where((excess > 0.0) & (inside >= 0.0), (excess + np.sqrt(np.maximum(inside, 0.0))) / 2.0, 0.0)
    return np.asarray(mu / (mu + expected))


def by_columns(cell: NDArray[np.int64], expected: Floats, log_ratio: Floats) -> Floats:
    """The posterior probability that each user is malicious.

    Args:
        cell: which cell each user is in.
        expected: h of her cell.
        log_ratio: log r, by how much her columns favour honesty.
    """
    weight = expected * np.exp(log_ratio)
    posterior = np.zeros(len(cell))
    count = np.bincount(cell).astype(np.float64)
    left = np.arange(len(cell))
    for _ in range(_ROUNDS):
        own = cell[left]
        mu = count[own]
        posterior[left] = mu / (mu + weight[left])
        count = np.maximum(np.bincount(own, posterior[left], len(count)) - _PRIOR, 0.0)
        gone = count[own] == 0.0  # for good: a cell without malicious users stays so
        posterior[left[gone]] = 0.0
        left = left[~gone]
    return posterior

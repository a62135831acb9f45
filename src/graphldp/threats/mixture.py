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


def malicious_probability(cell: NDArray[np.int64], expected: Floats, log_ratio: Floats) -> Floats:
    """The posterior probability that each user is malicious.

    Args:
        cell: which cell each user is in.
        expected: h of her cell.
        log_ratio: log r, by how much her columns favour honesty.
    """
    used, place = np.unique(cell, return_inverse=True)
    weight = expected * np.exp(log_ratio)
    count = np.bincount(place, minlength=len(used)).astype(np.float64)
    for _ in range(_ROUNDS):
        mu = count[place]
        posterior = mu / (mu + weight)
        count = np.maximum(np.bincount(place, posterior, len(used)) - _PRIOR, 0.0)
    return np.asarray(np.where(count[place] > 0, posterior, 0.0))

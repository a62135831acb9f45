"""Several opinions on each user's class, mixed: Pr(k) ∝ Π_v opinion_v(k)^(w_v), with w ≥ 0 fitted on labelled users.

An opinion that adds nothing to the others gets the exponent 0; one that is too sure of itself gets one below 1.
The exponents minimise the log loss of users on whom no opinion was fitted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

Floats = NDArray[np.float64]
_RIDGE = 1e-3  # keeps exponents finite where users are few
_LARGEST = 3.0


def log_shares(scores: Floats) -> Floats:
    """Log probabilities from scores of any scale, [users, classes]."""
    return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def exponents(opinions: Sequence[Floats], codes: NDArray[np.int64]) -> Floats:
    """The exponents w.

    Args:
        opinions: log probabilities of the same users, each [users, classes].
        codes: their classes.
    """
    stack, rows = np.stack(opinions), np.arange(len(codes))
    own = stack[:, rows, codes]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = np.tensordot(weights, stack, 1)
        total = logsumexp(scores, axis=1)
        chance = np.exp(scores - total[:, None])
        slope = (np.einsum("vuk,uk->vu", stack, chance) - own).mean(axis=1)
        return float((total - weights @ own).mean() + _RIDGE * weights @ weights), slope + 2 * _RIDGE * weights

    start = np.full(len(opinions), 0.5)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, _LARGEST)] * len(opinions))
    return np.asarray(found.x)


def mixed(opinions: Sequence[Floats], weights: Floats) -> Floats:
    """Log probabilities of all users."""
    return log_shares(np.tensordot(weights, np.stack(opinions), 1))

"""``allocation="utility"``: the paper's balance of variances, struck with the list's exact variance.

By the law of total variance (Section 4.5 of the paper) the length of DPRR's list has

    Var(d̃) ≈ 2/ε₁² + L,   L = d·pq(1−pq) + (n−1−d)(1−p)q(1−(1−p)q),   q = min(1, d/(d(2p−1) + (n−1)(1−p)))

at d* = d. The paper bounds L by (n−1)/4 and takes ε₁ ≥ √(8/(n−1)), so that the first term does not exceed the bound.
In a sparse graph L is about d, and the honest balance 2/ε₁² = L asks for an ε₁ near √(2/d). d is private; a public
guess of the mean degree takes its place. ``docs/mechanisms/budget.md`` has the derivation and a plot.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def public_mean_degree(n: int) -> float:
    """log(n − ½) + 0.5772 ≈ 1 + 1/2 + … + 1/(n−1), the mean under the public law Pr(D ≥ d) = 1/d, d = 1, …, n−1."""
    return math.log(n - 0.5) + float(np.euler_gamma) if n > 1 else 0.0


def list_variance(degree: float, n: int, epsilon2: NDArray[np.float64]) -> NDArray[np.float64]:
    """L, the variance of the length of DPRR's list given d* = d ≤ n − 1, exactly, for n ≥ 2."""
    odds = np.exp(-epsilon2)
    flip = odds / (1 + odds)
    expected = degree * (1 - 2 * flip) + (n - 1) * flip
    # expected vanishes where nothing is flipped and nobody is known: nothing is sent then, whatever q
    q = np.minimum(np.divide(degree, expected, out=np.zeros_like(expected), where=expected > 0), 1.0)
    keep, fake = (1 - flip) * q, flip * q
    return np.asarray(degree * keep * (1 - keep) + (n - 1 - degree) * fake * (1 - fake))


def balanced_degree(epsilon: NDArray[np.float64], n: int, mean_degree: float) -> NDArray[np.float64]:
    """The ε₁ at which 2/ε₁², the noise's variance, has come down to the list's own at ε₂ = ε − ε₁; at most ε.

    With less, the noise on the degree is the larger part of the variance of the list's length. With more, all that is
    still to be gained is less than half of that variance, and the edges pay for it. Both sides are monotone in ε₁, so
    halving the interval finds the one place where they meet. The public guess of the mean degree is at most n − 1.
    """
    if n < 2:
        return epsilon.copy()
    low, high = np.zeros_like(epsilon), epsilon.copy()
    for _ in range(60):  # beyond the precision of a float
        middle = (low + high) / 2
        with np.errstate(divide="ignore", over="ignore"):
            noisy = 2 / middle**2 > list_variance(mean_degree, n, epsilon - middle)
        low, high = np.where(noisy, middle, low), np.where(noisy, high, middle)
    return high

"""The distribution of true degrees behind noisy ones, by maximum likelihood.

d* = d + noise with a law ∝ r^|noise|, r = e^(−ε₁). EM for π, the distribution of d on 0, …, n−1:

    π_d ← mean over users of π_d·r^|d*−d| / Σ_c π_c·r^|d*−c|

Both sums run over a kernel that is geometric on each side, so each is two recursions: an iteration costs
O(users + n), never users × n. The same for continuous and for discrete noise, and with one ε₁ per user. All of it is
post-processing of d*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Floats = NDArray[np.float64]


def smoothed_degrees(sent: Floats, epsilon: Floats, top: int, iterations: int = 200) -> Floats:
    """Estimate Pr(D = d), d = 0, …, top.

    EM begins at Pr(D ≥ d) = 1/(d+1), and every iteration makes the reports likelier. Far from convergence it is smooth;
    run for long, the estimate gathers in spikes, as maximum likelihood does.

    Args:
        sent: d* of each user who has reported; a public user's is exact.
        epsilon: of the noise of each; infinite for a public user.
        top: the largest degree that there can be.
        iterations: of EM.
    """
    exact = np.isinf(epsilon)
    known = np.bincount(np.clip(sent[exact], 0, top).astype(np.int64), minlength=top + 1)
    groups = [_Group(sent[epsilon == each], float(np.exp(-each)), top) for each in np.unique(epsilon[~exact])]
    chances = 1 / ((np.arange(top + 1) + 1.0) * (np.arange(top + 1) + 2.0))
    chances[-1] = 1 / (top + 1.0)
    for _ in range(iterations):
        expected = known + chances * sum(group.likelihood(chances) for group in groups)
        chances = expected / expected.sum()
    return chances


class _Group:
    """Users with one ε₁.

    d* counts by its cell k = ⌊d*⌋ and its place t in it: r^|d*−d| is r^t·r^(k−d) for d ≤ k and r^(1−t)·r^(d−k−1) above.
    Each user's weights are divided by the larger of the two, which no posterior notices.
    """

    def __init__(self, degree: Floats, decay: float, top: int) -> None:
        inside, count = np.unique(np.clip(degree, 0, top), return_counts=True)  # beyond the ends all is alike
        self.decay, self.count = decay, count.astype(np.float64)
        self.cell = inside.astype(np.int64)
        t = inside - self.cell
        far = decay ** np.abs(1 - 2 * t)
        self.below, self.above = np.where(2 * t <= 1, 1.0, far), np.where(2 * t <= 1, far, 1.0)

    def likelihood(self, chances: Floats) -> Floats:
        """Σ over users of r^|d*−d| / Σ_c π_c·r^|d*−c|, for every d."""
        behind = self._rising(chances)  # Σ_{d≤k} π_d·r^(k−d), for every k
        ahead = np.append(self._rising(chances[::-1])[::-1][1:], 0.0)  # Σ_{d>k} π_d·r^(d−k−1)
        weight = self.count / (self.below * behind[self.cell] + self.above * ahead[self.cell])
        sides = (np.bincount(self.cell, weight * side, len(chances)) for side in (self.below, self.above))
        left, right = (side.astype(np.float64, copy=False) for side in sides)
        return np.asarray(self._rising(left[::-1])[::-1] + np.append(0.0, self._rising(right)[:-1]))

    def _rising(self, terms: Floats) -> Floats:
        """Σ_{j≤k} r^(k−j)·x_j, for every k."""
        return np.asarray(lfilter([1.0], [1.0, -self.decay], terms))

"""DPRR: degree-preserving randomized response (Hidano & Murakami 2024, Algorithm 1).

A user spends ε₁ on her degree and ε₂ on her list:

    d* = d + Lap(1/ε₁)
    q  = clip(d* / (d*(2p−1) + (n−1)(1−p)), 0, 1),   p = e^ε₂/(e^ε₂+1),   q = 0 for d* ≤ 0
    Pr(ã_ij = 1) = p·q if a_ij = 1, else (1−p)·q

Randomized response keeps each bit with probability p, and sampling keeps each reported one with probability q, chosen
so that about d* are left. d* is part of the report: the list is a function of d* and the randomized bits, so it costs
no more ε. The proof that ε = ε₁ + ε₂ is in ``docs/mechanisms/dprr.md``. q may use a better estimate of the degree than
d* itself, see :mod:`graphldp.mechanisms.degrees.estimators`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphldp.errors import BETWEEN, bad_parameter, check_number, check_whole
from graphldp.mechanisms.base import Rates, RowMechanism
from graphldp.mechanisms.degrees.estimators import (
    ESTIMATORS,
    Estimator,
    posterior_mean,
    unbiased_discrete,
    unbiased_laplace,
)
from graphldp.mechanisms.degrees.noise import Noise
from graphldp.privacy import Allocation, Budget, allocate
from graphldp.privacy.budget import ALLOCATIONS


@dataclass(frozen=True, eq=False, repr=False)
class DPRR(RowMechanism):
    """Degree-preserving randomized response.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user.
        allocation: ``"paper"``: ε₁ = max{√(8/(n_max−1)), (1−α)ε}; ``"fixed"``: ε₁ = (1−α)ε; ``"utility"``: the ε₁ at
            which the noise's variance meets the list's; or a ``Budget``. ε₂ = ε − ε₁ by default.
        alpha: the share of the edges, α; ``"utility"`` does not use it.
        n_max: users in the largest graph, a public number; by default that of the set.
        mean_degree: a public guess of the mean degree for ``"utility"``; by default about log n_max + 0.58. It must
            not be computed from the private lists.
        noise: ``"laplace"``, the paper's, or ``"discrete"``, the law that the live client draws exactly.
        estimator: what d* is taken for in q: ``"clip"``, the paper's max(0, d*); ``"unbiased"``; or ``"bayes"``, the
            posterior mean under a public law of degrees. The live client clips.

    Example::

        reports = gl.DPRR(epsilon=1.0).randomize(graphs, rng=7)
        reports.noisy_degree, reports.guarantee
    """

    allocation: Allocation | Budget = field(default="paper", kw_only=True)
    alpha: float = field(default=0.9, kw_only=True)
    n_max: int | None = field(default=None, kw_only=True)
    mean_degree: float | None = field(default=None, kw_only=True)
    noise: Noise = field(default="laplace", kw_only=True)
    estimator: Estimator = field(default="clip", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.estimator not in ESTIMATORS:
            raise bad_parameter("estimator", "DPRR", f"one of {', '.join(ESTIMATORS)}", self.estimator)
        if not isinstance(self.allocation, Budget) and self.allocation not in ALLOCATIONS:
            raise bad_parameter("allocation", "DPRR", f"one of {', '.join(ALLOCATIONS)} or a Budget", self.allocation)
        check_number(self.alpha, "alpha", "DPRR", BETWEEN, lambda share: 0.0 < share < 1.0)
        if self.n_max is not None:
            check_whole(self.n_max, "n_max", "DPRR")
        if self.mean_degree is not None:
            check_number(self.mean_degree, "mean_degree", "DPRR", "a positive number", lambda mean: 0.0 < mean < np.inf)

    def budget(self, n_max: int | None = None) -> Budget:
        """ε₁ and ε₂, one of each per user where ε is.

        Args:
            n_max: users in the largest graph; not needed if the mechanism was given it.
        """
        largest = self.n_max or n_max
        if largest is None:
            raise bad_parameter("n_max", "DPRR.budget", "the number of users in the largest graph", None)
        if n_max is not None and n_max > largest:
            raise bad_parameter("n_max", "DPRR", f"at least the largest graph ({n_max} users)", self.n_max)
        return allocate(
            self.epsilon,
            self.allocation,
            alpha=self.alpha,
            n_max=largest,
            owner="DPRR",
            mean_degree=self.mean_degree,
        )

    def estimate(self, noisy_degree: Any, n: Any, decay: Any) -> Any:
        """The estimate that was asked for; :func:`sampling_probability` clips it."""
        if self.estimator == "bayes":
            return posterior_mean(noisy_degree, n, decay)
        if self.estimator == "unbiased":
            unbiased = unbiased_laplace if self.noise == "laplace" else unbiased_discrete
            return unbiased(noisy_degree, decay)
        return noisy_degree

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """(p·q, (1−p)·q)."""
        q = sampling_probability(noisy_degree, n, flip)
        return (1 - flip) * q, flip * q


def sampling_probability(noisy_degree: Any, n: Any, flip: Any) -> Any:
    """q of the module's formula, with 1 − p = ``flip``.

    d* ≤ 0 gives 0: taken literally, the formula's denominator turns negative for d* far below zero, and the projection
    would then make q = 1, a full randomized-response list from a user who claims no friends.
    """
    wanted = np.maximum(noisy_degree, 0)
    expected = wanted * (1 - 2 * flip) + (n - 1) * flip  # entries that randomized response alone would report at d*
    return np.minimum(wanted / np.where(expected > 0, expected, 1), 1)

"""The paper's defense (Section 6.2): flag lists that are longer than an honest user's could well be.

    τ = μ(1 + (log(1/θ) + √(log²(1/θ) + 8μ log(1/θ)))/(2μ)),   μ = (n−1)p,   p = e^ε₂/(e^ε₂+1)

flags an honest user with probability at most θ, whatever her degree: at worst all others are her neighbours and q = 1,
when |ã| is binomial with mean μ, and the multiplicative Chernoff bound gives τ. As long as τ > n−1 it flags nobody:
for n ≤ 62 at ε₂ = 0.9 and θ = 0.05. Nor can it see lists of n/2, which an honest user might send.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphldp.errors import DataError
from graphldp.mechanisms import ARR, DPRR, RR
from graphldp.mechanisms.named import drawn_by
from graphldp.reports import Reports
from graphldp.threats.defenses.base import Defense, Verdict, can_be_flagged, check_theta


@dataclass(frozen=True)
class DegreeThreshold(Defense):
    """Flag every list of at least τ entries.

    Args:
        theta: θ, the bound on the probability that an honest user is flagged.
        treatment: see :class:`graphldp.threats.Defense`.

    Example::

        kept, verdict = DegreeThreshold(theta=0.05).apply(reports)
        verdict.flagged.sum(), DegreeThreshold(theta=0.05).tau(n=100, epsilon2=0.9)     # …, 92.5
    """

    theta: float = 0.05

    derived_for = (DPRR, RR, ARR)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_theta(self.theta, "DegreeThreshold")

    def tau(self, n: Any, epsilon2: Any) -> Any:
        """The threshold τ on the length of a list.

        Args:
            n: users in the graph.
            epsilon2: ε₂.
        """
        mean = (np.asarray(n, np.float64) - 1) / (1 + np.exp(-np.asarray(epsilon2, np.float64)))
        log = np.log(1 / self.theta)
        return mean + (log + np.sqrt(log**2 + 8 * mean * log)) / 2

    def judge(self, reports: Reports) -> Verdict:
        """The length of every list against τ of its graph."""
        drawn_by(reports, "DegreeThreshold", *self.derived_for)
        if reports.origin.parameters.get("sampled") == "zeros":  # longer than τ, and honest
            raise DataError(
                f"DegreeThreshold is derived for lists no longer than RR's; these come from {reports.origin}."
            )
        tau = self.tau(np.repeat(reports.sizes, reports.sizes), reports.epsilon2)
        return Verdict(reports.degrees.astype(np.float64), np.where(can_be_flagged(reports), tau, np.inf))

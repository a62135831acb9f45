"""How much a report says about one edge: the likelihood ratios of a name on a list, and of one that is missing.

With a name reported with probability p·q for a friend and (1−p)·q for a stranger,

    Pr(named | friend)/Pr(named | stranger) = e^ε₂
    Pr(not named | friend)/Pr(not named | stranger) = r = (1−p·q)/(1−(1−p)·q)

q is 1 for RR and Blink, and for DPRR the function of d* that her device used; d* is in the report.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.mechanisms import DPRR, Mechanism
from graphldp.mechanisms.dprr import sampling_probability
from graphldp.mechanisms.named import drawn_by, name_of
from graphldp.reports import Reports

Floats = NDArray[np.float64]

CERTAIN = 1e9  # stands for an infinite log ratio, of public users: a sum of two never becomes inf − inf


@dataclass(frozen=True)
class Evidence:
    """The two log ratios of each user.

    Args:
        named: log of the first ratio, ε₂; :data:`CERTAIN` for a public user.
        unnamed: log of the second, between −ε₂ and 0; −:data:`CERTAIN` for a public user.
    """

    named: Floats
    unnamed: Floats

    @classmethod
    def of(cls, reports: Reports, owner: str, *known: type[Mechanism]) -> Evidence:
        """What each user's report says, to an ``owner`` who can work with some mechanisms."""
        drawn_by(reports, owner, *known)
        if reports.noisy_degree is None:
            raise DataError(f"{owner} needs reports with their noisy degrees.")
        if reports.directed:
            raise DataError(f"{owner} needs undirected graphs: it combines the reports of both ends of an edge.")
        odds = np.exp(-reports.epsilon2)
        flip = odds / (1 + odds)
        q = sampling_of(reports, flip)
        with np.errstate(divide="ignore"):  # a flip too seldom for a float is as good as none
            unnamed = np.log(1 - q + flip * q) - np.log1p(-flip * q)
        certain = reports.public | np.isinf(unnamed)
        return cls(np.where(certain, CERTAIN, reports.epsilon2), np.where(certain, -CERTAIN, unnamed))


def sampling_of(reports: Reports, flip: Floats) -> Floats:
    """The share q of her list that each user keeps: 1 but under DPRR; flip is 1/(e^ε₂ + 1)."""
    if reports.noisy_degree is None or reports.origin.name != name_of(DPRR):
        return np.ones(reports.num_users)
    n = np.repeat(reports.sizes, reports.sizes)
    options = {"noise": reports.noise or "laplace", "estimator": reports.origin.parameters.get("estimator", "clip")}
    device = DPRR(1.0, **options)
    degree = device.estimate(reports.noisy_degree, n, np.exp(-reports.epsilon1))
    return np.where(reports.public, 1.0, sampling_probability(degree, n, flip))

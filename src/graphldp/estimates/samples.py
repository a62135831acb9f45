"""From those who reported to everybody: totals, with what noise and what absence add to their error.

Users are drawn into strata h (their public groups, where there are some) of N_h users, m_h of whom reported. Where
absence has nothing to do with friends within a stratum ("missing at random"), with f_h = m_h/N_h,

    Σ_h (N_h/m_h)·Σ y,      variance  Σ_h (N_h²/m_h)·[(1 − f_h)·(s_h² − v_h) + v_h],

y what is read off each report without bias, s_h² its variance among those who reported and v_h the mean variance of its
noise; what absence adds is not below 0 in sum. Where everybody reported this is the sum and the noise alone, without an
assumption.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Doubt(NamedTuple):
    """The variance of an estimate, by where it comes from.

    Args:
        noise: what the users' noise adds.
        absence: what is added by not knowing those who have not reported.
        freedom: the degrees of freedom with which absence is known (Welch and Satterthwaite).
    """

    noise: float
    absence: float = 0.0
    freedom: float = math.inf

    @property
    def variance(self) -> float:
        """The whole variance, not below 0."""
        return max(self.noise + self.absence, 0.0)

    def times(self, factor: float) -> Doubt:
        """The doubt of so many times the estimate."""
        return Doubt(self.noise * factor**2, self.absence * factor**2, self.freedom)


def added(doubts: Sequence[Doubt]) -> Doubt:
    """The doubt of a sum of independent estimates."""
    noise, absence = (sum(each) for each in list(zip(*doubts, strict=True))[:2])
    squares = sum(each.absence**2 / each.freedom for each in doubts)
    return Doubt(noise, absence, absence**2 / squares if squares else math.inf)


@dataclass(frozen=True)
class Sample:
    """A sample: who was asked, and who reported.

    Args:
        asked: users of the roster.
        stratum: of each user who reported.
        sizes: of the strata in the roster.
        reported: in each.
    """

    asked: int
    stratum: Ints
    sizes: Floats
    reported: Floats

    @classmethod
    def of(cls, stratum: Ints, present: NDArray[np.bool_], least: int) -> Self:
        """Of all users' strata; those with too few reports, where somebody is missing, are put together."""
        stratum = np.unique(stratum, return_inverse=True)[1]  # without those that nobody is in
        sizes = np.bincount(stratum).astype(np.float64)
        reported = np.bincount(stratum[present], minlength=len(sizes)).astype(np.float64)
        thin = (reported < least) & (reported < sizes)
        if thin.any() and len(sizes) > 1:
            others = np.flatnonzero(~thin & (reported > 0))
            if reported[thin].sum() < least and len(others):
                thin[others[np.argmin(reported[others])]] = True
            joined = np.where(thin, np.flatnonzero(thin)[0], np.arange(len(sizes)))
            return cls.of(joined[stratum], present, 2)
        return cls(len(stratum), stratum[present], sizes, reported)

    @classmethod
    def joined(cls, parts: Sequence[Sample]) -> Self:
        """Of several graphs, one after the other: strata of different graphs are different ones."""
        starts = np.cumsum([0, *(len(part.sizes) for part in parts)])
        stratum = np.concatenate([part.stratum + start for part, start in zip(parts, starts, strict=False)])
        sizes, reported = (np.concatenate([getattr(part, name) for part in parts]) for name in ("sizes", "reported"))
        return cls(sum(part.asked for part in parts), stratum, sizes, reported)

    @property
    def whole(self) -> bool:
        """Whether everybody reported."""
        return len(self.stratum) == self.asked

    def total(self, value: Floats, noise: Floats) -> tuple[float, Doubt]:
        """The sum over the roster and its variance.

        Args:
            value: what each report says without bias.
            noise: the variance of each.
        """
        m, n = self.reported, self.sizes
        sums = np.bincount(self.stratum, value, len(n))
        noisy = np.bincount(self.stratum, noise, len(n)) / m
        apart = np.bincount(self.stratum, (value - (sums / m)[self.stratum]) ** 2, len(n)) / np.maximum(m - 1, 1)
        scale = n**2 / m
        absence = max(float(scale * (1 - m / n) @ (apart - noisy)), 0.0)
        squares = float((scale * (1 - m / n) * apart) ** 2 @ (1 / np.maximum(m - 1, 1)))
        freedom = float(scale * (1 - m / n) @ apart) ** 2 / squares if squares else math.inf
        return float(n / m @ sums), Doubt(float(scale @ noisy), absence, freedom)

    def reporting(self) -> Sample:
        """The sample of those who reported, as if nobody else had been asked."""
        return Sample(len(self.stratum), self.stratum, self.reported, self.reported)

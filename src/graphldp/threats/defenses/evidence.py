"""Columns of lists, how often others list a user: the second witness of :class:`graphldp.threats.HubGuard`.

In an undirected graph a user with true share f = d/(n−1) of the graph as neighbours is listed by honest others about

    e₀ + e₁·f times,   e₀ = Σ_j ρ_j,   e₁ = Σ_j ρ_j(E_j − 1),   E_j = e^ε₂ of j,

where j lists a stranger with probability ρ_j and a neighbour with E_j·ρ_j. For RR ρ_j = 1−p; for DPRR it is read off
her list, ρ_j = L_j/(n−1+(E_j−1)d̂_j), with d̂_j what her degree is expected to be given L_j. A public j lists
neighbours only, all of them. The sums run over users who are not suspected themselves. Which of these are neighbours
is unknown; drawn at random, they add f(1−f)Σ(ρ_j(E_j−1))² to the Poisson variance.

LocalLap's lists are symmetric, so two honest users never contradict each other: there, contradictions are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, pdtr
from scipy.stats import binom

from graphldp.mechanisms import RR, Mechanism
from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LARGEST = 600.0  # of a log-likelihood ratio, well inside what exp can take
_BLOCK = 1 << 22  # entries taken at a time, so memory stays bounded
_LIARS = 0.02  # the share of unsuspected users who may lie nevertheless, where honest users never contradict


@dataclass(frozen=True)
class Columns:
    """The columns: how often each user is listed, and by whom; one entry per user.

    Args:
        count: listed by unsuspected private users.
        base: e₀.
        slope: e₁.
        spread: Σ(ρ_j(E_j−1))².
        public_count: listed by public users.
        public: the number of public users, herself aside.
        public_share: the share of her graph that a public user lists on average.
    """

    count: Floats
    base: Floats
    slope: Floats
    spread: Floats
    public_count: Floats
    public: Floats
    public_share: Floats

    @classmethod
    def of(
        cls, reports: Reports, mechanism: type[Mechanism], unsuspected: NDArray[np.bool_], degree: Floats
    ) -> Columns:
        """Count the columns over unsuspected users, public ones apart.

        Args:
            reports: what was collected.
            mechanism: the class that drew the lists.
            unsuspected: whose lists are believed.
            degree: d̂ of every user.
        """
        graph, others = reports.graph_of_user, np.maximum(np.repeat(reports.sizes, reports.sizes) - 1, 1)
        private, length = unsuspected & ~reports.public, reports.degrees
        odds = np.exp(np.where(reports.public, 0.0, reports.epsilon2))
        rho = 1 / (odds + 1) if mechanism is RR else length / (others + (odds - 1) * degree)
        rho = np.where(private, rho, 0.0)
        slope = rho * (odds - 1)

        def of_others(values: Floats) -> Floats:
            return np.asarray(np.bincount(graph, values, reports.num_graphs)[graph] - values)

        public = of_others(reports.public.astype(np.float64))
        listed = of_others(np.where(reports.public, length, 0).astype(np.float64))
        return cls(
            count=listed_by(reports, private).astype(np.float64),
            base=of_others(rho),
            slope=of_others(slope),
            spread=of_others(slope**2),
            public_count=listed_by(reports, reports.public).astype(np.float64),
            public=public,
            public_share=np.maximum(listed / np.maximum(public, 1), 1.0) / others,
        )

    def __getitem__(self, users: NDArray[np.int64]) -> Columns:
        return Columns(*(getattr(self, name)[users] for name in self.__dataclass_fields__))

    def log_ratio(self, share: Floats) -> Floats:
        """Log-likelihood of a true share f of neighbours against a typical user's.

        Args:
            share: f, [users, groups].
        """
        one = Columns(*(getattr(self, name)[:, None] for name in self.__dataclass_fields__))
        known = one.base > 0
        gain = np.log1p(np.where(known, one.slope / np.where(known, one.base, 1), 0) * share)
        private = one.count * gain - one.slope * share
        if not self.public.any():
            return np.asarray(private)
        public = one.public_count * np.log(np.maximum(share, 1e-12) / one.public_share)
        return np.asarray(private + public - one.public * (share - one.public_share))

    def lower_tail(self, share: Floats) -> Floats:
        """Pr(listed as seldom as she is) for a true share f: negative binomial, by mean and variance."""
        mean = self.base + self.slope * share + self.public * share
        extra = share * (1 - share) * self.spread
        count = self.count + self.public_count
        size = mean**2 / np.maximum(extra, mean**2 * 1e-6 + 1e-300)
        mixed = betainc(size, count + 1, size / (size + np.maximum(mean, 1e-300)))
        return np.asarray(np.where(mean > 0, np.where(extra > 1e-6 * mean**2, mixed, pdtr(count, mean)), 1.0))


@dataclass(frozen=True)
class Contradictions:
    """How often each user's row and column contradict each other among unsuspected users; one entry per user."""

    count: Floats
    trials: Floats
    chance: Floats

    @classmethod
    def of(cls, reports: Reports, unsuspected: NDArray[np.bool_]) -> Contradictions:
        """Count contradictions; ``chance`` is how often a made-up row of this length would contradict its column."""
        graph = reports.graph_of_user
        trials = np.bincount(graph, unsuspected, reports.num_graphs)[graph] - unsuspected
        row = reports.degrees / np.maximum(np.repeat(reports.sizes, reports.sizes) - 1, 1)
        column = listed_by(reports, unsuspected) / np.maximum(trials, 1)
        chance = np.clip(row * (1 - column) + column * (1 - row), _LIARS, 1 - 1e-9)
        return cls(inconsistencies(reports, unsuspected).astype(np.float64), trials.astype(np.float64), chance)

    def log_ratio(self) -> Floats:
        """Log-likelihood of an honest row, which at most a few liars contradict, against a made-up one."""
        agree = self.trials - self.count
        ratio = self.count * np.log(_LIARS / self.chance) + agree * np.log((1 - _LIARS) / (1 - self.chance))
        return np.asarray(np.clip(ratio, -LARGEST, LARGEST))

    def upper_tail(self) -> Floats:
        """Pr(contradicted as often as she is) for an honest user."""
        return np.asarray(binom.sf(self.count - 1, self.trials, _LIARS))


def entries(reports: Reports, listers: NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """The entries of some users' lists as (lister, listed) pairs of numbers in the whole set, block by block."""
    who = np.flatnonzero(listers & (reports.degrees > 0))
    start = np.repeat(reports.graph_ptr[:-1], reports.sizes)
    filled = np.cumsum(reports.degrees[who])
    cuts = np.searchsorted(filled, np.arange(_BLOCK, filled[-1] if len(who) else 0, _BLOCK))
    for some in np.split(who, np.unique(cuts)):
        positions, indptr = gather_ranges(reports.indptr, some)
        lister = np.repeat(some, np.diff(indptr))
        yield lister, reports.indices[positions] + start[lister]


def listed_by(reports: Reports, listers: NDArray[np.bool_]) -> Ints:
    """The number of these users who list each user."""
    count = np.zeros(reports.num_users, np.int64)
    for _, listed in entries(reports, listers):
        count += np.bincount(listed, minlength=len(count))
    return count


def inconsistencies(reports: Reports, others: NDArray[np.bool_]) -> Ints:
    """For each user i, how many j among the others there are with ã_ij ≠ ã_ji.

    |row ∩ others| + |column ∩ others| − 2·|both|.
    """
    count = listed_by(reports, others)
    for lister, listed in entries(reports, np.ones(reports.num_users, np.bool_)):
        count += np.bincount(lister, others[listed], len(count)).astype(np.int64)
    for lister, listed in entries(reports, others):
        count -= 2 * np.bincount(listed, lists(reports, listed, lister), len(count)).astype(np.int64)
    return count


def lists(reports: Reports, owner: Ints, member: Ints) -> NDArray[np.bool_]:
    """Whether each owner has this member of her graph on her list: bisection in all lists at once."""
    wanted = reports.local_users[member]
    low, end = reports.indptr[owner], reports.indptr[owner + 1]
    high = end.copy()
    last = max(reports.num_entries - 1, 0)
    for _ in range(int(reports.degrees.max(initial=0)).bit_length()):
        middle = (low + high) // 2
        before = (low < high) & (reports.indices[np.minimum(middle, last)] < wanted)
        high = np.where((low < high) & ~before, middle, high)
        low = np.where(before, middle + 1, low)
    return np.asarray((low < end) & (reports.indices[np.minimum(low, last)] == wanted))

"""How likely each edge is, after both of its ends have reported.

The prior is a β-model with the degrees that d* suggests, log odds β_i + β_j. Each report adds the likelihood ratio of
what it says (:class:`Evidence`): e^ε₂ for a name, r for a name that is missing. So, for undirected graphs,

    odds of (i, j) = u_i·u_j · (e^ε₂ᵢ/r_i)^ã_ij · (e^ε₂ⱼ/r_j)^ã_ji,   u_i = e^(β_i)·r_i

A pair that nobody reported depends on u_i·u_j alone. Sums over all pairs therefore need only the reported entries one
by one: a graph's Σ_j odds_ij·h_j costs O(entries + n), and Σ_j P_ij·h_j, with u in K bins, O(entries + nK).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit

from graphldp.errors import DataError, Described, bad_parameter, check_whole
from graphldp.learn.inference.beta_model import beta_model
from graphldp.mechanisms import DPRR, Blink, Mechanism
from graphldp.mechanisms.degrees.estimators import posterior_mean
from graphldp.mechanisms.dprr import sampling_probability
from graphldp.mechanisms.named import drawn_by, name_of
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CERTAIN = 1e9  # stands for an infinite log ratio, of public users: a sum of two never becomes inf − inf
_OWNER = "LinkPosterior"


@dataclass(frozen=True, eq=False)
class LinkPosterior:
    """The posterior of every pair of one graph's users.

    Args:
        reports: of DPRR or Blink, of undirected graphs; users who have not reported must have left
            (``reports.induced()``).
        silent: log u of each user.
        spoken: what one more name on her list adds to the log odds, log(e^ε₂/r).

    Example::

        posterior = LinkPosterior.of(reports)
        posterior.probability  # one weight per reported entry
        posterior.sum_probability(features)  # the expected sum over friends, of every user
    """

    reports: Reports
    silent: Floats
    spoken: Floats

    @classmethod
    def of(cls, reports: Reports) -> LinkPosterior:
        """From reports alone.

        The degrees of the prior are E[D | d*] under a public law of degrees
        (:func:`graphldp.mechanisms.degrees.estimators.posterior_mean`), to a quarter, so that few different ones are
        left.
        """
        evidence = Evidence.of(reports, _OWNER, DPRR, Blink)
        if reports.missing is not None and reports.missing.any():
            raise bad_parameter("reports", _OWNER, "of users who have all reported", Described("missing users"))
        n = np.repeat(reports.sizes, reports.sizes)
        degree = posterior_mean(reports.noisy_degree, n, np.exp(-reports.epsilon1))
        beta = beta_model(np.rint(4 * degree) / 4, reports.graph_ptr)
        return cls(reports, beta + evidence.unnamed, evidence.named - evidence.unnamed)

    @cached_property
    def log_odds(self) -> Floats:
        """The log odds of each reported entry."""
        i, j = self._ends
        return self.silent[i] + self.silent[j] + self.spoken[i] + np.where(self._mutual, self.spoken[j], 0.0)

    @property
    def probability(self) -> Floats:
        """The probability of each reported entry: a weight for each of ``reports.indices``."""
        return np.asarray(expit(self.log_odds))

    def sum_odds(self, values: ArrayLike) -> Floats:
        """Σ_j odds_ij·h_j over all others of her graph, for every user; O(entries + n).

        Args:
            values: h, [users, columns].
        """
        h = self._values(values)
        if self.reports.public.any():
            raise DataError("The odds of public users' pairs are 0 or infinite: use sum_probability.")
        i, j = self._ends
        u = np.exp(self.silent)[:, None]
        totals = np.stack([np.bincount(self._graph, column, self.reports.num_graphs) for column in (u * h).T], axis=1)
        base = u * (totals[self._graph] - u * h)
        excess = np.exp(self.log_odds) - np.exp(self.silent[i] + self.silent[j])
        return base + self._over_entries(excess, excess, h)

    def sum_probability(self, values: ArrayLike, *, bins: int = 64) -> Floats:
        """Σ_j P_ij·h_j over all others of her graph, for every user; O(entries + n·bins).

        Pairs that nobody reported have log u_j at the mean of its bin, of ``bins`` equally wide ones in each graph; all
        others are exact, and so are public users' pairs.

        Args:
            values: h, [users, columns].
            bins: K.
        """
        h = self._values(values)
        check_whole(bins, "bins", f"{_OWNER}.sum_probability", 1)
        centre = self.silent.copy()  # of public users, who add nothing where they name nobody, as it is
        base = np.zeros_like(h)
        private = ~self.reports.public
        for start, stop in pairwise(self.reports.graph_ptr.tolist()):
            users = start + np.flatnonzero(private[start:stop])
            if len(users):
                place, means = _binned(self.silent[users], bins)
                centre[users] = means[place]
                sums = np.stack([np.bincount(place, column, len(means)) for column in h[users].T], axis=1)
                base[users] = expit(self.silent[users, None] + means) @ sums
        base -= expit(self.silent + centre)[:, None] * h  # she is none of her own friends
        i, j = self._ends
        chance = self.probability
        return base + self._over_entries(
            chance - expit(self.silent[i] + centre[j]), chance - expit(self.silent[j] + centre[i]), h
        )

    def _over_entries(self, forward: Floats, backward: Floats, h: Floats) -> Floats:
        """Σ over pairs that somebody reported: i's sum for each entry, and j's where she did not report i herself."""
        count, (i, j) = self.reports.num_users, self._ends
        once = ~self._mutual
        rows, columns = np.concatenate((i, j[once])), np.concatenate((j, i[once]))
        weights = np.concatenate((forward, backward[once]))
        return np.asarray(sparse.csr_array((weights, (rows, columns)), shape=(count, count)) @ h)

    @cached_property
    def _graph(self) -> Ints:
        return self.reports.graph_of_user

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        owner = np.repeat(np.arange(self.reports.num_users), self.reports.degrees)
        return owner, self.reports.indices + self.reports.graph_ptr[self._graph[owner]]

    @cached_property
    def _mutual(self) -> NDArray[np.bool_]:
        """Whether the other end reported the entry too. Entries are sorted, so bisection finds it."""
        i, j = self._ends
        if not len(i):
            return np.zeros(0, np.bool_)
        code, back = i * self.reports.num_users + j, j * self.reports.num_users + i
        return np.asarray(code[np.minimum(np.searchsorted(code, back), len(code) - 1)] == back)

    def _values(self, values: ArrayLike) -> Floats:
        h = np.asarray(values, np.float64)
        if h.ndim != 2 or len(h) != self.reports.num_users:
            raise bad_parameter("values", _OWNER, f"an array [{self.reports.num_users}, columns]", h.shape)
        return h


def _binned(values: Floats, bins: int) -> tuple[Ints, Floats]:
    """The bin of each value, of equally wide ones, and the mean of each bin."""
    low, high = values.min(), values.max()
    scale = bins / (high - low) if high > low else 0.0
    place = np.minimum(((values - low) * scale).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins)
    return place, np.bincount(place, values, bins) / np.maximum(counts, 1)


@dataclass(frozen=True)
class Evidence:
    """The likelihood ratios of one edge by each user's report: of a name on the list, and of one that is missing.

    With a name reported with probability p·q for a friend and (1−p)·q for a stranger,

        Pr(named | friend)/Pr(named | stranger) = e^ε₂
        Pr(not named | friend)/Pr(not named | stranger) = r = (1−p·q)/(1−(1−p)·q)

    q is 1 for RR and Blink, and for DPRR the function of d* that her device used; d* is in the report.

    Args:
        named: log of the first ratio, ε₂; :data:`CERTAIN` for a public user.
        unnamed: log of the second, between −ε₂ and 0; −:data:`CERTAIN` for a public user.
    """

    named: Floats
    unnamed: Floats

    @classmethod
    def of(cls, reports: Reports, owner: str, *known: type[Mechanism]) -> Evidence:
        """The evidence of each user's report, to an ``owner`` who can work with some mechanisms."""
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

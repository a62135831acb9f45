"""The law of an honest list's length: the null law of :class:`graphldp.threats.HubGuard`.

For every mechanism here, given a true degree d and a sampling probability q,

    |ã| ~ Bin(d, pq) + Bin(n−1−d, (1−p)q),   p = e^ε₂/(e^ε₂+1).

DPRR: q is a function of d + Lap(1/ε₁). RR: q = 1. LocalLap: each pair is among the T largest with about these odds, and
q follows from the graph's typical list. Degrees in a social graph follow a power law; Pr(D ≥ d) = 1/d puts about 1/f
users above any share f of a graph, whatever n. REDDIT-BINARY has half as many or fewer
(``docs/evidence/poisoned-lists.md``): hubs get the benefit of the doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from graphldp.mechanisms import DPRR, RR, Mechanism
from graphldp.mechanisms.dprr import sampling_probability
from graphldp.reports import Reports

Floats = NDArray[np.float64]

BINS = 16  # of the share of a graph that is on a list
_GROUPS = 24  # of degrees
_STEP, _STEPS = 0.75, 16  # of the Laplace noise, in units of its scale: up to e^−12
_CHUNK = 64  # laws at a time, for memory
_ENDS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 11.0, 15.0, 25.0, 40.0])
_UPPER = [(0.0, 0.5), *zip(_ENDS[1:].tolist(), (-np.diff(np.exp(-_ENDS)) / 2).tolist(), strict=True)]
_BEYOND = float(np.exp(-_ENDS[-1]) / 2)  # of the noise, counted as if every list were possible


@dataclass(frozen=True)
class Sampling:
    """The parameters of a list's law beside d, one entry per user (or per class of users).

    Args:
        n: users in the graph.
        flip: 1 − p.
        epsilon1: ε₁ of DPRR; ``inf`` where q does not depend on a noisy degree.
        q: the sampling probability where it is known; ignored where ``epsilon1`` is finite.
    """

    n: Floats
    flip: Floats
    epsilon1: Floats
    q: Floats

    @classmethod
    def of(cls, reports: Reports, mechanism: type[Mechanism]) -> Sampling:
        """The law of every user's list."""
        n = np.repeat(reports.sizes, reports.sizes).astype(np.float64)
        with np.errstate(over="ignore"):
            flip = 1 / (np.exp(reports.epsilon2) + 1)
        nothing = np.full(reports.num_users, np.inf)
        if mechanism is DPRR:
            epsilon1 = np.where(
                reports.epsilon1 > 0, reports.epsilon1, np.inf
            )  # a user who has not reported has spent nothing
            return cls(n, flip, epsilon1, np.ones(reports.num_users))
        if mechanism is RR:
            return cls(n, flip, nothing, np.ones(reports.num_users))
        # the median, since up to half of the lists may be fake; an empty median still leaves one entry per list
        typical = np.maximum(_medians(reports), 1.0)[reports.graph_of_user]
        return cls(n, flip, nothing, np.minimum(typical / np.maximum((n - 1) * flip, 1e-9), 1.0))

    def __getitem__(self, users: Any) -> Sampling:
        return Sampling(self.n[users], self.flip[users], self.epsilon1[users], self.q[users])

    def classes(self) -> tuple[Sampling, NDArray[np.int64]]:
        """The distinct laws, and which one each user has."""
        code = np.zeros(len(self.n), np.int64)
        for column in (self.n, self.flip, self.epsilon1, self.q):
            if len(column) and (column == column[0]).all():
                continue
            values, place = np.unique(column, return_inverse=True)
            code = np.unique(code * len(values) + place, return_inverse=True)[1]
        return self[np.unique(code, return_index=True)[1]], code

    def rates(self, degree: Floats, noise: Floats | float) -> tuple[Floats, Floats]:
        """(pq, (1−p)q) for true degrees, where the noise on the degree is this many times its scale."""
        with np.errstate(invalid="ignore"):
            noisy = np.where(np.isinf(self.epsilon1), 0.0, degree + noise / self.epsilon1)
        q = np.where(np.isinf(self.epsilon1), self.q, sampling_probability(noisy, self.n, self.flip))
        return (1 - self.flip) * q, self.flip * q

    def moments(self, degree: Floats, noise: Floats | float) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the length of a list."""
        keep, fake = self.rates(degree, noise)
        strangers = np.maximum(self.n - 1 - degree, 0)
        variance = keep * (1 - keep) * degree + fake * (1 - fake) * strangers
        return keep * degree + fake * strangers, np.sqrt(variance + 1e-12)

    def tail(self, length: Floats, degree: Floats) -> Floats:
        """Pr(|ã| ≥ length), the noise on the degree taken at the upper end of each of its steps."""
        chance = np.zeros(np.shape(length))
        for noise, weight in _UPPER:
            mean, spread = self.moments(degree, noise)
            chance += weight * ndtr((mean - length + 0.5) / spread)
        return np.asarray(chance + _BEYOND)

    def typical_degree(self, length: Floats) -> Floats:
        """The degree whose list is on average this long; at most n − 1."""
        others = np.maximum(self.n - 1, 1)
        q = np.where(np.isinf(self.epsilon1), self.q, 1.0)
        sampled = (length / q - self.flip * others) / np.maximum(1 - 2 * self.flip, 1e-9)
        preserved = np.isfinite(self.epsilon1) & (length <= others / 2)
        return np.asarray(np.clip(np.where(preserved, length, sampled), 0, others))


@dataclass(frozen=True)
class Population:
    """The joint law of degree and list length over honest users, for each class of users.

    Args:
        joint: Pr(degree in group, length in bin), [classes, groups, bins].
        share: the mean of d/(n−1) in each group, [classes, groups].
    """

    joint: Floats
    share: Floats

    @classmethod
    def of(cls, laws: Sampling) -> Population:
        """Integrate over degrees and over the noise on them."""
        parts = [_integrate(laws[at : at + _CHUNK]) for at in range(0, len(laws.n), _CHUNK)]
        empty = [(np.zeros((0, _GROUPS, BINS)), np.zeros((0, _GROUPS)))]
        return cls(*(np.concatenate(each) for each in zip(*(parts or empty), strict=True)))


def bins(lengths: NDArray[np.int64], n: Floats) -> NDArray[np.int64]:
    """The bin of each list, by the share of the graph that it holds."""
    return np.minimum(lengths * BINS // np.maximum(n.astype(np.int64) - 1, 1), BINS - 1)


def _integrate(laws: Sampling) -> tuple[Floats, Floats]:
    n = np.maximum(laws.n, 2.0)
    edges = n[:, None] ** (np.arange(_GROUPS + 1) / _GROUPS)
    low, high = edges[:, :-1], edges[:, 1:]
    mass = (1 / low - 1 / high) / (1 - 1 / n[:, None])
    degree = np.minimum(np.log(high / low) / (1 / low - 1 / high), n[:, None] - 1)
    noise, weight = _laplace()
    wide = Sampling(*(each[:, None, None] for each in (n, laws.flip, laws.epsilon1, laws.q)))
    d = degree[:, :, None]
    mean, spread = wide.moments(d, noise)
    cuts = np.ceil(np.arange(1, BINS) * (n[:, None] - 1) / BINS) - 0.5
    below = ndtr((cuts[:, None, None, :] - mean[..., None]) / spread[..., None])
    inner = np.einsum("cgqb,q->cgb", below, weight)
    ends = np.zeros((*inner.shape[:2], 1)), np.ones((*inner.shape[:2], 1))
    joint = mass[:, :, None] * np.diff(np.concatenate((ends[0], inner, ends[1]), axis=2))
    return np.maximum(joint, 0.0), degree / (n[:, None] - 1)


def _laplace() -> tuple[Floats, Floats]:
    """Nodes and weights of a standard Laplace law; equal steps, so that the tail is there too."""
    edges = np.arange(_STEPS + 1) * _STEP
    edges[-1] = np.inf
    weight = -np.diff(np.exp(-edges)) / 2
    node = (np.arange(_STEPS) + 0.5) * _STEP
    return np.concatenate((-node[::-1], node)), np.concatenate((weight[::-1], weight))


def _medians(reports: Reports) -> Floats:
    """The median length of each graph's lists."""
    order = np.lexsort((reports.degrees, reports.graph_of_user))
    middle = np.minimum((reports.graph_ptr[:-1] + reports.graph_ptr[1:]) // 2, max(reports.num_users - 1, 0))
    ranked = reports.degrees[order]
    return np.where(reports.sizes > 0, ranked[middle] if len(ranked) else 0, 0).astype(np.float64)

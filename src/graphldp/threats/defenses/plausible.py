"""Flag degrees that no honest device sends, by three tests whose error rates are known.

- *Range.* An honest d* is 0 … n − 1 friends and noise. A value that noise reaches with a probability below θ/n is
  flagged.
- *Mixture.* Whatever the true degrees are, their mixture with the noise has no value that is more than e^ε as frequent
  as the next one: that is what ε-LDP means. Given how many sent v or v + 1, those who sent v are at most binomial with
  e^ε/(1 + e^ε). Liars who all say the same stand out.
- *Support.* A hub of d friends needs d others who have a friend (:mod:`graphldp.mechanisms.degrees.support`). The
  busiest users are flagged, as many as must be set aside until the others fit.

An honest user fails a test with probability about θ, and no more. A claim that is too small but within the range
passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from graphldp.mechanisms.degrees.support import unsupported
from graphldp.reports import Reports
from graphldp.threats.attacks.claims import WITH_DEGREES, Floats
from graphldp.threats.attacks.degrees import degrees_of
from graphldp.threats.defenses.base import Defense, can_be_flagged, check_theta
from graphldp.threats.defenses.verdict import Verdict
from graphldp.threats.treatments import Treatment


@dataclass(frozen=True)
class PlausibleDegrees(Defense):
    """Flag d* that cannot well be honest. For reports that are degrees.

    Args:
        theta: θ, of each test.
        treatment: see :class:`graphldp.threats.Defense`.

    Example::

        kept, verdict = PlausibleDegrees().apply(FakeHub(fraction=0.1).apply(reports, rng=7), rng=7)
    """

    theta: float = 0.05
    treatment: Treatment = field(default="redraw", kw_only=True)

    derived_for = WITH_DEGREES

    def __post_init__(self) -> None:
        super().__post_init__()
        check_theta(self.theta, "PlausibleDegrees")

    def judge(self, reports: Reports) -> Verdict:
        """How many of the three tests each user fails; one is enough."""
        degree = degrees_of(reports, "PlausibleDegrees")
        able = can_be_flagged(reports)
        failed = _out_of_range(reports, degree, self.theta).astype(np.float64)
        failed += _too_frequent(reports, np.where(able, degree, np.nan), self.theta)
        failed += _too_many(reports, np.where(able, degree, -np.inf), self.theta)
        return Verdict(failed, np.where(able, 1.0, np.inf))


def _out_of_range(reports: Reports, degree: Floats, theta: float) -> NDArray[np.bool_]:
    """Whether d* is farther from 0 … n − 1 than noise goes; P(noise ≥ t) ≤ e^(−ε₁t) for either law."""
    n = np.repeat(reports.sizes, reports.sizes).astype(np.float64)
    tail = np.log(2 * n / theta) / reports.epsilon1
    return np.asarray((degree > n - 1 + tail) | (degree < -tail))


def _too_frequent(reports: Reports, degree: Floats, theta: float) -> NDArray[np.bool_]:
    """Whether more users of a graph sent the same d* than a neighbouring value allows."""
    found = np.zeros(len(degree), np.bool_)
    there = np.flatnonzero(np.isfinite(degree))
    key = np.stack((reports.graph_of_user[there].astype(np.float64), degree[there]), axis=1)
    values, at, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    if not len(values):
        return found
    graph = values[:, 0]
    kinds = np.bincount(graph.astype(np.int64))[graph.astype(np.int64)]
    strongest = np.zeros(reports.num_graphs)
    np.maximum.at(strongest, reports.graph_of_user[there], reports.epsilon1[there])
    share = 1 / (1 + np.exp(-strongest[graph.astype(np.int64)]))
    next_to = (graph[1:] == graph[:-1]) & (np.diff(values[:, 1]) == 1)
    above, below = np.append(next_to * count[1:], 0), np.insert(next_to * count[:-1], 0, 0)
    surprise = np.minimum(binom.sf(count - 1, count + above, share), binom.sf(count - 1, count + below, share))
    found[there] = (surprise < theta / (2 * kinds))[at.ravel()]
    return found


def _too_many(reports: Reports, degree: Floats, theta: float) -> NDArray[np.bool_]:
    """The busiest users of each graph, so many as have to be set aside."""
    order = np.lexsort((-degree, reports.graph_of_user))
    rank = np.empty(len(degree), np.int64)
    rank[order] = np.arange(len(degree)) - reports.graph_ptr[reports.graph_of_user]
    return np.asarray(rank < unsupported(reports, theta=theta)[reports.graph_of_user])

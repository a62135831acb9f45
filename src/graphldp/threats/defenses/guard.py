"""HubGuard: a defense that keeps the hubs, by one test at two operating points.

``docs/evidence/poisoned-lists.md`` derives it.

Two witnesses speak about a user with a long list: how many lists of that length an honest population would send
(:mod:`graphldp.threats.defenses.law`), and how often unsuspected others list her
(:mod:`graphldp.threats.defenses.evidence`). In a directed graph there is only the first.

*guarantee*: an honest user is flagged with probability at most θ, hubs included, by the p-values of
:mod:`graphldp.threats.defenses.promise`: others list her too seldom for every degree that could have given her list
(9/10 of θ), no degree could have given it, or it does not go with her own d* (1/20 each).

*accuracy*: she is flagged if she is malicious rather than honest under an empirical-Bayes mixture, graph by graph. This
finds nearly all senders of long lists and, in an attacked graph, sacrifices hubs whose lists look just like theirs.
In a cell (one graph, lists of about one length) h honest users are expected, by the population's law. If μ malicious
ones are there too, a user whose columns favour honesty by a factor r is malicious with probability μ/(μ + h·r). μ is
found by expectation–maximization with the scale-free prior 1/μ, which takes one user off the count:

    μ ← max(Σ_i μ/(μ + h·r_i) − 1, 0).

So one or two long lists where a fraction of one is expected are taken for hubs (the only fixed point is 0), and many
for what they are. No share β of malicious users is assumed, and one graph's verdict does not depend on another's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.mechanisms import DPRR, RR, LocalLap
from graphldp.mechanisms.named import drawn_by
from graphldp.reports import Reports
from graphldp.threats.defenses.base import Defense, Verdict, can_be_flagged, check_theta
from graphldp.threats.defenses.evidence import LARGEST, Columns, Contradictions
from graphldp.threats.defenses.law import BINS, Population, Sampling, bins
from graphldp.threats.defenses.promise import fits_own_degree, impossible_list, seldom_listed
from graphldp.threats.treatments import Treatment

Point = Literal["guarantee", "accuracy"]
Floats = NDArray[np.float64]
_OWN_WORD = 1e-4  # the level at which the accuracy point takes a list for longer than its own d* allows
_STEPS = 40  # of expectation–maximization in a cell
_PRIOR = 1.0  # the user that the prior takes off a cell's count
_ROUNDS = 3  # suspects are taken out of the columns, the columns change, and so on: settled after two


@dataclass(frozen=True)
class HubGuard(Defense):
    """Tell senders of fake lists from hubs. For DPRR, RR and LocalLap reports.

    Args:
        point: ``"accuracy"``, which protects the model best, or ``"guarantee"``, which flags an honest user, hub or
            not, with probability at most θ as long as unsuspected users do not conspire.
        theta: θ of the guarantee; the accuracy point does without.
        treatment: see :class:`graphldp.threats.Defense`.

    Example::

        kept, verdict = HubGuard("accuracy").apply(reports, rng=7)
        clf.fit(kept.subset(train), validation=kept.subset(val))
    """

    point: Point = "accuracy"
    theta: float = 0.05
    treatment: Treatment = field(default="redraw", kw_only=True)

    derived_for = (DPRR, RR, LocalLap)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.point not in get_args(Point):
            raise bad_parameter("point", "HubGuard", f"one of {', '.join(get_args(Point))}", self.point)
        check_theta(self.theta, "HubGuard")

    def judge(self, reports: Reports) -> Verdict:
        """Posterior against ½, or surprise −log₁₀ p against −log₁₀ θ."""
        case = _Case(reports)
        if self.point == "accuracy":
            caught = fits_own_degree(case.law, reports) < _OWN_WORD
            return Verdict(np.where(caught, 1.0, case.posterior()), np.where(case.able, 0.5, np.inf))
        score = -np.log10(np.clip(case.p_value(self.theta), 1e-300, 1.0))
        return Verdict(score, np.where(case.able, -np.log10(self.theta), np.inf))


class _Case:
    """The two witnesses for one set of reports."""

    def __init__(self, reports: Reports) -> None:
        self.mechanism = drawn_by(reports, "HubGuard", *HubGuard.derived_for)
        if reports.origin.parameters.get("estimator", "clip") != "clip":
            raise DataError("HubGuard is derived for DPRR with estimator='clip'; these reports used another.")
        self.reports, self.able = reports, can_be_flagged(reports)
        self.law, self.length = Sampling.of(reports, self.mechanism), reports.degrees.astype(np.float64)
        self.users = np.flatnonzero(self.able)
        laws, self.kind = self.law[self.users].classes()
        self.population = Population.of(laws)
        self.bin = bins(reports.degrees[self.users], self.law.n[self.users])
        self.cell = reports.graph_of_user[self.users] * BINS + self.bin
        # users of one graph may differ in ε: what is expected in a cell is the sum over them
        each = self.population.joint.sum(axis=1)
        graph = reports.graph_of_user[self.users]
        expected = np.stack([np.bincount(graph, each[self.kind, b], reports.num_graphs) for b in range(BINS)], axis=1)
        share = np.einsum("cgb,cg->cb", self.population.joint, self.population.share) / np.maximum(each, 1e-300)
        self.degree = self._everyone(share[self.kind, self.bin]) * np.maximum(self.law.n - 1, 0)
        self.expected = np.maximum(expected.ravel(), 1e-3)[self.cell]

    def posterior(self, rounds: int = _ROUNDS) -> Floats:
        """The probability that each user is malicious."""
        found = by_number(self.cell, self.expected)
        for _ in range(0 if self.reports.directed else rounds - 1):
            # where nobody is suspected the columns are not asked; but contradictions may speak against any list
            asked = np.flatnonzero(found > 0) if self.mechanism is not LocalLap else np.arange(len(found))
            ratio = self._log_ratio(self._everyone(found), asked)
            found = np.zeros(len(found))
            found[asked] = by_columns(self.cell[asked], self.expected[asked], ratio)
        return self._everyone(found)

    def p_value(self, theta: float) -> Floats:
        """At most θ with probability at most θ for an honest user: three tests share θ."""
        reports, law = self.reports, self.law
        never, own = impossible_list(law, self.length), fits_own_degree(law, reports)
        if reports.directed:
            return np.asarray(np.minimum(never / 0.9, own / 0.1))
        by_list = np.minimum(never, own) / 0.05
        trusted = self.able & (self.posterior(rounds=1) < 0.5)
        if self.mechanism is LocalLap:
            seldom = Contradictions.of(reports, trusted | reports.public).upper_tail()
        else:
            asked, seldom = np.flatnonzero(by_list > theta), np.ones(reports.num_users)
            columns = Columns.of(reports, self.mechanism, trusted, self.degree)
            seldom[asked] = seldom_listed(law[asked], self.length[asked], columns[asked], theta)
        return np.asarray(np.minimum(by_list, seldom / 0.9))

    def _log_ratio(self, posterior: Floats, asked: NDArray[np.int64]) -> Floats:
        """How much some users' columns speak for honesty, averaged over the degrees that their lists make likely."""
        reports, trusted = self.reports, self.able & (posterior < 0.5)
        users = self.users[asked]
        if self.mechanism is LocalLap:
            return Contradictions.of(reports, trusted | reports.public).log_ratio()[users]
        columns = Columns.of(reports, self.mechanism, trusted, self.degree)
        kind = self.kind[asked]
        weight = self.population.joint + 1e-30  # bins that no honest list is in, too
        share = np.log(weight / weight.sum(axis=1, keepdims=True))[kind, :, self.bin[asked]]
        support = columns[users].log_ratio(self.population.share[kind]) + share
        largest = support.max(axis=1, initial=-LARGEST)
        ratio = largest + np.log(np.exp(support - largest[:, None]).sum(axis=1))
        return np.asarray(np.clip(ratio, -LARGEST, LARGEST))

    def _everyone(self, values: Floats) -> Floats:
        """Values of those who can be flagged, 0 for the others."""
        spread = np.zeros(self.reports.num_users)
        spread[self.users] = values
        return spread


def by_number(cell: NDArray[np.int64], expected: Floats) -> Floats:
    """The posterior probability that each user is malicious where all r are 1: the largest fixed point has a formula.

        μ = (k + √(k² − 4h))/2,   k = N − h − 1,   for N users in the cell; 0 where k < 2√h.

    Args:
        cell: which cell each user is in.
        expected: h of her cell.
    """
    excess = np.bincount(cell)[cell] - expected - 1.0
    inside = excess**2 - 4.0 * expected
    mu = np.where((excess > 0.0) & (inside >= 0.0), (excess + np.sqrt(np.maximum(inside, 0.0))) / 2.0, 0.0)
    return np.asarray(mu / (mu + expected))


def by_columns(cell: NDArray[np.int64], expected: Floats, log_ratio: Floats) -> Floats:
    """The posterior probability that each user is malicious.

    Args:
        cell: which cell each user is in.
        expected: h of her cell.
        log_ratio: log r, by how much her columns favour honesty.
    """
    weight = expected * np.exp(log_ratio)
    posterior = np.zeros(len(cell))
    count = np.bincount(cell).astype(np.float64)
    left = np.arange(len(cell))
    for _ in range(_STEPS):
        own = cell[left]
        mu = count[own]
        posterior[left] = mu / (mu + weight[left])
        count = np.maximum(np.bincount(own, posterior[left], len(count)) - _PRIOR, 0.0)
        gone = count[own] == 0.0  # for good: a cell without malicious users stays so
        posterior[left[gone]] = 0.0
        left = left[~gone]
    return posterior

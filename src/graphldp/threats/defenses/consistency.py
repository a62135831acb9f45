"""Row against column: the consistency test of Imola et al. for randomized response on undirected graphs.

In an undirected graph a_ij = a_ji, so two honest users' bits about each other differ with a probability that does not
depend on the edge: p_i(1−p_j) + (1−p_i)p_j, which is 2p(1−p) for one ε, and 1−p against a public user. The number of
inconsistent bits of an honest user is then a sum of independent coins and has tails no heavier than a binomial
(Hoeffding 1956); up to m malicious users can add m to it. The threshold is m plus the (1−θ)-quantile over the others.

Lists that were sampled after randomized response (DPRR) are too short for this: q_i differs from user to user, and a
malicious one can choose hers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from graphldp.errors import DataError
from graphldp.mechanisms.named import drawn_by
from graphldp.mechanisms.rr import RR
from graphldp.reports import Reports
from graphldp.threats.attacks.poison import check_share
from graphldp.threats.defenses.base import Defense, Verdict, can_be_flagged, check_theta
from graphldp.threats.defenses.evidence import inconsistencies


@dataclass(frozen=True)
class RowColumnCheck(Defense):
    """Flag users whose row disagrees with their column too often. For RR on undirected graphs, all of one ε.

    Args:
        theta: θ, the bound on the probability that an honest user is flagged.
        fraction: the largest share of malicious users in a graph for which the bound shall hold.
        treatment: see :class:`graphldp.threats.Defense`.
    """

    theta: float = 0.05
    fraction: float = 0.0

    derived_for = (RR,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_theta(self.theta, "RowColumnCheck")
        check_share(self.fraction, "fraction", "RowColumnCheck")

    def judge(self, reports: Reports) -> Verdict:
        """The number of inconsistent bits of every user against its quantile."""
        drawn_by(reports, "RowColumnCheck", *self.derived_for)
        if reports.directed:
            raise DataError("RowColumnCheck needs undirected graphs: in a directed one a row and a column may differ.")
        private = ~reports.public
        epsilon = np.unique(reports.epsilon2[private])
        if len(epsilon) > 1:
            raise DataError("RowColumnCheck needs one ε for all private users; these reports have several.")
        able = can_be_flagged(reports)
        present = able | reports.public
        users = np.bincount(reports.graph_of_user[present], minlength=reports.num_graphs)
        public = np.bincount(reports.graph_of_user[reports.public], minlength=reports.num_graphs)
        flip = 1 / (np.exp(epsilon[0]) + 1) if len(epsilon) else 0.0
        lying = np.floor(self.fraction * users + 1e-9)
        trials = np.maximum(users - 1 - lying, 0)
        hidden = np.maximum(trials - public, 0)
        mean = (hidden * 2 * flip * (1 - flip) + (trials - hidden) * flip) / np.maximum(trials, 1)
        limit = lying + binom.isf(self.theta, trials, mean) + 1  # strictly more than the quantile
        score = inconsistencies(reports, present).astype(np.float64)
        return Verdict(score, np.where(able, np.repeat(limit, reports.sizes), np.inf))

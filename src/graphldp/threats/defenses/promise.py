"""The p-values behind the guarantee of :class:`graphldp.threats.HubGuard`.

An honest user's true degree d is unknown. Given d, her list (p₁ = Pr(a list as long)) and the lists of others
(p₂ = Pr(listed as seldom)) are independent, so T = p₁^w·p₂ has

    Pr(T ≤ t) ≤ (t − w·t^(1/w))/(1 − w),   0 < w < 1,

and the largest of this over all d is a p-value whatever d is. w = 0.2 leaves nearly all of θ to the columns; p₁ then
rules out degrees far below the claimed one. d runs over intervals, p₁ at their upper and p₂ at their lower end.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from graphldp.reports import Reports
from graphldp.threats.defenses.evidence import Columns
from graphldp.threats.defenses.law import Sampling

Floats = NDArray[np.float64]
_WEIGHT = 0.2
_ENDS = (np.inf, 1.0, 0.97, 0.94, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)  # times the typical degree


def impossible_list(law: Sampling, length: Floats) -> Floats:
    """Pr(a list as long) at worst: everybody is a neighbour and q = 1. Exact, where the paper's bound is Chernoff's."""
    with_q = np.where(np.isinf(law.epsilon1), law.q, 1.0) * (1 - law.flip)
    return _binomial_tail(length, np.maximum(law.n - 1, 1), with_q)


def seldom_listed(law: Sampling, length: Floats, columns: Columns, theta: float) -> Floats:
    """The p-value of list and columns together, one per user.

    Users whose list one friend explains with probability θ get 1. So does, at once, who is listed often enough for the
    degree that her list suggests.

    Args:
        law: of the users' lists.
        length: of the lists.
        columns: what others say.
        theta: the level at which the p-value will be read.
    """
    others = np.maximum(law.n - 1, 1)
    p = np.ones(len(length))
    typical = law.typical_degree(length)
    users = np.flatnonzero(length > law.moments(np.ones(len(length)), 0.0)[0])
    users = users[law[users].tail(length[users], np.ones(len(users))) < theta]
    p[users] = 0.0
    for upper, lower in pairwise(_ENDS):
        top = np.minimum(typical[users] * upper, others[users]) if np.isfinite(upper) else others[users]
        first = law[users].tail(length[users], top)
        second = columns[users].lower_tail(typical[users] * lower / others[users])
        product = np.minimum(first, 1.0) ** _WEIGHT * second
        p[users] = np.maximum(p[users], (product - _WEIGHT * product ** (1 / _WEIGHT)) / (1 - _WEIGHT))
        users = users[p[users] <= theta]  # the others will not be flagged, whatever follows
    return p


def fits_own_degree(law: Sampling, reports: Reports) -> Floats:
    """Pr(a list as long), given the d* that she sent with it: DPRR's q follows from d*, and d is not far from it."""
    if reports.noisy_degree is None or not np.isfinite(law.epsilon1).any():
        return np.ones(reports.num_users)
    length, others = reports.degrees.astype(np.float64), np.maximum(law.n - 1, 1)
    with np.errstate(invalid="ignore"):
        degree = np.clip(reports.noisy_degree + 20 / law.epsilon1, 0, others)  # d is beyond with probability 1e-9
        noise = (reports.noisy_degree - degree) * law.epsilon1
    mean, spread = law.moments(degree, np.nan_to_num(noise))
    users = np.flatnonzero(~reports.public & (length > mean + spread))  # others are not unusual
    p = np.ones(reports.num_users)
    # the sum of two binomials has tails no heavier than the binomial of the same mean (Hoeffding 1956)
    p[users] = _binomial_tail(length[users], others[users], np.clip(mean[users] / others[users], 0, 1))
    return p


def _binomial_tail(count: Floats, trials: Floats, chance: Floats) -> Floats:
    """Pr(Bin(trials, chance) ≥ count), for counts up to the number of trials."""
    tail = betainc(np.maximum(count, 1.0), np.maximum(trials - count + 1.0, 1.0), chance)
    return np.asarray(np.where(count > 0, tail, 1.0))

"""Triangles and clustering from both rounds of ClosedPairs.

With F the probability that a published bit is wrong, d the friends of a user and t the pairs of them who are friends,

    E[u | d*] = 4(1 − 2F)·t + κ(d, d*),     κ(d, d*) = 4F·C(d, 2) − C(d*)·d.

G(d) = E[κ(d, d + N)] is a known function, and (LG)(d*) has the mean G(d) (:mod:`graphldp.estimates.noise`). So t is
read off without bias as long as no friend reaches the cap. Triangles are Σt/3. Their variance is that of the answers
and of κ − LG, user by user, and V/9 for the published bits: V = v·Σ c², c the common friends of a pair and
v = F(1 − F)/(2(1 − 2F)²) the variance of the mean of its two bits. V is read off the lists, within what degrees allow:
Σc ≤ Σc² ≤ Σc·Σd²/Σd.

The lists give a second estimate, whose noise of the same bits has the covariance V/3 with the first. The two are
weighted by their variances.

**Missing users.** Where m of n lists were published, a list by chance stands for each other one, so that a pair counts
as far as its users are listed. Of the others of user i the share φ = (m − 1[i is listed])/(n − 1) is, and t is divided
by it: V counts 1/φ² times, the covariance 1/φ times. Who is listed is a sample of the roster, like who answers, and of
the same users: the two errors are added as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.estimates.degrees import AT_RANDOM
from graphldp.estimates.lists import ListSums
from graphldp.estimates.noise import NoisyNumbers, spread
from graphldp.estimates.rows import Estimate, estimate
from graphldp.estimates.samples import Doubt, Sample, added
from graphldp.privacy.caps import pair_caps
from graphldp.privacy.pairs import slack_of
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_FAR = 30.0  # e^−30 of the noise's mass is beyond


@dataclass(frozen=True)
class PairSums:
    """The sums of some communities' answers, for the roster. All is additive.

    Args:
        triangles: their number.
        doubt: its variance, but for the published bits.
        bits: v·Σc, the most that V may be, and what it grows by where some did not answer; then v·Σc/φ, v·Σc/φ² and
            v·Σc·(n/m)², m of n in the lists' own estimate.
        stars: 2-stars.
        of_stars: their variance.
        users: in the roster.
        answered: of them.
    """

    triangles: float
    doubt: Doubt
    bits: Floats
    stars: float
    of_stars: Doubt
    users: int
    answered: int

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(
            self.triangles + other.triangles,
            added((self.doubt, other.doubt)),
            self.bits + other.bits,
            self.stars + other.stars,
            added((self.of_stars, other.of_stars)),
            self.users + other.users,
            self.answered + other.answered,
        )


def pair_rows(told: PairSums, lists: ListSums) -> Iterator[Estimate]:
    """Triangles and clustering, from answers and lists."""
    whole = told.answered == told.users == lists.reported
    basis = f"answers of {f'all {told.users:,}' if whole else f'{told.answered:,} of {told.users:,}'} users, and lists"
    assumed = "" if whole else AT_RANDOM
    low, high, growth, *_ = told.bits.tolist()
    once, twice, wide = (told.bits[3:] / low).tolist() if low else (1.0, 1.0, 1.0)
    v = min(max(float(lists.noise[1]) / wide, low), max(high, low))
    second, third = (max(float(each), 0.0) for each in lists.noise[4:6])
    by_lists = Doubt(v * wide + second + third, float(lists.absence[1]))
    by_answers = Doubt(told.doubt.noise + (v * twice + growth) / 9, told.doubt.absence, told.doubt.freedom)
    shared = v * once / 3
    apart = by_lists.variance + by_answers.variance - 2 * shared
    w = min(max((by_answers.variance - shared) / apart, 0.0), 1.0) if apart > 0 else 0.0
    triangles = w * float(lists.counts[1]) + (1 - w) * told.triangles
    noise = w**2 * by_lists.noise + (1 - w) ** 2 * by_answers.noise + 2 * w * (1 - w) * shared
    absence = (w * math.sqrt(by_lists.absence) + (1 - w) * math.sqrt(by_answers.absence)) ** 2
    doubt = Doubt(noise, absence, by_answers.freedom)
    yield estimate("triangles", triangles, doubt, basis, assumed)
    if told.stars > 0:
        ratio = 3 * triangles / told.stars
        doubt = added((doubt.times(3), told.of_stars.times(ratio))).times(1 / told.stars)
        yield estimate("clustering", ratio, doubt, basis, assumed, within=(0.0, 1.0))


def read_pairs(reports: Reports, graph: int, numbers: NoisyNumbers, reported: Sample, least: int) -> PairSums | None:
    """The sums of one graph's answers; None where too few answered.

    Args:
        reports: of all graphs.
        graph: which one.
        numbers: the noisy degrees of those who reported.
        reported: who they are.
        least: see :func:`graphldp.statistics`.
    """
    start, stop = reports.graph_ptr[graph : graph + 2].tolist()
    here, n = slice(start, stop), stop - start
    answers = reports.pair_answers
    if answers is None or np.isfinite(answers.told[here]).sum() < least:
        return None
    listed = np.ones(n, np.bool_) if answers.listed is None else answers.listed[here]
    if (many := int(listed.sum())) < least:
        return None
    answered = np.isfinite(answers.told[here]) & (True if reports.missing is None else ~reports.missing[here])
    users = start + np.flatnonzero(answered)
    groups = np.zeros(n, np.int64) if reports.groups is None else reports.groups[here]
    sample, flip = Sample.of(groups, answered, least), float(answers.flip[start])
    offset, noise = _corrections(reports, users, n, flip)
    scale = 4 * (1 - 2 * flip) * (many - listed[answered]) / (n - 1)
    pairs, doubts = (answers.told[users] - offset) / scale, noise / scale**2
    total, doubt = sample.total(pairs, doubts)
    apart = max(float(pairs.var(ddof=1) - doubts.mean()), 0.0) if len(users) > 1 else 0.0
    absence = math.sqrt(doubt.absence) + math.sqrt(n**2 / many * (1 - many / n) * apart)
    doubt = doubt._replace(absence=absence**2)
    stars, of_stars = reported.total(*numbers.read(lambda d: d * (d - 1) / 2))
    first, second = (reported.total(*numbers.read(function))[0] for function in (lambda d: d, lambda d: d**2))
    v = flip * (1 - flip) / (1 - 2 * flip) ** 2 / 2
    share = min(max(second / first, 1.0), n) if first > 0 else 1.0
    once, wide = n / many, (n / len(reported.stratum)) ** 2
    bits = v * max(stars, 0.0) * np.array([1.0, share, (n / len(users) - 1) * once**2, once, once**2, wide])
    return PairSums(total / 3, doubt.times(1 / 3), bits, stars, of_stars, n, len(users))


def _corrections(reports: Reports, users: Ints, n: int, flip: float) -> tuple[Floats, Floats]:
    """LG of each user, and the variance that noise gives to what she answers less that."""
    told, spent = np.asarray(reports.noisy_degree)[users], reports.epsilon1[users]
    answer, slack = np.asarray(reports.budget.answer)[users], float(reports.origin.parameters["slack"])
    offset, noise = np.zeros(len(users)), np.zeros(len(users))
    for epsilon0, epsilon2 in set(zip(spent.tolist(), answer.tolist(), strict=True)):
        some = (spent == epsilon0) & (answer == epsilon2)
        steps = slack_of(epsilon0, slack, n)
        values, place = np.unique(told[some].astype(np.int64), return_inverse=True)
        of_degree, doubt = by_law(values, n, flip, epsilon0, steps)
        offset[some] = of_degree[place]
        noise[some] = (doubt + 2 * spread(epsilon2 / pair_caps(values, n, flip, steps)))[place]
    return offset, noise


def by_law(values: Ints, n: int, flip: float, epsilon0: float, slack: int) -> tuple[Floats, Floats]:
    """LG at some noisy degrees, and the variance of κ − LG, read off them without bias, too.

    Below 0 and above the largest degree that matters functions of a degree go on as they are there.
    """
    reach = 0 if math.isinf(epsilon0) else math.ceil(_FAR / epsilon0)
    top = min(int(max(values.max(initial=0), 0)) + 1, n - 1)  # of degrees
    d, z = np.arange(top + 1), np.arange(-1, min(n, top + reach) + 1)  # beyond, and below 0, caps are the same
    left = 2 * flip * d * (d - 1) - pair_caps(z, n, flip, slack)[:, None] * d
    a, chance = float(spread(epsilon0)), _chances(z, d, epsilon0)
    mean = (chance * left).sum(axis=0)
    doubt = (chance * (left - _undone(mean, z, a)[:, None]) ** 2).sum(axis=0)
    return _undone(mean, values, a), _undone(doubt, values, a)


def _chances(z: Ints, d: Ints, epsilon0: float) -> Floats:
    """Pr(d* = z | d), its ends standing for all that is beyond."""
    apart = np.abs(z[:, None] - d)
    if math.isinf(epsilon0):
        return np.asarray(apart == 0, np.float64)
    chance = np.tanh(epsilon0 / 2) * np.exp(-epsilon0 * apart)
    chance[[0, -1]] /= -math.expm1(-epsilon0)  # a geometric sum
    return np.asarray(chance)


def _undone(function: Floats, at: Ints, a: float) -> Floats:
    """(Lf) at some numbers, f constant beyond its ends."""
    below, here, above = (function[np.clip(at + step, 0, len(function) - 1)] for step in (-1, 0, 1))
    return np.asarray(here - a * (above - 2 * here + below))

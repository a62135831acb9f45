"""Rows from lists by randomized response: triangles and clustering, and friendships where no degree was sent.

With Pr(reported | edge) = a and Pr(reported | none) = b, (ã − b)/(a − b) has the mean of the true bit. Both users of a
pair report it: e is the weighted mean of the two, v its variance. Different pairs are independent, so the sum T of
e_ij e_jk e_ki over triples has the mean of the triangles, the sum S of e_ij e_ik that of the 2-stars. T's variance is

    Σ_ij v_ij c_ij² + Σ_jk a_jk Σ_i v_ij v_ik + Σ_ijk v_ij v_jk v_ki,     c_ij the common friends of i and j,

of which each term is estimated without bias, too. Clustering is 3T/S, with an error by the delta method. The sums go
over the rows of some users at a time, so memory is linear in n and in what the lists hold; time is n³. DPRR's lists
cannot be counted like this: a user with d* ≤ 0 sends none.

**Missing users.** Pairs among those who reported are counted. For the roster, m of n users are a random sample, and
counts of triples grow by C(n, 3)/C(m, 3). Their further variance is m(1 − m/n)·s² before that, s² the variance over
users of how many each user is part of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.estimates.degrees import AT_RANDOM, total_rows
from graphldp.estimates.rows import Estimate, estimate
from graphldp.estimates.samples import Doubt
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Lists = tuple[NDArray[np.integer], NDArray[np.integer]]
_ROWS = 256  # users whose pairs are in memory at a time: enough for fast products


@dataclass(frozen=True)
class ListSums:
    """The sums of some communities' lists, for the roster. All is additive.

    Args:
        counts: friendships, triangles T and 2-stars S.
        noise: the variance of friendships, then Σ v·c², Σ v·c·D and Σ v·D² over pairs, D = d_i + d_j − 2e_ij the
            2-stars that a pair is part of, and the second and third term of the variance of T.
        absence: the further variances of friendships and T, then their covariance with S, and the variance of S.
        users: in the roster.
        reported: of them.
    """

    counts: Floats
    noise: Floats
    absence: Floats
    users: int
    reported: int

    def __add__(self, other: ListSums) -> ListSums:
        parts = (self.counts + other.counts, self.noise + other.noise, self.absence + other.absence)
        return ListSums(*parts, self.users + other.users, self.reported + other.reported)


def list_rows(sums: ListSums, pairs: float, *, alone: bool) -> Iterator[Estimate]:
    """The rows.

    Args:
        sums: of one community or of several.
        pairs: of users who may be friends.
        alone: whether lists are all there is, so that friendships are read off them, too.
    """
    whole = sums.users == sums.reported
    basis = f"lists of {f'all {sums.users:,}' if whole else f'{sums.reported:,} of {sums.users:,}'} users"
    assumed = "" if whole else AT_RANDOM
    friendships, triangles, stars = sums.counts.tolist()
    _, squares, cross, of_stars, second, third = sums.noise.tolist()
    absent = sums.absence.tolist()
    if alone:
        doubt = Doubt(float(sums.noise[0]), absent[0])
        yield from total_rows(2 * friendships, doubt.times(2), pairs, basis, assumed)
        yield estimate("mean degree", 2 * friendships / sums.users, doubt.times(2 / sums.users), basis, assumed)
        yield estimate("2-stars", stars, Doubt(of_stars, absent[4]), basis, assumed)
    yield estimate("triangles", triangles, Doubt(squares + second + third, absent[1]), basis, assumed)
    if stars > 0:
        ratio = 3 * triangles / stars
        noise = 9 * (squares + second + third) - 6 * ratio * cross + ratio**2 * of_stars
        absence = max(9 * absent[2] - 6 * ratio * absent[3] + ratio**2 * absent[4], 0.0)
        doubt = Doubt(noise, absence).times(1 / stars)
        yield estimate("clustering", ratio, doubt, basis, assumed, within=(0.0, 1.0))


def read_lists(reports: Reports, graph: int) -> ListSums:
    """The sums of one graph, whose lists can be counted."""
    one = reports.subset([graph])
    users = one.num_users
    one = one.induced()
    return _summed(_Pairs((one.indptr, one.indices), *list_rates(one)), one.num_users, users)


def countable(reports: Reports) -> bool:
    """Whether every bit of a list was drawn alone, with rates that ε and the mechanism's parameters say."""
    match reports.origin.name:
        case "rr" | "arr" | "blink" | "closed-pairs" | "nonpriv-full":
            return True
    return False


def list_rates(reports: Reports) -> tuple[Floats, Floats]:
    """Pr(reported | edge) and Pr(reported | none) of each user."""
    flip = np.exp(-np.logaddexp(0.0, reports.epsilon2))  # 0 for a public user
    keep, given = 1 - flip, reports.origin.parameters
    sampling = float(given.get("sampling", 1.0))
    if given.get("sampled") == "zeros":
        keep, flip = 1 - sampling * flip, 1 - sampling * keep
    else:
        keep, flip = sampling * keep, sampling * flip
    return np.where(reports.public, 1.0, keep), np.where(reports.public, 0.0, flip)


def _summed(pairs: _Pairs, reported: int, users: int) -> ListSums:
    """All sums, from some users' rows of the n × n matrices at a time."""
    parts = [slice(start, min(start + _ROWS, reported)) for start in range(0, reported, _ROWS)]
    degree, doubt, squared = (np.zeros(reported) for _ in range(3))
    for mine in parts:
        edge, spread = pairs.rows(mine)
        degree[mine], doubt[mine] = edge.sum(axis=1), spread.sum(axis=1)
        squared[mine] = (edge**2).sum(axis=1)
    part_of, starred = np.zeros(reported), np.zeros(reported)  # triangles and 2-stars that each user is part of
    total = np.zeros(6)
    for number, mine in enumerate(parts):
        edge, spread = pairs.rows(mine)
        starred[mine] = (degree[mine] ** 2 - squared[mine]) / 2 + edge @ degree - squared[mine]
        for theirs in parts[number:]:
            edge2, spread2 = (edge, spread) if theirs is mine else pairs.rows(theirs)
            common, both = edge @ edge2.T, spread @ spread2.T  # the matrices are their own transposes
            seen = common**2 + common - (edge**2) @ (edge2**2).T
            e, v = edge[:, theirs], spread[:, theirs]
            stars = degree[mine, None] + degree[theirs] - 2 * e
            part_of[mine] += (e * common).sum(axis=1) / 2
            if theirs is not mine:
                part_of[theirs] += (e * common).sum(axis=0) / 2
            found = [
                _sum(v, seen),
                _sum(v, common * stars),
                _sum(v, stars**2),
                _sum(e, both),
                _sum(v, both),
                _sum(v, common),
            ]
            total[:6] += np.array(found) * (1 if theirs is mine else 2)
    squares, cross, of_stars, second, third, once = (total[:6] / 2).tolist()
    third /= 3
    triangles, stars = part_of.sum() / 3, starred.sum() / 3
    by_two, by_three = (math.comb(users, k) / max(math.comb(reported, k), 1) for k in (2, 3))
    of_triangles = (2 * squares + once + 3 * second + 3 * third) / max(reported, 1)  # each user's count's noise
    apart = reported * (1 - reported / users) * np.ones(5)
    if reported > 1:
        both = np.cov(part_of, starred)
        apart *= [
            max(degree.var(ddof=1) - doubt.mean(), 0.0),
            *(max(both[0, 0] - of_triangles, 0.0),) * 2,
            both[0, 1],
            both[1, 1],
        ]
    return ListSums(
        np.array([by_two * degree.sum() / 2, by_three * triangles, by_three * stars]),
        np.array([by_two**2 * doubt.sum() / 2, *(by_three**2 * np.array([squares, cross, of_stars, second, third]))]),
        apart * [by_two**2, *(by_three**2,) * 4],
        users,
        reported,
    )


class _Pairs:
    """The pairs of a graph: what the two users of each report of it.

    Args:
        lists: where each user's list begins, and the lists.
        keep: Pr(reported | edge) of each user.
        fake: Pr(reported | no edge).
    """

    def __init__(self, lists: Lists, keep: Floats, fake: Floats) -> None:
        indptr, indices = lists
        counts = np.bincount(indices, minlength=len(keep))
        owner = np.repeat(np.arange(len(keep), dtype=np.int32), np.diff(indptr))
        self._lists = lists
        self._listed_by = np.append(0, np.cumsum(counts)), owner[np.argsort(indices, kind="stable")]
        self._keep, self._fake = keep, fake

    def rows(self, some: slice) -> tuple[Floats, Floats]:
        """Of some users with all: each pair's bit without bias, and its variance."""
        scale = self._keep - self._fake
        none, edge = (rate * (1 - rate) / scale**2 for rate in (self._fake, self._keep))
        with np.errstate(invalid="ignore"):
            mine = none / (none[some, None] + none)  # who is surer counts for more
        mine[np.isnan(mine)] = 0.5  # both are public
        joined = mine * (self._told(self._lists, some) - self._fake[some, None]) / scale[some, None]
        joined += (1 - mine) * (self._told(self._listed_by, some) - self._fake) / scale
        absent, present = (mine**2 * each[some, None] + (1 - mine) ** 2 * each for each in (none, edge))
        spread = absent + (present - absent) * joined
        itself = np.arange(len(joined)), np.arange(some.start, some.start + len(joined))
        joined[itself] = spread[itself] = 0.0
        return joined, spread

    def _told(self, lists: Lists, some: slice) -> Floats:
        """The rows of some users in the matrix of reported bits, or in its transpose."""
        indptr, indices = lists[0][some.start : some.stop + 1], lists[1]
        told = np.zeros((len(indptr) - 1, len(self._keep)))
        told[np.repeat(np.arange(len(told)), np.diff(indptr)), indices[indptr[0] : indptr[-1]]] = 1.0
        return told


def _sum(one: Floats, two: Floats) -> float:
    """Over all pairs but a user with herself; the first matrix is 0 there."""
    return float(np.einsum("ij,ij->", one, two))

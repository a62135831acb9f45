"""Rows from lists by randomized response: triangles and clustering, and friendships where no degree was sent.

With Pr(reported | edge) = a and Pr(reported | none) = b, (ã − b)/(a − b) has the mean of the true bit. Both users of a
pair report it: e is the weighted mean of the two, v its variance. Different pairs are independent, so the sum T of
e_ij e_jk e_ki over triples has the mean of the triangles, the sum S of e_ij e_ik that of the 2-stars. T's variance is

    Σ_ij v_ij c_ij² + Σ_jk a_jk Σ_i v_ij v_ik + Σ_ijk v_ij v_jk v_ki,     c_ij the common friends of i and j,

of which each term is estimated without bias, too. That of c_ij² is its noise, Σ_k e_ik² e_kj² less c_ij, too large. As
p = e + v has the mean of e², this noise is taken as Σ_k e_ik² p_kj + p_ik e_kj² − p_ik p_kj: all is then read off the
squares of the matrices of e, v and p. Clustering is 3T/S, with an error by the delta method. The sums go over the rows
of some users at a time, so memory is linear in n and in what the lists hold; time is n³. DPRR's lists cannot be counted
like this: a user with d* ≤ 0 sends none.

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
Matrices = tuple[NDArray[np.floating], ...]
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
        edge, spread = pairs.read(pairs.told(mine), mine)
        degree[mine], doubt[mine] = edge.sum(axis=1), spread.sum(axis=1)
        squared[mine] = (edge**2).sum(axis=1)
    part_of, starred = np.zeros(reported), np.zeros(reported)  # triangles and 2-stars that each user is part of
    total = np.zeros(6)
    for number, mine in enumerate(parts):
        told = pairs.told(mine)
        edge, spread = pairs.read(told, mine)
        starred[mine] = (degree[mine] ** 2 - squared[mine]) / 2 + edge @ degree - squared[mine]
        for theirs in parts[number:]:
            same = theirs is mine
            common, both, joint = pairs.products(told, mine, told if same else pairs.told(theirs), theirs)
            e, v = edge[:, theirs], spread[:, theirs]
            stars = degree[mine, None] + degree[theirs] - 2 * e
            triangles = e * common
            part_of[mine] += triangles.sum(axis=1) / 2
            if not same:
                part_of[theirs] += triangles.sum(axis=0) / 2
            seen = v * common
            found = [
                _sum(seen, common) + float(seen.sum()) - _sum(2 * e**2 - e - v, joint + both - common) / 2,
                _sum(seen, stars),
                _sum(v, stars**2),
                _sum(e, both),
                _sum(v, both),
                float(seen.sum()),
            ]
            total += np.array(found) * (1 if same else 2)
    squares, cross, of_stars, second, third, once = (total / 2).tolist()
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

    Where all have the same rates, e and v are linear in how many of the two say that they are friends. One product of
    these whole numbers, exact in single precision, then gives those of e, v and e + v. Else there are three.

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
        self._told = np.diff(indptr) + counts
        self._scale, self._fake = keep - fake, fake
        self._none, self._edge = (rate * (1 - rate) / self._scale**2 for rate in (fake, keep))
        _, user, kind = np.unique(np.stack((keep, fake)), axis=1, return_index=True, return_inverse=True)
        self._like = user[kind.ravel()]  # somebody with the same rates
        self._alike = len(user) == 1

    def told(self, some: slice) -> Matrices:
        """Rows of what is multiplied: how many of two say that they are friends; where rates vary e, v and e + v."""
        mine, theirs = (self._bits(lists, some) for lists in (self._lists, self._listed_by))
        if self._alike:
            return (mine + theirs,)
        kinds, which = np.unique(self._like[some], return_inverse=True)
        none, more = self._none, self._edge - self._none
        with np.errstate(invalid="ignore"):
            first = none / (none[kinds, None] + none)  # who is surer counts for more
        first[np.isnan(first)] = 0.5  # both are public
        one, two = first / self._scale[kinds, None], (1 - first) / self._scale
        start = -one * self._fake[kinds, None] - two * self._fake
        rise = first**2 * more[kinds, None] + (1 - first) ** 2 * more
        edge = start[which] + one[which] * mine + two[which] * theirs
        spread = (first * none[kinds, None])[which] + rise[which] * edge
        _hollow(edge, some), _hollow(spread, some)
        return edge, spread.astype(np.float32), (edge + spread).astype(np.float32)  # a variance need not be exact

    def read(self, told: Matrices, some: slice) -> tuple[Floats, Floats]:
        """Each pair's bit without bias, and its variance."""
        if not self._alike:
            return np.asarray(told[0], np.float64), told[1].astype(np.float64)
        counts = told[0].astype(np.float64)
        edge, spread = (_hollow(start + slope * counts, some) for start, slope in self._lines()[:2])
        return edge, spread

    def products(self, told: Matrices, mine: slice, told2: Matrices, theirs: slice) -> tuple[Floats, ...]:
        """The squares of e, v and e + v, but for a user with herself."""
        squares = [one @ two.T for one, two in zip(told, told2, strict=True)]  # all are their own transposes
        if not self._alike:
            return tuple(square.astype(np.float64, copy=False) for square in squares)
        square, others = squares[0].astype(np.float64), len(self._fake) - 2
        sides = self._told[mine, None] + self._told[theirs] - 2.0 * told[0][:, theirs]
        return tuple(start**2 * others + start * slope * sides + slope**2 * square for start, slope in self._lines())

    def _lines(self) -> NDArray[np.float64]:
        """Where e, v and e + v begin, and how they rise with what is told, if all have the same rates."""
        scale, fake, none, edge = (rates[0] for rates in (self._scale, self._fake, self._none, self._edge))
        bit, more = np.array([-fake, 0.5]) / scale, (edge - none) / 2
        spread = np.array([none / 2, 0.0]) + more * bit
        return np.array([bit, spread, bit + spread])

    def _bits(self, lists: Lists, some: slice) -> NDArray[np.float32]:
        """The rows of some users in the matrix of reported bits, or in its transpose."""
        indptr, indices = lists[0][some.start : some.stop + 1], lists[1]
        told = np.zeros((len(indptr) - 1, len(self._fake)), np.float32)
        told[np.repeat(np.arange(len(told)), np.diff(indptr)), indices[indptr[0] : indptr[-1]]] = 1.0
        return told


def _hollow(rows: Floats, some: slice) -> Floats:
    """Rows of some users, with 0 for each with herself."""
    rows[np.arange(len(rows)), np.arange(some.start, some.stop)] = 0.0
    return rows


def _sum(one: Floats, two: Floats) -> float:
    """Over all pairs but a user with herself; the first matrix is 0 there."""
    return float(np.einsum("ij,ij->", one, two))

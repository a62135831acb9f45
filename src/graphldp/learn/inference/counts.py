"""Subgraphs counted from reports: k-stars from noisy degrees, triangles from noisy lists, each with its variance.

**k-stars.** A user of degree d is the centre of f(d) = C(d, k) stars. Noise has a mean of 0, but f(d*) has not the mean
f(d). For Lap(b) the mean of any polynomial g(d*) is (1 − b²D²)⁻¹ g at d, D the derivative, so

    g = f − b² f''

has the mean f(d) exactly; for the discrete law with α = e^(−ε₁) it is g(x) = f(x) − α/(1−α)² (f(x+1) − 2f(x) + f(x−1)).
The same operator on f² gives f(d)² without bias, and so the variance: g(d*)² less that. Time is linear in users.

**Triangles.** With Pr(reported | edge) = a and Pr(reported | none) = b, (ã − b)/(a − b) has the mean of the true bit.
Both users of a pair report it: e is the weighted mean of the two, v its variance. Different pairs are independent, so
the sum of e_ij e_jk e_ki over triples has the mean of the triangles, and the variance

    Σ_ij v_ij c_ij² + Σ_jk a_jk Σ_i v_ij v_ik + Σ_ijk v_ij v_jk v_ki,     c_ij the common friends of i and j,

of which each term is estimated without bias, too. The sums go over the rows of some users at a time, so memory is
linear in n and in what the lists hold; time is n³. DPRR's lists cannot be counted like this: a user with d* ≤ 0 sends
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.mechanisms import ARR, DPRR, RR, Blink, LocalLap, NoisyDegrees
from graphldp.mechanisms.named import drawn_by
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Lists = tuple[NDArray[np.integer], NDArray[np.integer]]
_MOST = 8  # leaves: beyond, powers of d* leave double precision
_ROWS = 256  # users whose pairs are in memory at a time: enough for fast products


@dataclass(frozen=True)
class SubgraphCounts:
    """Counts of one kind of subgraph, one for each graph.

    Args:
        value: the counts; unbiased, so they may be below 0.
        variance: the variance of each, estimated without bias, so it may be below 0 where it is small.
    """

    value: Floats
    variance: Floats

    @property
    def deviation(self) -> Floats:
        """The standard deviation of each count; 0 where the estimated variance is below."""
        return np.sqrt(np.maximum(self.variance, 0.0))


def count_stars(reports: Reports, k: int = 2) -> SubgraphCounts:
    """Count k-stars: a user, and k of her friends.

    Args:
        reports: with noisy degrees, by NoisyDegrees, DPRR, LocalLap or Blink.
        k: leaves of a star, 1 to 8; with 1 every edge is counted from both ends.

    Example::

        stars = gl.count_stars(gl.NoisyDegrees(epsilon=1.0).randomize(graphs, rng=7), k=3)
        stars.value, stars.deviation
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= _MOST:
        raise bad_parameter("k", "count_stars", f"a whole number from 1 to {_MOST}", k)
    drawn_by(reports, "count_stars", NoisyDegrees, DPRR, LocalLap, Blink)
    _check_whole(reports, "count_stars")
    stars = Polynomial.fromroots(range(int(k))) / factorial(int(k))
    degree = np.asarray(reports.noisy_degree)
    value = _debiased(stars, degree, reports)
    variance = value**2 - _debiased(stars**2, degree, reports)
    graph, number = reports.graph_of_user, reports.num_graphs
    totals = (np.bincount(graph, each, number).astype(np.float64) for each in (value, variance))
    return SubgraphCounts(*totals)


def _debiased(function: Polynomial, degree: Floats, reports: Reports) -> Floats:
    """The polynomial of d* whose mean is the given one of d."""
    with np.errstate(divide="ignore"):
        if reports.noise == "laplace":
            spread, second = 1 / reports.epsilon1**2, function.deriv(2)(degree)
        else:
            decay = np.exp(-reports.epsilon1)
            spread = decay / np.expm1(-reports.epsilon1) ** 2
            second = function(degree + 1) - 2 * function(degree) + function(degree - 1)
    return np.asarray(function(degree) - spread * second)


def count_triangles(reports: Reports) -> SubgraphCounts:
    """Count triangles.

    Args:
        reports: of undirected graphs, by RR, ARR or Blink.

    Example::

        triangles = gl.count_triangles(gl.RR(epsilon=2.0).randomize(graphs, rng=7))
        triangles.value, triangles.deviation
    """
    kind = drawn_by(reports, "count_triangles", RR, ARR, Blink)
    _check_whole(reports, "count_triangles")
    if reports.directed:
        raise DataError("count_triangles is derived for undirected graphs.")
    flip = np.exp(-np.logaddexp(0.0, reports.epsilon2))  # 0 for a public user
    given = {name: reports.origin.parameters[name] for name in ("sampling", "sampled")} if kind is ARR else {}
    rates = (ARR(1.0, **given) if kind is ARR else RR(1.0)).rates(None, None, flip)
    keep, fake = (np.where(reports.public, exact, rate) for rate, exact in zip(rates, (1.0, 0.0), strict=True))
    found = [_triangles(reports, graph, keep, fake) for graph in range(reports.num_graphs)]
    value, variance = np.array(found, np.float64).reshape(-1, 2).T
    return SubgraphCounts(value, variance)


def _check_whole(reports: Reports, owner: str) -> None:
    if reports.missing is not None and reports.missing.any():
        raise DataError(f"{owner} needs every user's report; count reports.induced(), without the missing ones.")


def _triangles(reports: Reports, graph: int, keep: Floats, fake: Floats) -> tuple[float, float]:
    """The count of one graph and its variance, from a few users' rows of the n × n matrices at a time."""
    first, last = reports.graph_ptr[graph], reports.graph_ptr[graph + 1]
    users = slice(first, last)
    indptr = reports.indptr[first : last + 1]
    lists = indptr - indptr[0], reports.indices[indptr[0] : indptr[-1]]
    pairs = _Pairs(lists, keep[users], fake[users])
    parts = [slice(start, start + _ROWS) for start in range(0, last - first, _ROWS)]
    total = np.zeros(4)  # six triangles of ordered users, and the three terms of the variance
    for number, mine in enumerate(parts):
        edge, spread = pairs.rows(mine)
        for theirs in parts[number:]:
            edge2, spread2 = (edge, spread) if theirs is mine else pairs.rows(theirs)
            common, both = edge @ edge2.T, spread @ spread2.T  # the matrices are their own transposes
            squared = common**2 + common - (edge**2) @ (edge2**2).T
            e, v = edge[:, theirs], spread[:, theirs]
            found = [_sum(e, common), _sum(v, squared), _sum(e, both), _sum(v, both)]
            total += np.array(found) * (1 if theirs is mine else 2)
    return float(total[0] / 6), float(total[1] / 2 + total[2] / 2 + total[3] / 6)


class _Pairs:
    """What the two users of each pair of a graph report of it.

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

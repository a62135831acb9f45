"""Rows from friends counted by public group: who is friends with whom, how far groups keep to themselves.

z_il is user i's noisy number of friends in group l. T_gl, the friends that the N_g users of group g have in l, is seen
from g's side, and friendships between g and l from either side: e_gl = w·T_gl + (1 − w)·T_lg, the surer side counting
for more, and e_gg = T_gg/2. Every e has no bias. What is computed from them,

    E–I index       (external − internal)/all
    assortativity   (tr P − Σ a²)/(1 − Σ a²),   P the shares of friendship ends, a their margins (Newman, 2003)
    share inside g  2e_gg/(2e_gg + Σ_l e_gl)

is smooth in e, so its error follows by the delta method: the gradient gives each user's report a weight for each group,
and users of a group are a sample of it (:mod:`graphldp.estimates.samples`).

The test against random mixing compares internal friendships with those that groups of the same sizes, drawn at random,
would have in the same graph. Their variance is that of a join count, by the friendships and 2-stars of the graph.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.estimates.degrees import AT_RANDOM, REPORTED, basis_of, total_rows
from graphldp.estimates.rows import Estimate, estimate
from graphldp.estimates.samples import Doubt, Sample, added

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_UNSEEN = 0.01  # of the pairs inside groups: the most that indices of mixing may leave out


@dataclass(frozen=True)
class Counts:
    """The counts of those who reported.

    Args:
        counts: [users, groups], noisy.
        noise: the variance of each user's counts.
        group: of each user.
        sizes: of the groups in the roster.
    """

    counts: Floats
    noise: Floats
    group: Ints
    sizes: Floats


@dataclass(frozen=True)
class _OneMixing:
    """Friendships within and between the groups of one community.

    Args:
        ties: e, symmetric; 0 where nothing is known.
        side: w, the weight of what g's side says of g and l; ½ on the diagonal.
        seen: groups of which two users or all reported, and which so are seen from their side.
        data: what was counted.
    """

    ties: Floats
    side: Floats
    seen: NDArray[np.bool_]
    data: Counts

    @classmethod
    def of(cls, data: Counts) -> Self:
        """Both sides of each pair, the surer one counting for more."""
        groups = len(data.sizes)
        reported = np.bincount(data.group, minlength=groups)
        seen = (reported >= 2) | ((reported == data.sizes) & (reported > 0))
        m = np.maximum(reported, 1)
        mean = np.stack([np.bincount(data.group, column, groups) for column in data.counts.T], axis=1) / m[:, None]
        noise = (np.bincount(data.group, data.noise, groups) / m)[:, None]
        totals = data.sizes[:, None] * mean
        # how much more counts vary than noise does, per friend: one number, so that no cell weighs itself
        excess = ((data.counts - mean[data.group]) ** 2).sum() - data.counts.shape[1] * data.noise.sum()
        per_friend = max(excess / max(data.counts.sum(), 1.0), 1.0)
        likely = np.maximum((totals + totals.T) / 2, 0.0) / np.maximum(data.sizes, 1.0)[:, None]
        absent = (1 - reported / np.maximum(data.sizes, 1.0))[:, None]
        doubt = (data.sizes**2 / m)[:, None] * (noise + absent * per_friend * likely)
        doubt = np.where(seen[:, None], doubt, np.inf)
        with np.errstate(invalid="ignore", divide="ignore"):
            side = doubt.T / (doubt + doubt.T)
        side = np.where(np.isinf(doubt), 0.0, np.where(np.isinf(doubt.T), 1.0, np.nan_to_num(side, nan=0.5)))
        np.fill_diagonal(side, np.where(seen, 0.5, 0.0))
        side[:, data.sizes == 0] = 0.0  # nobody has a friend there
        ties = side * totals + side.T * totals.T
        np.fill_diagonal(ties, np.diagonal(side * totals))
        return cls(ties, side, seen, data)

    def doubt(self, weights: Floats) -> Doubt:
        """Of Σ_{g≤l} c_gl·e_gl, for symmetric c."""
        each = self.side * weights * self.seen[:, None]
        mine = (self.data.counts * each[self.data.group]).sum(axis=1)
        noise = self.data.noise * (each**2).sum(axis=1)[self.data.group]
        some = self.seen[self.data.group]
        kept = np.flatnonzero(self.seen)
        place = np.zeros(len(self.seen), np.int64)
        place[kept] = np.arange(len(kept))
        reported = np.bincount(self.data.group, minlength=len(self.seen))[kept].astype(np.float64)
        sample = Sample(0, place[self.data.group[some]], self.data.sizes[kept], reported)
        return sample.total(mine[some], noise[some])[1]


@dataclass(frozen=True)
class Mixing:
    """Friendships within and between groups, of one community or of several with the same groups, added up."""

    parts: tuple[_OneMixing, ...]

    @cached_property
    def ties(self) -> Floats:
        """e, symmetric."""
        return np.asarray(sum(part.ties for part in self.parts))

    @cached_property
    def pairs(self) -> Floats:
        """The number of pairs of users of each two groups."""
        sizes = [part.data.sizes for part in self.parts]
        return np.asarray(sum(np.outer(each, each) - np.diag(each * (each + 1) / 2) for each in sizes))

    def doubt(self, weights: Floats) -> Doubt:
        """Of Σ_{g≤l} c_gl·e_gl, for symmetric c."""
        return added([part.doubt(weights) for part in self.parts])

    @property
    def unseen(self) -> float:
        """Of the pairs of users inside groups, the share in groups that are not seen from their side."""
        pairs = [part.data.sizes * (part.data.sizes - 1) for part in self.parts]
        missed = sum(float(each[~part.seen].sum()) for each, part in zip(pairs, self.parts, strict=True))
        return missed / max(sum(float(each.sum()) for each in pairs), 1.0)

    @property
    def internal(self) -> float:
        """Friendships within groups."""
        return float(np.trace(self.ties))

    @property
    def all(self) -> float:
        """All friendships."""
        return float(np.triu(self.ties).sum())


def group_rows(data: Sequence[Counts], sample: Sample, names: Sequence[str], least: int) -> Iterator[Estimate]:
    """All rows that groups of the operator's own give.

    Args:
        data: what was counted, in each community.
        sample: who reported, for what the rows rest on.
        names: of the groups.
        least: reports of a group below which nothing is shown of it alone.
    """
    basis, assumed = basis_of("friend counts", sample), "" if sample.whole else AT_RANDOM
    mixing = Mixing(tuple(_OneMixing.of(each) for each in data))
    told = shown_groups(data, least)
    for g in told:
        yield from _inside(mixing, g, names[g], basis, assumed)
    for place, g in enumerate(told):
        for other in told[place:]:
            if not (pairs := float(mixing.pairs[g, other])):
                continue
            one = np.zeros_like(mixing.ties)
            one[g, other] = one[other, g] = 1.0
            value, doubt = float(mixing.ties[g, other]), mixing.doubt(one)
            about = {"of": names[g], "to": names[other]}
            for row, most in (("friendships between", pairs), ("connectedness", 1.0)):
                part = most / pairs
                yield estimate(
                    row, part * value, doubt.times(part), basis, assumed, within=(0.0, most), skewed=True, **about
                )
    if mixing.all > 0 and mixing.unseen <= _UNSEEN:
        yield from _indices(mixing, basis, assumed)


def shown_groups(data: Sequence[Counts], least: int) -> list[int]:
    """Groups of which enough users reported for a row of their own."""
    reported = sum(np.bincount(each.group, minlength=len(each.sizes)) for each in data)
    return np.flatnonzero(np.asarray(reported) >= least).tolist()


def count_rows(data: Sequence[Counts], sample: Sample, pairs: float) -> Iterator[Estimate]:
    """Friendships, density and mean degree, by the sums of users' counts."""
    basis, assumed = basis_of("friend counts", sample), "" if sample.whole else AT_RANDOM
    sums = np.concatenate([each.counts.sum(axis=1) for each in data])
    noise = np.concatenate([each.counts.shape[1] * each.noise for each in data])
    yield from total_rows(*(all_of_them := sample.total(sums, noise)), pairs, basis, assumed)
    total, doubt = all_of_them
    yield estimate("mean degree", total / sample.asked, doubt.times(1 / sample.asked), basis, assumed)
    if not sample.whole:
        total, doubt = sample.reporting().total(sums, noise)
        yield estimate(f"mean degree{REPORTED}", total / len(sums), doubt.times(1 / len(sums)), basis)


def _inside(mixing: Mixing, g: int, name: str, basis: str, assumed: str) -> Iterator[Estimate]:
    """The shares of a group's friendship ends that stay in it and that leave it."""
    ties = mixing.ties
    twice = 2 * ties[g, g]
    ends = twice + ties[g].sum() - ties[g, g]
    if ends <= 0:
        return
    slope = np.zeros_like(ties)
    slope[g] = slope[:, g] = -twice / ends**2
    slope[g, g] = 2 / ends - 2 * twice / ends**2
    doubt = mixing.doubt(slope)
    for row, share in (("share inside", twice / ends), ("share outside", 1 - twice / ends)):
        yield estimate(row, share, doubt, basis, assumed, within=(0.0, 1.0), of=name)


def _indices(mixing: Mixing, basis: str, assumed: str) -> Iterator[Estimate]:
    ties, total, internal = mixing.ties, mixing.all, mixing.internal
    same = np.eye(len(ties))
    slope = 2 * internal / total**2 - same * 2 / total
    yield estimate("E–I index", 1 - 2 * internal / total, mixing.doubt(slope), basis, assumed, within=(-1.0, 1.0))
    ends = (ties.sum(axis=1) + np.diagonal(ties)) / (2 * total)
    trace, margins = internal / total, float(ends @ ends)
    if margins < 1:  # else all ends are in one group
        of_trace = same / total - internal / total**2
        of_margins = (ends[:, None] + ends) / total - 2 * margins / total
        slope = (of_trace * (1 - margins) - of_margins * (1 - trace)) / (1 - margins) ** 2
        value = (trace - margins) / (1 - margins)
        yield estimate("assortativity", value, mixing.doubt(slope), basis, assumed, within=(-1.0, 1.0))
    yield from _against_chance(mixing, basis, assumed)


def _against_chance(mixing: Mixing, basis: str, assumed: str) -> Iterator[Estimate]:
    """Internal friendships less those expected at random, and how likely so large a difference is then."""
    value, by_chance, doubts = 0.0, 0.0, []
    for part in mixing.parts:
        data, n = part.data, float(part.data.sizes.sum())
        if n < 2:
            continue
        pair, three, two_pairs = _chances(data.sizes)
        edges = float(np.triu(part.ties).sum())
        value += float(np.trace(part.ties)) - pair * edges
        doubts.append(part.doubt(np.eye(len(data.sizes)) - pair))
        squares = (data.counts.sum(axis=1) ** 2 - data.counts.shape[1] * data.noise).mean() * n
        stars = max(squares / 2 - edges, 0.0)
        disjoint = max(edges * (edges - 1) - 2 * stars, 0.0)
        by_chance += edges * pair * (1 - pair) + 2 * stars * (three - pair**2) + disjoint * (two_pairs - pair**2)
    doubt = added(doubts)
    yield estimate("internal beyond chance", value, doubt, basis, assumed, within=(-math.inf, math.inf))
    z = abs(value) / math.sqrt(max(by_chance + doubt.variance, 1e-300))
    words = "; ".join(filter(None, ("Two-sided, if groups had been drawn at random", assumed)))
    yield Estimate("p of random mixing", math.erfc(z / math.sqrt(2)), *(math.nan,) * 3, basis, words)


def _chances(sizes: Floats) -> tuple[float, float, float]:
    """That two users, three users, and both of two disjoint pairs are each of one group, at random."""
    n = float(sizes.sum())
    two, three = sizes * (sizes - 1), sizes * (sizes - 1) * (sizes - 2)
    four = three * (sizes - 3)
    pair = two.sum() / (n * (n - 1))
    triple = three.sum() / max(n * (n - 1) * (n - 2), 1.0)
    pairs = (four.sum() + two.sum() ** 2 - (two**2).sum()) / max(n * (n - 1) * (n - 2) * (n - 3), 1.0)
    return float(pair), float(triple), float(pairs)

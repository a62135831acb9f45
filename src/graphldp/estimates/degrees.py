"""Rows from noisy degrees: friendships, who has none, the histogram, stars, inequality.

All but inequality are sums of a function of each user's true degree, which is read off her noisy one without bias
(:mod:`graphldp.estimates.noise`): d for friendships, 1[d ≤ k] for the histogram, C(d, k) for k-stars. Inequality is the
coefficient of variation, √(n·Σd²/(Σd)² − 1), with an error by the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from graphldp.estimates.noise import Function, NoisyNumbers, spread
from graphldp.estimates.rows import Estimate, estimate
from graphldp.estimates.samples import Doubt, Sample

Floats = NDArray[np.float64]
AT_RANDOM = (
    "Who has not reported is like who has (in the same group, where there are groups). Absence may depend on friends; "
    "no interval covers that."
)
REPORTED = ", of those who reported"
_AT_EDGE = 4.0  # reports near an edge between two bars, below which its error is no longer normal
_FLOOR = 2.0  # reports near an edge that its error counts at least


def degree_rows(numbers: NoisyNumbers, sample: Sample, pairs: float, edges: Sequence[int]) -> Iterator[Estimate]:
    """All rows of some users.

    Args:
        numbers: what they sent.
        sample: who reported.
        pairs: of users who may be friends.
        edges: the last degrees of the histogram's bars but the last one, which has no end.
    """
    basis = basis_of("degrees", sample)
    assumed = "" if sample.whole else AT_RANDOM
    yield from total_rows(*_sum(numbers, sample, lambda d: d), pairs, basis, assumed)
    stars: list[tuple[str, Function]] = [
        ("2-stars", lambda d: d * (d - 1) / 2),
        ("3-stars", lambda d: d * (d - 1) * (d - 2) / 6),
    ]
    for name, function in stars:
        yield estimate(name, *_sum(numbers, sample, function), basis, assumed)
    yield from _shares(numbers, sample, edges, basis, assumed, "")
    if not sample.whole:
        yield from _shares(numbers, sample.reporting(), edges, basis_of("degrees", sample), "", REPORTED)


def total_rows(total: float, doubt: Doubt, pairs: float, basis: str, assumed: str) -> Iterator[Estimate]:
    """Friendships and density, from the sum of all degrees."""
    yield estimate("friendships", total / 2, doubt.times(1 / 2), basis, assumed, within=(0.0, pairs))
    yield estimate("density", total / 2 / pairs, doubt.times(0.5 / pairs), basis, assumed, within=(0.0, 1.0))


def _shares(
    numbers: NoisyNumbers, sample: Sample, edges: Sequence[int], basis: str, assumed: str, suffix: str
) -> Iterator[Estimate]:
    n = sample.asked
    total, doubt = _sum(numbers, sample, lambda d: d)
    yield estimate(f"mean degree{suffix}", total / n, doubt.times(1 / n), basis, assumed)
    none, doubt = _counted(numbers, sample, lambda d: d <= 0, (0,))
    yield estimate(f"share without a friend{suffix}", none / n, doubt.times(1 / n), basis, assumed, within=(0.0, 1.0))
    if (found := _inequality(numbers, sample, f"inequality of degrees{suffix}", basis, assumed)) is not None:
        yield found
    for low, high in zip([0, *(edge + 1 for edge in edges)], [*edges, None], strict=True):
        count, doubt = _counted(numbers, sample, *_between(low, high))
        row = estimate(
            f"share with degree{suffix}",
            count / n,
            doubt.times(1 / n),
            basis,
            assumed,
            within=(0.0, 1.0),
            of=span(low, high),
        )
        yield row


def span(low: int, high: int | None) -> str:
    """A range of degrees in words."""
    return f"{low} or more" if high is None else f"{low}" if low == high else f"{low} to {high}"


def _between(low: int, high: int | None) -> tuple[Function, tuple[int, ...]]:
    """Whether a degree is in a range, below 0 being 0, and the edges of the range."""
    top = math.inf if high is None else high
    bottom = -math.inf if low == 0 else low
    return lambda d: (d >= bottom) & (d <= top), tuple(
        each for each in (None if low == 0 else low - 1, high) if each is not None
    )


def basis_of(what: str, sample: Sample) -> str:
    """The basis of a row: how many reports it rests on, in words."""
    reported = len(sample.stratum)
    return f"{what} of all {reported:,} users" if sample.whole else f"{what} of {reported:,} of {sample.asked:,} users"


def _sum(numbers: NoisyNumbers, sample: Sample, function: Function) -> tuple[float, Doubt]:
    return sample.total(*numbers.read(function))


def _counted(
    numbers: NoisyNumbers, sample: Sample, inside: Callable[[Floats], object], edges: tuple[int, ...]
) -> tuple[float, Doubt]:
    """How many users' degrees are in a range, with an error that counts a few reports at each edge at least."""
    value, noise = numbers.read(lambda d: np.asarray(inside(d), np.float64))
    floor = 0.0
    for edge in edges:
        near = numbers.near(edge)
        if near.any():
            a = spread(numbers.epsilon[near])
            floor += _FLOOR * float(np.mean(a * (1 + a))) * near.mean()
    short = max(floor - float(noise.sum()), 0.0)
    noise = noise + short / max(len(noise), 1)
    return sample.total(value, noise)


def _inequality(numbers: NoisyNumbers, sample: Sample, name: str, basis: str, assumed: str) -> Estimate | None:
    """The coefficient of variation; None where the mean degree cannot be told from 0."""
    n = sample.asked
    first, doubt = _sum(numbers, sample, lambda d: d)
    second, _ = _sum(numbers, sample, lambda d: d**2)
    if first <= 4 * math.sqrt(doubt.variance):
        return None
    square = n * second / first**2 - 1
    by_first, by_second = -2 * n * second / first**3, n / first**2
    error = math.sqrt(_sum(numbers, sample, lambda d: by_first * d + by_second * d**2)[1].variance)
    value, low, high = (math.sqrt(max(square + step * error, 0.0)) for step in (0.0, -1.96, 1.96))
    return Estimate(name, value, error / (2 * value) if value else high / 1.96, low, high, basis, assumed)


def bar_edges(numbers: NoisyNumbers, top: int, least: int) -> list[int]:
    """The last degrees of the histogram's bars but the last one, which has no end.

    Bars that were fitted to the noisy degrees themselves would begin and end where the noise says so, and intervals
    would be wrong. So they are fitted to a gamma distribution with the same mean and variance: a bar holds twice
    ``least`` users and twice its own error, enough of them near its edges for the interval to be normal, and ends
    before a round number. Only a bar that still has fewer than ``least`` reports is joined with the one below it.

    Args:
        numbers: what was sent.
        top: the largest degree that there can be.
        least: see :func:`graphldp.statistics`.
    """
    users, finite = len(numbers.sent), numbers.epsilon[np.isfinite(numbers.epsilon)]
    mean, square = (float(numbers.read(function)[0].mean()) for function in (lambda d: d, lambda d: d**2))
    mean = max(mean, 0.1)
    apart = max(square - mean**2, mean / 2)
    below = users * gammainc(mean**2 / apart, (np.arange(top + 1) + 0.5) * mean / apart)
    a = float(spread(finite).mean()) if len(finite) else 0.0
    narrowest = _round_step(float((1 / finite).mean())) if len(finite) else 1
    edges, start = [0], 1  # who has none is a bar of her own
    edge = _next_edge(start, narrowest)
    while edge < top and users - below[edge] >= 2 * least:
        inside, near = below[edge] - below[start - 1], below[min(edge + 1, top)] - below[edge - 1]
        if near >= _AT_EDGE and inside >= max(2 * least, 2 * math.sqrt(2 * a * (1 + a) * near)):
            edges.append(edge)
            start = edge + 1
        edge = _next_edge(edge + 1, narrowest)
    above = 0
    for edge in edges[::-1]:
        over = int((numbers.sent > edge).sum())
        if over - above >= least:
            above = over
        elif edge:
            edges.remove(edge)
        else:  # the first bar after 0 has none below it to be joined with
            del edges[1:2]
    return edges


def _next_edge(start: int, narrowest: int) -> int:
    """Where a bar that starts here may end: bars of larger degrees are wider, and end before a round number."""
    width = max(_round_step(start / 6), narrowest)
    return (start // width + 1) * width - 1


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is not below."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if factor * size >= least:
                return factor * size
        size *= 10

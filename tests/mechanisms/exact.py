"""Exact laws of one user's report, in rational arithmetic, for n ≤ 4.

A neighbour list is a tuple of n−1 bits, a law maps a list to {output: probability}. ε never appears as a number: its
exponentials E = e^ε do, as the tenth power of a rational, so that 1.1·ε has a rational exponential too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import graphldp as gl

Bits = tuple[int, ...]
Output = tuple[int | None, Bits]
Law = Callable[[Bits], dict[Output, Fraction]]
DegreeLaw = Callable[[int], dict[int | None, Fraction]]

DEGREE_TENTH, EDGES_TENTH = Fraction(21, 20), Fraction(11, 10)
E1, E2 = DEGREE_TENTH**10, EDGES_TENTH**10  # ε₁ ≈ 0.49, ε₂ ≈ 0.95
MORE1, MORE2 = DEGREE_TENTH**11, EDGES_TENTH**11  # ten per cent more of each


def neighbouring(n: int) -> Iterator[tuple[Bits, Bits]]:
    """Every ordered pair of lists that differ in one bit."""
    for bits in product((0, 1), repeat=n - 1):
        for place in range(n - 1):
            yield bits, (*bits[:place], 1 - bits[place], *bits[place + 1 :])


def silent(degree: int) -> dict[int | None, Fraction]:
    """No d* at all."""
    return {None: Fraction(1)}


def discrete_laplace(e1: Fraction, n: int) -> DegreeLaw:
    """Pr(d*) ∝ E₁^(−|d*−d|) for d* from −1 to n.

    No other d* can add to a ratio: for d* ≤ 0 and for d* ≥ n−1 neither the rates nor the ratio of two degrees' noise
    depends on d* (``test_far_values_of_d_star_add_nothing``).
    """
    scale = (e1 - 1) / (e1 + 1)
    return lambda degree: {d: scale / e1 ** abs(d - degree) for d in range(-1, n + 1)}


def rates(
    mechanism: gl.RowMechanism, d_star: int | Fraction | None, n: int, e2: Fraction, e1: Fraction = E1
) -> tuple[Fraction, Fraction]:
    """The mechanism's own ``estimate`` and ``rates``, run on rationals."""
    noisy = None
    if d_star is not None:
        noisy = mechanism.estimate(np.array([Fraction(d_star)], dtype=object), n, 1 / e1)
    keep, fake = (np.ravel(rate)[0] for rate in mechanism.rates(noisy, n, 1 / (e2 + 1)))
    return _rational(keep), _rational(fake)


def _rational(value: Any) -> Fraction:
    assert not isinstance(value, float), "the law left rational arithmetic"
    return value if isinstance(value, Fraction) else Fraction(int(value))


def list_law(bits: Bits, keep: Fraction, fake: Fraction) -> Iterator[tuple[Bits, Fraction]]:
    """Every list that can be reported, with its probability."""
    for reported in product((0, 1), repeat=len(bits)):
        chance = Fraction(1)
        for true, bit in zip(bits, reported, strict=True):
            one = keep if true else fake
            chance *= one if bit else 1 - one
        yield reported, chance


def law(degree_law: DegreeLaw, bit_rates: Callable[[Bits, Any], tuple[Fraction, Fraction]]) -> Law:
    """The joint law of (d*, list)."""

    def of(bits: Bits) -> dict[Output, Fraction]:
        return {
            (d_star, reported): first * second
            for d_star, first in degree_law(sum(bits)).items()
            for reported, second in list_law(bits, *bit_rates(bits, d_star))
        }

    return of


def row_law(mechanism: gl.RowMechanism, n: int, *, e1: Fraction = E1, e2: Fraction = E2) -> Law:
    """The law of a mechanism of single rows, from its ``rates`` and the discrete noise."""
    degree_law = silent if mechanism.degree_noise is None else discrete_laplace(e1, n)
    return law(degree_law, lambda bits, d_star: rates(mechanism, d_star, n, e2, e1))


def worst_ratio(of: Law, n: int) -> Fraction | float:
    """The largest Pr(s | a) / Pr(s | a') over neighbouring lists a, a' and outputs s; inf where only a can give s."""
    cached = cache(of)
    worst: Fraction | float = Fraction(0)
    for one, two in neighbouring(n):
        other = cached(two)
        for output, chance in cached(one).items():
            if chance and not other[output]:
                return math.inf
            if chance:
                worst = max(worst, chance / other[output])
    return worst

"""The exact law of LocalLap's choice: which T of N noisy pairs are the largest.

With noise in units of 1/ε₂ and t = e^x, a pair that is no edge lies below x with probability

    F₀ = t/2 for t < 1, else 1 − 1/(2t);     an edge with F₁(t) = F₀(s·t), s = e^(−ε₂).

The set S, with ``ins`` edges and ``in0`` other pairs, is on top when its smallest value lies above everything else:

    Pr = ∫ −d/dt[(1−F₁)^ins·(1−F₀)^in0] · F₁^outs·F₀^out0 dt,

piecewise a Laurent polynomial in t for rational s. Its integral is a + b·ε₂ with rational a and b: the middle piece,
from 1 to 1/s, may hold a 1/t.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
from mpmath import iv

Poly = dict[int, Fraction]  # power of t -> coefficient
iv.dps = 60


def _times(one: Poly, two: Poly) -> Poly:
    made: Poly = {}
    for (i, a), (j, b) in product(one.items(), two.items()):
        made[i + j] = made.get(i + j, Fraction(0)) + a * b
    return made


@cache
def _power(base: tuple[tuple[int, Fraction], ...], exponent: int) -> Poly:
    return {0: Fraction(1)} if not exponent else _times(dict(base), _power(base, exponent - 1))


def _cdf(scale: Fraction, *, above: bool) -> tuple[tuple[int, Fraction], ...]:
    return ((0, Fraction(1)), (-1, -1 / (2 * scale))) if above else ((1, scale / 2),)


def _complement(base: tuple[tuple[int, Fraction], ...]) -> tuple[tuple[int, Fraction], ...]:
    return tuple({0: 1 - dict(base).get(0, Fraction(0)), **{k: -v for k, v in base if k}}.items())


@cache
def top_law(ins: int, in0: int, outs: int, out0: int, s: Fraction) -> tuple[Fraction, Fraction]:
    """Pr(S is the set of the largest) as (a, b) for a + b·ε₂."""
    if ins + in0 == 0:
        return Fraction(1), Fraction(0)
    whole, logs = Fraction(0), Fraction(0)
    for low, high, zero, one in (
        (Fraction(0), Fraction(1), _cdf(Fraction(1), above=False), _cdf(s, above=False)),
        (Fraction(1), 1 / s, _cdf(Fraction(1), above=True), _cdf(s, above=False)),
        (1 / s, None, _cdf(Fraction(1), above=True), _cdf(s, above=True)),
    ):
        inside = _times(_power(_complement(one), ins), _power(_complement(zero), in0))
        density = {k - 1: -k * v for k, v in inside.items() if k}
        for power, value in _times(density, _times(_power(one, outs), _power(zero, out0))).items():
            if power == -1:
                logs += value  # ∫ dt/t from 1 to 1/s is ε₂; the outer pieces hold no such term
                assert low == 1 or not value
            else:
                upper = 0 if high is None else high ** (power + 1)
                lower = 0 if low == 0 else low ** (power + 1)
                whole += value * (upper - lower) / (power + 1)
    return whole, logs


def enclose(law: tuple[Fraction, Fraction], s: Fraction) -> mpmath.ctx_iv.ivmpf:
    """An interval that holds a + b·ε₂."""
    a, b = (iv.mpf(x.numerator) / x.denominator for x in law)
    return a + b * iv.log(iv.mpf(s.denominator) / s.numerator)


def compositions(total: int) -> list[tuple[int, int, int, int]]:
    """(ins, in0, outs, out0) of every graph with ``total`` pairs and every set S."""
    return [
        (a, b, c, total - a - b - c)
        for a in range(total + 1)
        for b in range(total + 1 - a)
        for c in range(total + 1 - a - b)
    ]


@cache
def worst_top_ratio(total: int, s: Fraction) -> mpmath.ctx_iv.ivmpf:
    """The largest ratio of Pr(S) over two graphs that differ in one pair, as an interval."""
    worst = iv.mpf(0)
    for a, b, c, d in compositions(total):
        here = enclose(top_law(a, b, c, d, s), s)
        for other in ((a - 1, b + 1, c, d), (a, b, c - 1, d + 1)):
            if min(other) >= 0:
                there = enclose(top_law(*other, s), s)
                worst = max(worst, here / there, there / here, key=lambda x: x.b)
    return worst

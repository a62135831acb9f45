"""One report, drawn exactly.

The law is that of ``DPRR``, ``NoisyDegrees`` and ``HubLists`` with ``noise="discrete"``, of ``RR``, and of
``FriendCounts``, for which see :mod:`graphldp.client.sampling.counting`. Randomized response and edge sampling are one
comparison: with U a uniform word of 64 bits and E a rational number at most e^ε₂,

    d* = d + Z,    q/(1 + E) = d*/(d*(E − 1) + n − 1) for 0 < d* < (n − 1)/2,    q = 1 above,    q = 0 for d* ≤ 0
    T₀ = ⌈2⁶⁴ q/(1 + E)⌉,    T₁ = ⌊2⁶⁴ q E/(1 + E)⌋,    T₁ = T₀ where rounding left it below
    report j    iff    U_j < T₁ (a neighbour)    or    U_j < T₀ (a stranger)

T₀ is rounded up and T₁ down: towards each other, so that the odds of any two answers stay within E ≤ e^ε₂. All four
ratios are checked, in whole numbers, before anything is drawn. Every bit costs the same work, whatever it is.
By rr, and for a hub of hub-lists, q = 1.
``docs/guides/client.md`` has the proof, ``docs/evidence/audit.md`` the check by enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from operator import lt
from typing import Any

from graphldp.client.sampling import coarsening, counting
from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace
from graphldp.errors import GraphLDPError, ParameterError, bad_parameter
from graphldp.wire import DEGREE_RANGE, MILLION, WITH_COUNTS, WITH_DEGREE, Report, to_millionths
from graphldp.wire.numbers import Numbers, numbers

WORD_BITS = 64
_NONE = numbers(())
_CHUNK = 1 << 18  # users at a time: bounds the memory at n = 3 million


def draw(
    friends: Iterable[int],
    *,
    mechanism: str,
    n: int,
    user: int,
    epsilon1: float,
    epsilon2: float,
    hub_from: int | None = None,
    groups: Sequence[int] | None = None,
    _entropy: Entropy | None = None,
    _word_bits: int = WORD_BITS,
    **refused: Any,
) -> Report:
    """Draw one user's report. Drawn twice, it costs twice: callers keep what they get (see ``vault``).

    Args:
        friends: the numbers of the user's friends in the roster.
        mechanism: ``"dprr"``, ``"rr"``, ``"noisy-degrees"``, ``"hub-lists"``, ``"friend-counts"``, or ``"public"`` for
            the list as it is.
        n: users in the community.
        user: the user's own number.
        epsilon1: ε₁ in whole millionths, 0 for rr, ``inf`` for public.
        epsilon2: ε₂ in whole millionths, 0 for noisy-degrees and friend-counts, ``inf`` for public.
        hub_from: for hub-lists, the noisy degree from which on a user is a hub; None where nobody is.
        groups: for friend-counts, the number of each user's public group.
        refused: anything else, above all a seed.
    """
    if refused:
        raise ParameterError(
            f"Unknown arguments of draw: {', '.join(sorted(refused))}. A report takes its randomness from the "
            "operating system alone; there is no seed."
        )
    mine = Report("public", n, user, math.inf, math.inf, None, numbers(friends))  # checks the list, n and the number
    if mechanism == "public":
        return Report(mechanism, n, user, epsilon1, epsilon2, None, mine.neighbours)
    entropy = Entropy() if _entropy is None else _entropy
    if mechanism in WITH_COUNTS:
        return _counted(mine, counting.partition(groups, n), mechanism, epsilon1, epsilon2, entropy)
    degree = 0 if mechanism in WITH_DEGREE else None
    Report(mechanism, n, user, epsilon1, epsilon2, degree, _NONE)  # checks the mechanism and both ε before any draw
    if mechanism == "hub-lists":
        degree, epsilon1, epsilon2 = _gated(len(mine.neighbours), epsilon1, epsilon2, hub_from, entropy)
    elif mechanism in WITH_DEGREE:
        degree = clipped(len(mine.neighbours) + discrete_laplace(exact(epsilon1), entropy))
    if not epsilon2:
        return Report(mechanism, n, user, epsilon1, epsilon2, degree, _NONE)
    stranger, neighbour = thresholds(exact(epsilon2), n, degree if mechanism == "dprr" else None, _word_bits)
    noisy = draw_list(mine.neighbours.tolist(), n, user, stranger, neighbour, entropy, _word_bits)
    return Report(mechanism, n, user, epsilon1, epsilon2, degree, noisy)


def _counted(
    mine: Report, groups: Sequence[int], mechanism: str, epsilon1: float, epsilon2: float, entropy: Entropy
) -> Report:
    """friend-counts: one noisy count for each group."""
    nobody = (0,) * (max(groups) + 1)
    empty = replace(mine, mechanism=mechanism, epsilon1=epsilon1, epsilon2=epsilon2, neighbours=_NONE, counts=nobody)
    counts = counting.noisy_counts(mine.neighbours, groups, exact(epsilon1), entropy)
    return replace(empty, counts=tuple(clipped(count) for count in counts))


def _gated(
    degree: int, epsilon1: float, epsilon2: float, hub_from: int | None, entropy: Entropy
) -> tuple[int, float, float]:
    """hub-lists: d* and what was spent on it and is left for a list. A hub's d* is rough, anybody else's fine."""
    coarse = exact(epsilon1)
    whole = coarse + (exact(epsilon2) if epsilon2 else 0)
    to_millionths(float(whole))  # both together have to fit where ε₁ stands
    fine = degree + discrete_laplace(whole, entropy)
    if epsilon2 and hub_from is not None:
        rough = fine + coarsening.step(whole, coarse, entropy)
        if rough >= hub_from:
            return clipped(rough), epsilon1, epsilon2
    return clipped(fine), float(whole), 0.0


def draw_list(
    friends: Sequence[int],
    n: int,
    user: int,
    stranger: int,
    neighbour: int,
    entropy: Entropy,
    bits: int,
) -> Numbers:
    """Draw the list: one word per other user, compared with the threshold of what she is."""
    others = bytearray(n - 1)
    for friend in friends:
        others[friend - (friend > user)] = 1
    limits, noisy = (stranger, neighbour), list[int]()
    for start in range(0, n - 1, _CHUNK):
        mine = others[start : start + _CHUNK]
        drawn = map(lt, entropy.words(len(mine), bits), map(limits.__getitem__, mine))
        noisy += compress(range(start, start + len(mine)), drawn)
    return numbers([each + (each >= user) for each in noisy])


def thresholds(epsilon2: Fraction, n: int, noisy_degree: int | None, bits: int) -> tuple[int, int]:
    """T₀ and T₁ in words of so many bits; ``noisy_degree`` None is plain randomized response, q = 1.

    Raises:
        GraphLDPError: should any of the four ratios exceed E, which the proof excludes.
    """
    e, one = exp_below(epsilon2)  # E = e/one
    whole, degree = 1 << bits, 0 if noisy_degree is None else max(noisy_degree, 0)
    if noisy_degree is None or 2 * degree >= n - 1:
        share, of = one, one + e
    else:
        share, of = degree * one, degree * (e - one) + (n - 1) * one
    stranger = -(-whole * share // of)
    neighbour = max(whole * share * e // (of * one), stranger)
    for a, b in ((neighbour, stranger), (whole - stranger, whole - neighbour)):
        if max(a, b) * one > min(a, b) * e:
            raise GraphLDPError("The thresholds do not keep ε₂; no report is drawn.")
    return stranger, neighbour


@lru_cache(maxsize=64)
def exp_below(x: Fraction, bits: int = 128) -> tuple[int, int]:
    """A numerator and a denominator of a number at most e^x, within a relative 2⁻¹⁰⁰ of it, for 0 ≤ x ≤ 17.

    The partial sums of e^x = Σ xⁱ/i! grow towards it, and every term is rounded down: no error can push it above.
    """
    term, total, i = 1 << bits, 0, 0
    while term:
        total, i = total + term, i + 1
        term = term * x.numerator // (x.denominator * i)
    return total, 1 << bits


def exact(epsilon: float) -> Fraction:
    """The ε that a float stands for: a whole number of millionths."""
    if not isinstance(epsilon, float | int):
        raise bad_parameter("epsilon", "draw", "a number", epsilon)
    return Fraction(to_millionths(epsilon), MILLION)


def clipped(degree: int) -> int:
    """d*, brought into the range of the wire: work on what is already noisy, which costs no privacy."""
    return min(max(degree, DEGREE_RANGE[0]), DEGREE_RANGE[1])

"""The client's promise, in whole numbers: three checks that chance and rounding cannot mislead.

- ``noise``: the law of the noise on the degree, enumerated: neighbouring values differ by e^ε₁ at most.
- ``reports``: all reports of all lists of n ≤ 4 users in short words, through the client's own ``draw``: for any two
  lists that differ in one friend, and any report with the same d*, the counts of words differ by e^ε₂ at most. A list
  that is longer by one has its d* from a noise smaller by one, which ``noise`` bounds: together ε₁ + ε₂.
- ``thresholds``: those of the real words of 64 bits, for many ε₂, n and d*: all four ratios, compared with e^ε₂ itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations

from graphldp.audit.enumeration import Law, enumerate_law
from graphldp.audit.finding import Finding
from graphldp.client import laplace, sampler
from graphldp.client.entropy import Entropy
from graphldp.wire import Report

SHORT_WORDS = {2: 8, 3: 5, 4: 3}  # bits a word for n users: 2^((n−1)·bits) ways to draw each list
_CUTOFF = Fraction(1, 10**8)
_USER = 1
_EPSILONS = tuple(units / 100 for units in range(5, 400, 5))
_COMMUNITIES = (2, 3, 30, 3782, 3_000_000)


@cache
def exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^x, for 0 ≤ x ≤ 17: 150 terms of its series, and the bound on the rest of them.

    Written apart from the sampler's own, so that an error there is not repeated here.
    """
    terms, total, term = 150, Fraction(0), Fraction(1)
    for i in range(1, terms):
        total, term = total + term, term * x / i
    return total, total + term / (1 - x / terms)


def noise(epsilon1: float, *, cutoff: Fraction = _CUTOFF) -> Finding:
    """Enumerate the noise on the degree."""
    law = _noise_law(epsilon1, cutoff)
    _, limit = exp_bounds(sampler.exact(epsilon1))
    worst = Fraction(0)
    for z, likely in law.found.items():
        for other in (z - 1, z + 1):
            worst = max(worst, likely / (law.found.get(other, Fraction(0)) + law.rest))
    effort = f"{len(law.found)} values of the noise, a chance of {float(law.rest):.0e} left out"
    return Finding("noise", epsilon1, math.log(worst), worst <= limit, effort)


def reports(mechanism: str, n: int, epsilon1: float, epsilon2: float) -> Finding:
    """Enumerate all reports of all lists, as ``draw`` draws them in words of few bits.

    Args:
        mechanism: ``"dprr"`` or ``"rr"``.
        n: users, 2 to 4.
        epsilon1: ε₁; 0 for rr.
        epsilon2: ε₂.
    """
    others = [user for user in range(n) if user != _USER]
    lists = [friends for size in range(n) for friends in combinations(others, size)]
    degrees = (None,) if mechanism == "rr" else (0, 1, 2)  # below, within and above where q grows with d*
    limit, _ = exp_bounds(sampler.exact(epsilon2))
    worst, looked_at = Fraction(1), 0
    paths = {} if mechanism == "rr" else _noise_law(epsilon1, _CUTOFF).paths
    for degree in degrees:
        laws = {}
        for friends in lists:
            prefix = None if degree is None else paths[degree - len(friends)]
            laws[friends] = _list_law(mechanism, n, friends, epsilon1, epsilon2, degree, prefix)
        looked_at += len(lists) << SHORT_WORDS[n] * (n - 1)
        for one, two in _neighbouring(lists):
            for noisy in {*laws[one], *laws[two]}:
                likely = sorted((laws[one].get(noisy, Fraction(0)), laws[two].get(noisy, Fraction(0))))
                if not likely[0]:
                    effort = f"a report that only one of two lists can give, n = {n}"
                    return Finding("reports", epsilon2, math.inf, False, effort)
                worst = max(worst, likely[1] / likely[0])
    effort = f"{looked_at:,} reports, n = {n}, words of {SHORT_WORDS[n]} bits"
    return Finding("reports", epsilon2, math.log(worst), worst <= limit, effort)


def thresholds() -> Finding:
    """Compare the thresholds of 64-bit words with e^ε₂; the finding is the worst case's."""
    whole, looked_at, worst = 1 << sampler.WORD_BITS, 0, (Fraction(-1), 0.0)
    for epsilon2 in _EPSILONS:
        limit, _ = exp_bounds(sampler.exact(epsilon2))
        for n, degree in _cases():
            stranger, neighbour = sampler.thresholds(sampler.exact(epsilon2), n, degree, sampler.WORD_BITS)
            looked_at += 1
            for a, b in ((neighbour, stranger), (whole - stranger, whole - neighbour)):
                high, low = max(a, b), min(a, b)
                if low == 0 < high:
                    return Finding(
                        "thresholds", epsilon2, math.inf, False, f"n = {n}: an answer that tells for certain"
                    )
                if low:
                    worst = max(worst, (Fraction(high, low) / limit - 1, epsilon2))
    excess, epsilon2 = worst
    effort = f"{looked_at:,} pairs of thresholds" + (f", e^ε exceeded by a relative {float(excess):.0e}" * (excess > 0))
    return Finding("thresholds", epsilon2, epsilon2 + float(excess), excess <= 0, effort)


def _cases() -> Iterator[tuple[int, int | None]]:
    for n in _COMMUNITIES:
        yield n, None
        for degree in sorted({1, 2, 7, n // 7, n // 3, (n - 2) // 2, n}):
            yield n, degree


def _list_law(
    mechanism: str,
    n: int,
    friends: tuple[int, ...],
    epsilon1: float,
    epsilon2: float,
    degree: int | None,
    prefix: list[int] | None,
) -> dict[tuple[int, ...], Fraction]:
    """The law of the list, given d*: with the noise held at one path to the value that gives this d*."""

    def run(entropy: Entropy) -> tuple[int | None, tuple[int, ...]]:
        report: Report = sampler.draw(
            friends,
            mechanism=mechanism,
            n=n,
            user=_USER,
            epsilon1=epsilon1,
            epsilon2=epsilon2,
            _entropy=entropy,
            _word_bits=SHORT_WORDS[n],
        )
        return report.noisy_degree, tuple(report.neighbours.tolist())

    law = enumerate_law(run, prefix=prefix)
    if any(noisy != degree for noisy, _ in law.found):
        raise AssertionError("A report's d* is not the degree plus the noise.")
    return {listed: likely for (_, listed), likely in law.found.items()}


def _noise_law(epsilon1: float, cutoff: Fraction) -> Law[int]:
    return enumerate_law(lambda entropy: laplace.discrete_laplace(sampler.exact(epsilon1), entropy), cutoff=cutoff)


def _neighbouring(lists: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for one, two in combinations(lists, 2):
        if len(set(one) ^ set(two)) == 1:
            yield one, two

"""The client's promise, in whole numbers: three checks that chance and rounding cannot mislead.

- ``reports``: all reports of all lists of n ≤ 4 users, as bytes, through the client's own ``draw``: noise, list and
  encoding together. For any two lists that differ in one friend their probabilities differ by e^(ε₁ + ε₂) at most, and
  for some by no less: the client spends the ε it says, not more and not less.
- ``lists``: the same given d*, where nothing is left out: the odds of any two lists stay within e^ε₂ to the last digit,
  in words of few bits too, in which rounding is large.
- ``thresholds``: those of the real words of 64 bits, for many ε₂, n and d*: all four ratios, compared with e^ε₂ itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

from graphldp.audit import Finding
from graphldp.audit.enumeration import Law, Outcome, Repeated, enumerate_law
from graphldp.client.sampling import coarsening, laplace, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import (
    MECHANISMS,
    WITH_COUNTS,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_EPSILON1,
    WITH_HUBS,
    WITH_SECOND,
    encode,
)

# what the wire can carry in one message and ε protects; :mod:`graphldp.audit.rounds` has those of two
LIVE = tuple(name for name in MECHANISMS if name not in ("public", *WITH_SECOND))
SPENT = (0.1, 1.0, 1.5, 2.25)  # 1/10 rejects often, 3/2 and 9/4 divide: every line of the noise's sampler runs
WORDS = ((2, 8), (3, 5), (4, 3), (4, 64))  # (users, bits of a word): in short words rounding is large
WASTE = 1e-5  # what a report may be short of the ε it claims: more than the paths that are left out amount to
HUB_FROM = 2  # of at most three friends: with each list both branches of hub-lists occur
GROUPS = (0, 1, 1, 0)  # of four users or fewer: of the others at least one is in each
_USER = 1
_CUTOFF = {name: Fraction(1, 10**11) for name in ("hub-lists", *WITH_COUNTS)}  # two noises: pairs of them are many
EPSILONS2 = tuple(units / 100 for units in range(5, 400, 5))
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


def cases() -> list[tuple[str, float, float]]:
    """(mechanism, ε₁, ε₂): every mechanism of the wire at every ε of ``SPENT``.

    At 1/10 two noises have too many pairs of values. Each of them alone is enumerated there.
    """
    every = [(mechanism, spent) for mechanism in LIVE for spent in SPENT]
    return [(name, *_split(name, spent)) for name, spent in every if name not in _CUTOFF or spent >= 1]


def _split(mechanism: str, spent: float) -> tuple[float, float]:
    if mechanism not in WITH_EPSILON1:
        return 0.0, spent
    return spent, 0.9 if mechanism in WITH_EDGES else 0.0


def lists_of(n: int) -> list[tuple[int, ...]]:
    """The lists of one user among n, all of them."""
    others = [user for user in range(n) if user != _USER]
    return [friends for size in range(n) for friends in combinations(others, size)]


def law_of(
    mechanism: str, n: int, friends: tuple[int, ...], epsilon1: float, epsilon2: float, repeated: Repeated | None = None
) -> Law[bytes]:
    """The law of the bytes that leave the device, for one list."""

    def run(entropy: Entropy) -> bytes:
        report = sampler.draw(
            friends,
            mechanism=mechanism,
            n=n,
            user=_USER,
            epsilon1=epsilon1,
            epsilon2=epsilon2,
            hub_from=HUB_FROM,
            groups=[GROUPS[user % len(GROUPS)] for user in range(n)],
            _entropy=entropy,
        )
        return encode(report)

    return enumerate_law(run, cutoff=_CUTOFF.get(mechanism, Fraction(0)), repeated=repeated)


def reports(mechanism: str, n: int, epsilon1: float, epsilon2: float) -> Finding:
    """Enumerate all reports of all lists, from the first coin to the bytes.

    Args:
        mechanism: one of the wire's.
        n: users, 2 to 4; below 4 no d* gives a q between 0 and 1.
        epsilon1: ε₁; 0 where there is no noisy degree.
        epsilon2: ε₂; 0 where there is no list.
    """
    claimed = sum((sampler.exact(value) for value in (epsilon1, epsilon2) if value), Fraction(0))
    repeated: Repeated = {}
    laws = {friends: law_of(mechanism, n, friends, epsilon1, epsilon2, repeated) for friends in lists_of(n)}
    worst = max(worst_ratio(laws[a], laws[b]) for pair in neighbouring(list(laws)) for a, b in (pair, pair[::-1]))
    _, limit = exp_bounds(claimed)
    shown = math.log(worst) if worst < math.inf else math.inf
    looked_at, left = sum(len(law.chances) for law in laws.values()), max(law.rest for law in laws.values())
    effort = f"{mechanism}, ε₁ = {epsilon1:g}, n = {n}: {looked_at:,} reports, a chance of {float(left):.0e} left out"
    return Finding("reports", float(claimed), shown, worst <= limit and shown >= claimed - WASTE, effort)


def lists(mechanism: str, n: int, epsilon1: float, epsilon2: float, bits: int) -> Finding:
    """Enumerate all lists given d*, as ``draw`` draws them in words of so many bits.

    Args:
        mechanism: one with edges.
        n: users, 2 to 4.
        epsilon1: ε₁; 0 for rr.
        epsilon2: ε₂.
        bits: of a word.
    """
    degrees: tuple[int | None, ...] = (None,)
    if mechanism in WITH_DEGREE:  # below, within and above where q grows with d*; of hub-lists hubs alone have a list
        degrees = (HUB_FROM, HUB_FROM + 1) if mechanism in WITH_HUBS else (0, 1, 2)
    limit, _ = exp_bounds(sampler.exact(epsilon2))
    worst, looked_at = Fraction(1), 0
    repeated: Repeated = {}
    paths = {} if mechanism not in WITH_DEGREE else _noise_law(mechanism, epsilon1, epsilon2).paths
    for degree in degrees:
        laws = {}
        for friends in lists_of(n):
            prefix = None if degree is None else paths[degree - len(friends)]
            laws[friends] = _list_law(mechanism, n, friends, epsilon1, epsilon2, degree, prefix, bits, repeated)
            looked_at += len(laws[friends])
        for one, two in neighbouring(list(laws)):
            for noisy in {*laws[one], *laws[two]}:
                likely = sorted((laws[one].get(noisy, Fraction(0)), laws[two].get(noisy, Fraction(0))))
                if not likely[0]:
                    effort = f"a list that only one of two can give, n = {n}"
                    return Finding("lists", epsilon2, math.inf, False, effort)
                worst = max(worst, likely[1] / likely[0])
    effort = f"{mechanism}, n = {n}: {looked_at:,} lists, words of {bits} bits"
    return Finding("lists", epsilon2, math.log(worst), worst <= limit, effort)


def thresholds(epsilons: Sequence[float] = EPSILONS2) -> Finding:
    """Compare the thresholds of 64-bit words with e^ε₂; the finding is the worst case's.

    Args:
        epsilons: the values of ε₂.
    """
    whole, looked_at, worst = 1 << sampler.WORD_BITS, 0, (Fraction(-1), 0.0)
    for epsilon2 in epsilons:
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
    bits: int,
    repeated: Repeated,
) -> dict[tuple[int, ...], Fraction]:
    """The law of the list, given d*: with the noise held at one path to the value that gives this d*."""

    def run(entropy: Entropy) -> tuple[int | None, tuple[int, ...]]:
        report = sampler.draw(
            friends,
            mechanism=mechanism,
            n=n,
            user=_USER,
            epsilon1=epsilon1,
            epsilon2=epsilon2,
            hub_from=HUB_FROM,
            _entropy=entropy,
            _word_bits=bits,
        )
        return report.noisy_degree, tuple(report.neighbours.tolist())

    law = enumerate_law(run, prefix=prefix, repeated=repeated)
    if any(noisy != degree for noisy, _ in law.chances):
        raise AssertionError("A report's d* is not the degree plus the noise.")
    return {listed: likely for (_, listed), likely in law.chances.items()}


def worst_ratio(one: Law[Outcome], two: Law[Outcome]) -> Fraction | float:
    """The largest ratio of two probabilities of one report that must be: all that was left out helps the client."""
    worst: Fraction | float = Fraction(0)
    for body, likely in one.chances.items():
        other = two.chances.get(body, Fraction(0)) + two.rest
        worst = max(worst, likely / other) if other else math.inf
    return worst


def _noise_law(mechanism: str, epsilon1: float, epsilon2: float) -> Law[int]:
    """The law of d* − d for who sends a list."""
    coarse = sampler.exact(epsilon1)
    if mechanism not in WITH_HUBS:
        return enumerate_law(lambda entropy: laplace.discrete_laplace(coarse, entropy))
    whole = coarse + sampler.exact(epsilon2)
    return enumerate_law(
        lambda entropy: laplace.discrete_laplace(whole, entropy) + coarsening.step(whole, coarse, entropy)
    )


def neighbouring(lists: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of lists that differ in one friend."""
    for one, two in combinations(lists, 2):
        if len(set(one) ^ set(two)) == 1:
            yield one, two

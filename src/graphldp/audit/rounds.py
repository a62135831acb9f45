"""Both rounds of hub-counts and of closed-pairs, in whole numbers: report and answer together cost the ε that is said.

All reports of all lists of n ≤ 4 users are enumerated through the client's own code, from the first coin to the bytes,
and after each report that is asked again the answers to every question there can be. By hub-counts that is every set of
the others who are said to be busy, by closed-pairs 0, 1 or 2 bits for every two of them. One collector always asks the
same of these, and one chooses by the report. No other collector does better: what it observes is one report and the
answer to one question, and each such pair is compared. For any two lists that differ in one friend the probabilities
differ by e^ε at most, and for some by no less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from graphldp.audit import Finding
from graphldp.audit.enumeration import Law, Repeated, enumerate_law
from graphldp.audit.exact import SPENT, exp_bounds, lists_of, neighbouring, worst_ratio
from graphldp.client.sampling import hubs, pairs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import NoisyLists, Question, encode

_USER = 1
HUB_FROM = 2  # of at most three friends: with each list both branches occur
WASTE = 1e-4  # what both rounds may be short of the ε they claim: more than the paths that are left out amount to
PAIRS = ((2.5, 3.75),)  # ε₀ and ε₁ + ε₂ of closed-pairs: with small denominators, and a cap that follows d*
_CUTOFF = Fraction(1, 10**11)
Observed = tuple[bytes, tuple[bytes, ...]]


def cases(users: int) -> list[tuple[int, float, float]]:
    """(users, ε₁, ε₂), ε₂ of closed-pairs alone.

    At 1/10 the two noises of hub-counts have 70,000 pairs of values: only whole audits take it, with two users. Of
    closed-pairs there are three users at most, of whom two can be friends of the third.
    """
    small = [(2, spent, 0.0) for spent in SPENT if spent < 1] if users == 4 else []
    hub_counts = [(users, spent, 0.0) for spent in SPENT if spent >= 1]
    return [*small, *hub_counts, *((min(users, 3), *spent) for spent in PAIRS)]


def questions(n: int) -> list[Question]:
    """A question for each set of the other users."""
    others = [user for user in range(n) if user != _USER]
    sets = [chosen for size in range(n) for chosen in combinations(others, size)]
    return [Question(np.isin(np.arange(n), chosen)) for chosen in sets]


def publications(n: int) -> list[NoisyLists]:
    """All publications about the other users, but for which of two bits says it."""
    ends = list(combinations([user for user in range(n) if user != _USER], 2))
    found = []
    for bits in product((0, 1, 2), repeat=len(ends)):
        listed = np.zeros((n, n), np.bool_)
        for (one, two), said in zip(ends, bits, strict=True):
            listed[one, two], listed[two, one] = said > 0, said > 1
        found.append(NoisyLists(listed))
    return found


def law_of(
    n: int, friends: tuple[int, ...], epsilon1: float, epsilon2: float = 0.0, repeated: Repeated | None = None
) -> Law[Observed]:
    """The law of the report and of the answers to all questions, none of which is asked of a user who is done."""
    busy, lists = questions(n), publications(n)

    def run(entropy: Entropy) -> Observed:
        given: dict[str, Any] = {"n": n, "user": _USER, "epsilon1": epsilon1, "_entropy": entropy}
        if epsilon2:
            report, noise = pairs.draw(friends, epsilon2=epsilon2, **given)
            return encode(report), tuple(pairs.answer(each, friends, report, noise).encode() for each in lists)
        told, second = hubs.draw(friends, hub_from=HUB_FROM, **given)
        answers = () if second is None else tuple(hubs.answer(q, friends, _USER, second).encode() for q in busy)
        return encode(told), answers

    return enumerate_law(run, cutoff=_CUTOFF, repeated=repeated)


def collectors(n: int, epsilon2: float = 0.0) -> list[Callable[[bytes], int]]:
    """What a collector does with a report: which question it asks."""
    count = len(publications(n) if epsilon2 else questions(n))
    return [*(partial(_constant, place) for place in range(count)), lambda report: sum(report) % count]


def _constant(place: int, _report: bytes) -> int:
    return place


def observed(law: Law[Observed], collector: Callable[[bytes], int]) -> Law[Hashable]:
    """The law of what one collector observes of one user: her report, and one answer at most."""
    found: dict[Hashable, Fraction] = {}
    for (report, answers), likely in law.chances.items():
        outcome = (report, answers[collector(report)] if answers else None)
        found[outcome] = found.get(outcome, Fraction(0)) + likely
    return Law(found, law.rest, {})


def rounds(n: int, epsilon1: float, epsilon2: float = 0.0) -> Finding:
    """Enumerate both rounds of all lists, against every collector.

    Args:
        n: users, 2 to 4.
        epsilon1: ε₁ of hub-counts, or ε₀ of closed-pairs.
        epsilon2: ε₁ + ε₂ of closed-pairs; 0 for hub-counts.
    """
    claimed = sampler.exact(epsilon1) + (sampler.exact(epsilon2) if epsilon2 else 0)
    repeated: Repeated = {}
    laws = {friends: law_of(n, friends, epsilon1, epsilon2, repeated) for friends in lists_of(n)}
    worst: Fraction | float = Fraction(0)
    for collector in collectors(n, epsilon2):
        told = {friends: observed(law, collector) for friends, law in laws.items()}
        pairs = [pair for one, two in neighbouring(list(laws)) for pair in ((one, two), (two, one))]
        worst = max(worst, *(worst_ratio(told[a], told[b]) for a, b in pairs))
    _, limit = exp_bounds(claimed)
    shown = math.log(worst) if worst < math.inf else math.inf
    looked_at, left = sum(len(law.chances) for law in laws.values()), max(law.rest for law in laws.values())
    name = "closed-pairs" if epsilon2 else "hub-counts"
    effort = f"{name}, ε = {float(claimed):g}, n = {n}: {looked_at:,} reports with their answers, "
    effort += f"{len(collectors(n, epsilon2))} collectors, a chance of {float(left):.0e} left out"
    return Finding("rounds", float(claimed), shown, worst <= limit and shown >= claimed - WASTE, effort)

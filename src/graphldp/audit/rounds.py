"""Both rounds of hub-counts, in whole numbers: what a user tells in her report and in her answer together costs ε₁.

All reports of all lists of n ≤ 4 users are enumerated through the client's own code, from the first coin to the bytes,
and after each report that is asked again the answers to every question there can be: for every set of the others, a
collector that always says that these are busy; and one that chooses the set by the report. No other collector does
better: what it hears is one report and the answer to one set, and each such pair is compared. For any two lists that
differ in one friend the probabilities differ by e^ε₁ at most, and for some by no less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np

from graphldp.audit.enumeration import Law, Repeated, enumerate_law
from graphldp.audit.exact import SPENT, exp_bounds, lists_of, neighbouring, worst_ratio
from graphldp.audit.finding import Finding
from graphldp.client.sampling import hubs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import Question, encode

_USER = 1
HUB_FROM = 2  # of at most three friends: with each list both branches occur
WASTE = 1e-4  # what both rounds may be short of the ε they claim: more than the paths that are left out amount to
_CUTOFF = Fraction(1, 10**11)
Heard = tuple[bytes, tuple[bytes, ...]]


def cases(users: int) -> list[tuple[int, float]]:
    """(users, ε₁). At 1/10 the two noises have 70,000 pairs of values: two users must do, in a whole audit alone."""
    small = [(2, spent) for spent in SPENT if spent < 1] if users == 4 else []
    return small + [(users, spent) for spent in SPENT if spent >= 1]


def questions(n: int) -> list[Question]:
    """One for each set of the others."""
    others = [user for user in range(n) if user != _USER]
    sets = [chosen for size in range(n) for chosen in combinations(others, size)]
    return [Question(np.isin(np.arange(n), chosen)) for chosen in sets]


def law_of(n: int, friends: tuple[int, ...], epsilon1: float, repeated: Repeated | None = None) -> Law[Heard]:
    """The law of the report and of the answers to all questions, none of which is asked of a user who is done."""
    asked = questions(n)

    def run(entropy: Entropy) -> Heard:
        report, noise = hubs.draw(friends, n=n, user=_USER, epsilon1=epsilon1, hub_from=HUB_FROM, _entropy=entropy)
        answers = () if noise is None else tuple(hubs.answer(q, friends, _USER, noise).encode() for q in asked)
        return encode(report), answers

    return enumerate_law(run, cutoff=_CUTOFF, repeated=repeated)


def collectors(n: int) -> list[Callable[[bytes], int]]:
    """What a collector does with a report: which question it asks."""
    count = len(questions(n))
    return [*(partial(_constant, place) for place in range(count)), lambda report: sum(report) % count]


def _constant(place: int, _report: bytes) -> int:
    return place


def heard(law: Law[Heard], collector: Callable[[bytes], int]) -> Law[Hashable]:
    """The law of what one collector hears of one user: her report, and one answer at most."""
    found: dict[Hashable, Fraction] = {}
    for (report, answers), likely in law.found.items():
        outcome = (report, answers[collector(report)] if answers else None)
        found[outcome] = found.get(outcome, Fraction(0)) + likely
    return Law(found, law.rest, {})


def rounds(n: int, epsilon1: float) -> Finding:
    """Enumerate both rounds of all lists, against every collector.

    Args:
        n: users, 2 to 4.
        epsilon1: ε₁.
    """
    claimed = sampler.exact(epsilon1)
    repeated: Repeated = {}
    laws = {friends: law_of(n, friends, epsilon1, repeated) for friends in lists_of(n)}
    worst: Fraction | float = Fraction(0)
    for collector in collectors(n):
        told = {friends: heard(law, collector) for friends, law in laws.items()}
        pairs = [pair for one, two in neighbouring(list(laws)) for pair in ((one, two), (two, one))]
        worst = max(worst, *(worst_ratio(told[a], told[b]) for a, b in pairs))
    _, limit = exp_bounds(claimed)
    shown = math.log(worst) if worst < math.inf else math.inf
    looked_at, left = sum(len(law.found) for law in laws.values()), max(law.rest for law in laws.values())
    effort = f"hub-counts, ε₁ = {epsilon1:g}, n = {n}: {looked_at:,} reports with their answers, "
    effort += f"{len(collectors(n))} collectors, a chance of {float(left):.0e} left out"
    return Finding("rounds", float(claimed), shown, worst <= limit and shown >= claimed - WASTE, effort)

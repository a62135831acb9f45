"""The law of every report that the wire can carry, from the first coin to the bytes, against its formula.

The client's draws are enumerated, so nothing here is left to chance: each probability is a fraction. What was left out
of the enumeration (paths of a chance below 10⁻¹⁰) is the only slack, in both directions: noise that is too small and
noise that is too large fail alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2_contingency
from tests.values import some

from graphldp.audit import exact
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import Report, decode, encode

USER = 1
ROUNDING = Fraction(4, 2**64)  # a threshold is off by less than one in 2⁶⁴; lists of up to three bits


def short(value: Fraction) -> Fraction:
    """To sixty digits, so that powers stay short."""
    return Fraction(int(value * 2**200), 2**200)


@cache
def e_to(epsilon: float) -> Fraction:
    """e^ε."""
    return short(exact.exp_bounds(sampler.exact(epsilon))[0])


@cache
def noise(epsilon1: float, z: int) -> Fraction:
    """(1 − r)/(1 + r)·r^|z| with r = e^(−ε₁)."""
    e = e_to(epsilon1)
    return short((e - 1) / (e + 1)) if z == 0 else short(noise(epsilon1, abs(z) - 1) / e)


def list_chance(friends: tuple[int, ...], listed: tuple[int, ...], n: int, epsilon2: float, q: Fraction) -> Fraction:
    """Randomized response, then sampling with q."""
    p, chance = short(1 - 1 / (e_to(epsilon2) + 1)), Fraction(1)
    for other in range(n):
        if other != USER:
            one = q * (p if other in friends else 1 - p)
            chance *= one if other in listed else 1 - one
    return chance


@cache
def degree_preserving(d_star: int, n: int, epsilon2: float) -> Fraction:
    """q of the paper's formula."""
    if d_star <= 0:
        return Fraction(0)
    p = short(1 - 1 / (e_to(epsilon2) + 1))
    return min(Fraction(1), short(d_star / (d_star * (2 * p - 1) + (n - 1) * (1 - p))))


def dprr(friends: tuple[int, ...], n: int, epsilon1: float, epsilon2: float, report: Report) -> Fraction:
    listed, d_star = tuple(report.neighbours.tolist()), some(report.noisy_degree)
    q = degree_preserving(d_star, n, epsilon2)
    return noise(epsilon1, d_star - len(friends)) * list_chance(friends, listed, n, epsilon2, q)


def rr(friends: tuple[int, ...], n: int, epsilon1: float, epsilon2: float, report: Report) -> Fraction:
    return list_chance(friends, tuple(report.neighbours.tolist()), n, epsilon2, Fraction(1))


def noisy_degrees(friends: tuple[int, ...], n: int, epsilon1: float, epsilon2: float, report: Report) -> Fraction:
    return noise(epsilon1, some(report.noisy_degree) - len(friends))


@cache
def step_below(epsilon1: float, epsilon2: float, limit: int) -> Fraction:
    """Pr(step < limit), short of a chance below 10⁻¹⁵: s where 0 is below, and the noise of ε₁ else."""
    e, e1 = e_to((round(epsilon1 * 10**6) + round(epsilon2 * 10**6)) / 10**6), e_to(epsilon1)
    s = short(e1 / e * ((1 - 1 / e1) / (1 - 1 / e)) ** 2)
    reach = int(40 / epsilon1)
    return s * (limit > 0) + (1 - s) * sum((noise(epsilon1, z) for z in range(-reach, min(limit, reach))), Fraction(0))


def hub_lists(friends: tuple[int, ...], n: int, epsilon1: float, epsilon2: float, report: Report) -> Fraction:
    d_star, whole = some(report.noisy_degree), (round(epsilon1 * 10**6) + round(epsilon2 * 10**6)) / 10**6
    if report.epsilon2 == 0:
        assert report.epsilon1 == whole
        return noise(whole, d_star - len(friends)) * step_below(epsilon1, epsilon2, exact.HUB_FROM - d_star)
    assert d_star >= exact.HUB_FROM
    assert (report.epsilon1, report.epsilon2) == (epsilon1, epsilon2)
    listed = tuple(report.neighbours.tolist())
    return noise(epsilon1, d_star - len(friends)) * list_chance(friends, listed, n, epsilon2, Fraction(1))


def friend_counts(friends: tuple[int, ...], n: int, epsilon1: float, epsilon2: float, report: Report) -> Fraction:
    chance = Fraction(1)
    for group, count in enumerate(some(report.counts)):
        chance *= noise(epsilon1, count - sum(exact.GROUPS[friend] == group for friend in friends))
    return chance


FORMULAS = {
    "friend-counts": friend_counts,
    "dprr": dprr,
    "rr": rr,
    "noisy-degrees": noisy_degrees,
    "hub-lists": hub_lists,
}
"""A mechanism that joins the wire joins these."""
TWO_NOISES = ("hub-lists", "friend-counts")


def lists(n: int) -> Iterator[tuple[int, ...]]:
    """Every second list of each length: all lengths, members before and after the user."""
    others = [user for user in range(n) if user != USER]
    for size in range(n):
        yield from list(combinations(others, size))[::2]


law_of = cache(exact.law_of)  # the two tests below ask for the same ones


def test_every_mechanism_of_the_wire_has_its_formula() -> None:
    assert set(FORMULAS) == set(exact.LIVE)


@pytest.mark.parametrize("case", exact.cases(), ids=str)
def test_the_law_is_the_formula(case: tuple[str, float, float]) -> None:
    mechanism, epsilon1, epsilon2 = case
    n = 3 if epsilon1 == 0.1 or mechanism in TWO_NOISES else 4
    for friends in lists(n):
        law = law_of(mechanism, n, friends, epsilon1, epsilon2)
        assert law.rest < Fraction(2, 10**8)
        for body, found in law.chances.items():
            true = FORMULAS[mechanism](friends, n, epsilon1, epsilon2, decode(body, n=n))
            assert -ROUNDING <= true - found <= law.rest + ROUNDING


@pytest.mark.parametrize("mechanism", exact.LIVE)
def test_no_length_and_no_position_tells_a_list(mechanism: str) -> None:
    """What can be sent, and how long it is, is the same for every list.

    OpenDP's randomized response on bit vectors answers in the length of its input, by which two neighbouring inputs
    are told apart for certain (opendp/opendp#2930); and it once left the last bit as it was (#2707).
    """
    for case in exact.cases():
        if case[0] == mechanism and 0.1 not in case:
            n, margin = (3, 10_000) if mechanism in TWO_NOISES else (4, 100)  # paths of two noises are left earlier
            laws = [law_of(mechanism, n, friends, *case[1:]) for friends in lists(n)]
            likely = [{body for body, p in law.chances.items() if p > law.rest * margin} for law in laws]
            possible = [set(law.chances) for law in laws]
            for one in likely:
                for two in possible:
                    assert one <= two
                    assert {len(body) for body in one} <= {len(body) for body in two}


@pytest.mark.parametrize("n", [2, 9, 600])
def test_every_position_is_drawn_the_last_one_too(n: int) -> None:
    """One word for each other user: with the smallest words all are listed, with the largest nobody is."""
    for friends in ([], [n - 1], list(range(1, n))):
        for byte, listed in ((0, n - 1), (255, 0)):
            entropy = Entropy(_source=bytes([byte]).__mul__)
            report = sampler.draw(friends, mechanism="rr", n=n, user=0, epsilon1=0.0, epsilon2=1.0, _entropy=entropy)
            assert len(report.neighbours) == listed
            assert len(encode(report)) == len(encode(sampler_report(n, listed)))


class OneWord(Entropy):
    """Noise that repeats, and the same word for every user."""

    def __init__(self, word: int) -> None:
        super().__init__(_source=Random(7).randbytes)
        self._word = word

    def words(self, count: int, bits: int) -> list[int]:
        return [self._word] * count


@pytest.mark.parametrize("n", [9, 600, 300_000])
@pytest.mark.parametrize(("mechanism", "epsilon1"), [("rr", 0.0), ("dprr", 1.0)])
def test_everybody_is_compared_with_the_thresholds_of_her_community(mechanism: str, epsilon1: float, n: int) -> None:
    """Enumeration ends at four users. At any n strangers are listed below T₀ and friends below T₁, and nobody else.

    Lists of more than 2¹⁸ users are drawn in parts: what holds for the first part has to hold for the others.
    """
    friends, everybody = np.arange(0, n, 3, dtype=np.int32), np.delete(np.arange(n), USER)

    def drawn(word: int) -> Report:
        entropy = OneWord(word)
        return sampler.draw(
            friends, mechanism=mechanism, n=n, user=USER, epsilon1=epsilon1, epsilon2=0.9, _entropy=entropy
        )

    stranger, neighbour = sampler.thresholds(sampler.exact(0.9), n, drawn(0).noisy_degree, sampler.WORD_BITS)
    assert 0 < stranger < neighbour
    for word, listed in ((stranger - 1, everybody), (stranger, friends), (neighbour - 1, friends), (neighbour, [])):
        assert drawn(word).neighbours.tolist() == list(listed)


@pytest.mark.parametrize("degree", [5, 64, 599])
def test_the_noise_is_the_same_for_every_degree(degree: int) -> None:
    others = [user for user in range(600) if user != USER]
    of_none, of_many = (exact.law_of("noisy-degrees", 600, tuple(others[:size]), 1.5, 0.0) for size in (0, degree))
    shifted = {_d_star(body) + degree: chance for body, chance in of_none.chances.items()}
    assert {_d_star(body): chance for body, chance in of_many.chances.items()} == shifted


def _d_star(body: bytes) -> int:
    noisy = decode(body, n=600).noisy_degree
    assert noisy is not None
    return noisy


def sampler_report(n: int, listed: int) -> Report:
    """A report with so many members, of nobody in particular."""
    return Report("rr", n, 0, 0.0, 1.0, None, np.arange(1, listed + 1, dtype=np.int32))


def test_opendp_flips_as_often() -> None:
    """Their bit vectors of one length against our lists: 64 positions, 3,000 draws.

    Flip with f/2 = 1/(e^ε + 1). Neither is seeded; each of 64 tests fails by chance once in 10¹¹ runs.
    """
    dp.enable_features("contrib")
    epsilon, n, rounds = 1.0, 65, 3000
    flip = 1 / (np.e**epsilon + 1)
    space = dp.bitvector_domain(max_weight=n - 1), dp.discrete_distance()
    theirs_drawn = dp.m.make_randomized_response_bitvec(*space, f=2 * flip)
    truth = np.arange(n - 1) % 3 == 0
    data = np.packbits(truth, bitorder="little").tobytes()
    ours, theirs = np.zeros(n - 1, np.int64), np.zeros(n - 1, np.int64)
    friends = (np.flatnonzero(truth) + 1).astype(np.int32)
    entropy = Entropy(_source=os.urandom)
    for _ in range(rounds):
        report = sampler.draw(friends, mechanism="rr", n=n, user=0, epsilon1=0.0, epsilon2=epsilon, _entropy=entropy)
        ours[np.asarray(report.neighbours) - 1] += 1
        theirs += np.unpackbits(np.frombuffer(theirs_drawn(data), np.uint8), bitorder="little")
    for place in range(n - 1):
        counts = [[each[place], rounds - each[place]] for each in (ours, theirs)]
        assert chi2_contingency(counts)[1] > 1e-11

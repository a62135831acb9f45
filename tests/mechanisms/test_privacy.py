"""ε of every mechanism of single rows, exactly: attained, never passed, and mutants are caught."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import graphldp as gl

from .exact import E1, E2, MORE1, MORE2, Law, discrete_laplace, law, neighbouring, rates, row_law, silent, worst_ratio

DPRR = gl.DPRR(1.0, noise="discrete")
HALF: Any = Fraction(1, 2)  # a rational, so that the law stays one
CASES = {
    "DPRR": (DPRR, E1 * E2),
    "DPRR, unbiased": (gl.DPRR(1.0, noise="discrete", estimator="unbiased"), E1 * E2),
    "DPRR, bayes": (gl.DPRR(1.0, noise="discrete", estimator="bayes"), E1 * E2),
    "Blink": (gl.Blink(1.0, noise="discrete"), E1 * E2),
    "RR": (gl.RR(1.0), E2),
    "ARR": (gl.ARR(1.0, sampling=HALF), E2),
    "ARR, zeros": (gl.ARR(1.0, sampling=HALF, sampled="zeros"), E2),
    "ARR unsampled": (gl.ARR(1.0, sampling=2 * HALF), E2),
    "NoisyDegrees": (gl.NoisyDegrees(1.0, noise="discrete"), E1),
}


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_attained_and_never_passed(name: str, n: int) -> None:
    mechanism, bound = CASES[name]
    assert worst_ratio(row_law(mechanism, n), n) == bound  # equal: ε holds, and nothing below it does


def no_fakes(bits: tuple[int, ...], d_star: int) -> tuple[Fraction, Fraction]:
    return rates(DPRR, d_star, len(bits) + 1, E2)[0], Fraction(0)


def from_the_true_degree(bits: tuple[int, ...], d_star: int) -> tuple[Fraction, Fraction]:
    return rates(DPRR, sum(bits), len(bits) + 1, E2)


MUTANTS: dict[str, tuple[Law, Fraction]] = {
    "DPRR, ε₂ and 10 %": (row_law(DPRR, 4, e2=MORE2), E1 * E2),
    "DPRR, ε₁ and 10 %": (row_law(DPRR, 4, e1=MORE1), E1 * E2),
    "DPRR, unbiased, ε₂ and 10 %": (row_law(CASES["DPRR, unbiased"][0], 4, e2=MORE2), E1 * E2),
    "DPRR, bayes, ε₂ and 10 %": (row_law(CASES["DPRR, bayes"][0], 4, e2=MORE2), E1 * E2),
    "DPRR, q from the true degree": (law(discrete_laplace(E1, 4), from_the_true_degree), E1 * E2),
    "DPRR, q from the true degree, d* kept back": (law(silent, from_the_true_degree), E1 * E2),
    "DPRR, no strangers": (law(discrete_laplace(E1, 4), no_fakes), E1 * E2),
    "Blink, ε₁ and 10 %": (row_law(CASES["Blink"][0], 4, e1=MORE1), E1 * E2),
    "RR and 10 %": (row_law(gl.RR(1.0), 4, e2=MORE2), E2),
    "ARR and 10 %": (row_law(gl.ARR(1.0, sampling=HALF), 4, e2=MORE2), E2),
    "ARR, zeros, and 10 %": (row_law(gl.ARR(1.0, sampling=HALF, sampled="zeros"), 4, e2=MORE2), E2),
    "NoisyDegrees and 10 %": (row_law(gl.NoisyDegrees(1.0, noise="discrete"), 4, e1=MORE1), E1),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str) -> None:
    mutant, bound = MUTANTS[name]
    assert worst_ratio(mutant, 4) > bound


@pytest.mark.parametrize("n", [2, 3, 4])
def test_far_values_of_d_star_add_nothing(n: int) -> None:
    """What lets the enumeration stop at d* = −1 and d* = n: q is 0 up to 0 and 1 from (n−1)/2 on."""
    assert {rates(DPRR, d, n, E2) for d in (-(10**9), -50, -1, 0)} == {(Fraction(0), Fraction(0))}
    assert {rates(DPRR, d, n, E2) for d in (n - 1, n, 50, 10**9)} == {(E2 / (E2 + 1), 1 / (E2 + 1))}
    for estimator in ("unbiased", "bayes"):
        mechanism = gl.DPRR(1.0, noise="discrete", estimator=estimator)
        assert len({rates(mechanism, d, n, E2) for d in (-(10**9), -50, -1)}) == 1
        assert len({rates(mechanism, d, n, E2) for d in (n, n + 1, 50, 10**9)}) == 1


@pytest.mark.parametrize("n", [2, 3, 4])
def test_continuous_noise_keeps_epsilon_too(n: int) -> None:
    """d* is any real number. Its density's ratio is at most E₁, since |d − d'| = 1, and E₁ for every d* ≥ d > d'.

    Given d*, the rates are p·q and (1−p)·q, and each bit's Pr(b | a) ≤ E₂·Pr(b | a') is linear in q: true for all q
    from 0 to 1 once it is at both ends.
    """
    p = E2 / (E2 + 1)
    for sevenths in range(-14, 7 * n + 7):
        keep, fake = rates(DPRR, Fraction(sevenths, 7), n, E2)
        q = keep / p
        assert 0 <= q <= 1
        assert fake == (1 - p) * q
    for q in (Fraction(0), Fraction(1)):
        for keep, fake in ((p * q, (1 - p) * q), ((1 - p) * q, p * q)):
            assert keep <= E2 * fake
            assert 1 - keep <= E2 * (1 - fake)
    worst = worst_ratio(law(silent, lambda bits, _: rates(DPRR, n - 1, n, E2)), n)
    assert worst == E2  # and d* = n − 1 ≥ d is where the density's ratio is E₁


def test_q_is_the_formula() -> None:
    """q = d*/(d*(2p−1) + (n−1)(1−p)), by which d̃ has mean d* where d = d* and q ≤ 1."""
    p = E2 / (E2 + 1)
    for n in (3, 10, 4000):
        for d in {1, n // 3, (n - 1) // 2}:
            keep, fake = rates(DPRR, d, n, E2)
            assert keep == p * Fraction(d) / (d * (2 * p - 1) + (n - 1) * (1 - p))
            assert d * keep + (n - 1 - d) * fake == d


def test_nobody_hides_without_noise() -> None:
    full = gl.NonPrivFull()
    seen = {}
    for one, two in neighbouring(4):
        for bits in (one, two):
            reports = full.randomize(star_of(bits), rng=0)
            seen[bits] = tuple(reports.indices.tolist())
    assert len(set(seen.values())) == len(seen)
    assert reports.guarantee.edge_ldp == math.inf


def test_private_users_say_nothing_in_nonpriv_part() -> None:
    """User 0 is private: what is sent does not depend on her list, so her ε is 0."""
    epsilon = np.array([1.0, np.inf, np.inf, np.inf])
    sent = set()
    for one, _ in neighbouring(4):
        for directed in (False, True):
            reports = gl.NonPrivPart(epsilon).randomize(star_of(one, directed=directed), rng=0)
            sent.add((tuple(reports.indptr.tolist()), tuple(reports.indices.tolist())))
            assert reports.guarantee.epsilon[0] == 0
            assert reports.missing is not None
            assert reports.missing.tolist() == [True, False, False, False]
    assert len(sent) == 1


def star_of(bits: tuple[int, ...], *, directed: bool = False) -> gl.GraphSet:
    """User 0 with this list; nobody else has an edge."""
    friends = [i + 1 for i, bit in enumerate(bits) if bit]
    return gl.GraphSet.from_edges([0] * len(friends), friends, [len(bits) + 1], directed=directed)

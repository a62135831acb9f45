"""Every mechanism: ε of single rows exactly, attained, never passed; bad input in one form of message; odd graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import BudgetError, ParameterError

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


PATH = gl.GraphSet.from_edges([0, 1], [1, 2], [3], [1])
EVERY: dict[str, Callable[[Any], gl.Mechanism]] = {
    "DPRR": gl.DPRR,
    "RR": gl.RR,
    "ARR": lambda e: gl.ARR(e, sampling=0.5),
    "Blink": gl.Blink,
    "LocalLap": gl.LocalLap,
    "NoisyDegrees": gl.NoisyDegrees,
    "NonPrivPart": gl.NonPrivPart,
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    "epsilon",
    [0, -1, float("nan"), -float("inf"), None, "much", "1", True, ["1", "2", "3"], [[1.0]], [1.0, 0.0], [1.0, np.nan]],
)
def test_epsilon_must_be_positive(name: str, epsilon: Any) -> None:
    with pytest.raises(ParameterError, match=f"'epsilon' parameter of {name} must be"):
        EVERY[name](epsilon)


def test_the_one_form_of_message() -> None:
    with pytest.raises(ParameterError) as caught:
        gl.DPRR(-1)
    assert str(caught.value) == "The 'epsilon' parameter of DPRR must be a positive number. Got -1.0 instead."


@pytest.mark.parametrize("name", EVERY)
def test_one_epsilon_per_user_must_fit_the_set(name: str) -> None:
    with pytest.raises(ParameterError, match=r"one per user \(3\)\. Got 2 numbers"):
        EVERY[name](np.array([1.0, np.inf])).randomize(PATH, rng=0)


def test_what_was_promised_does_not_change_with_the_callers_array() -> None:
    epsilon = np.array([1.0, 2.0, 3.0])
    mechanism = gl.RR(epsilon)
    reports = mechanism.randomize(PATH, rng=0)
    epsilon[:] = 9.0
    assert reports.guarantee.epsilon.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(mechanism.epsilon)[0] = 5.0


def test_epsilon_too_small_for_the_largest_graph() -> None:
    with pytest.raises(BudgetError, match=r"must be above 0\.046 for graphs of up to 3782 users .* Got 0\.04 "):
        gl.DPRR(0.04).budget(n_max=3782)
    with pytest.raises(BudgetError, match=r"above 2 for graphs of up to 3 users"):
        gl.DPRR(1.0).randomize(PATH, rng=0)
    assert gl.DPRR(1.0, n_max=3782).randomize(PATH, rng=0).num_users == 3


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_alpha(alpha: float) -> None:
    with pytest.raises(ParameterError, match="'alpha' parameter of DPRR must be a number between 0 and 1"):
        gl.DPRR(1.0, alpha=alpha)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: gl.DPRR(1.0, allocation=wrong("half")), "allocation"),
        (lambda: gl.DPRR(1.0, noise=wrong("gauss")), "noise"),
        (lambda: gl.DPRR(1.0, estimator=wrong("median")), "estimator"),
        (lambda: gl.NoisyDegrees(1.0, noise=wrong("gauss")), "noise"),
        (lambda: gl.DPRR(1.0, n_max=0), "n_max"),
        (lambda: gl.DPRR(1.0, n_max=wrong(2.5)), "n_max"),
        (lambda: gl.DPRR(1.0, n_max=True), "n_max"),
        (lambda: gl.DPRR(1.0, n_max=2).randomize(PATH), "n_max"),
        (lambda: gl.DPRR(1.0, alpha=wrong("half")), "alpha"),
        (lambda: gl.DPRR(1.0, mean_degree=wrong("two")), "mean_degree"),
        (lambda: gl.DPRR(1.0).budget(), "n_max"),
        (lambda: gl.DPRR(1.0, mean_degree=0.0), "mean_degree"),
        (lambda: gl.DPRR(1.0, mean_degree=float("inf")), "mean_degree"),
        (lambda: gl.DPRR(1.0, mean_degree=float("nan")), "mean_degree"),
        (lambda: gl.ARR(1.0, sampling=0.0), "sampling"),
        (lambda: gl.ARR(1.0, sampling=1.1), "sampling"),
        (lambda: gl.ARR(1.0, sampling=True), "sampling"),
        (lambda: gl.ARR(1.0, sampling=float("nan")), "sampling"),
        (lambda: gl.ARR(1.0, sampling=0.5, sampled=wrong("twos")), "sampled"),
        (lambda: gl.Blink(1.0, delta=0.0), "delta"),
        (lambda: gl.Blink(1.0, delta=1.0), "delta"),
        (lambda: gl.Blink(1.0, delta=wrong(None)), "delta"),
        (lambda: gl.Blink(1.0, noise=wrong("gauss")), "noise"),
        (lambda: gl.RR(1.0).randomize(wrong([[1], [0]])), "graphs"),
        (lambda: gl.RR(1.0).randomize(PATH, rng=-1), "rng"),
        (lambda: gl.RR(1.0).randomize(PATH, rng=wrong(1.5)), "rng"),
        (lambda: gl.RR(1.0).randomize(PATH, rng=True), "rng"),
    ],
)
def test_other_parameters(made: Callable[[], object], name: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' parameter of .* must be .* Got .* instead"):
        made()


def test_nonpriv_part_needs_public_users() -> None:
    with pytest.raises(ParameterError, match="needs public users"):
        gl.NonPrivPart(1.0).randomize(PATH, rng=0)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sizes", [[], [0], [1], [1, 0, 1], [2]])
def test_graphs_too_small_for_an_edge_and_graphs_without_one(name: str, sizes: list[int]) -> None:
    graphs = gl.GraphSet.from_edges([], [], sizes)
    epsilon = np.full(sum(sizes), np.inf) if name == "NonPrivPart" else 4.0
    reports = EVERY[name](epsilon).randomize(graphs, rng=0)
    assert reports.num_users == sum(sizes)
    if max(sizes, default=0) < 2:
        assert reports.num_entries == 0
    str(reports.guarantee)


@pytest.mark.parametrize("name", EVERY)
def test_complete_graphs_and_missing_labels(name: str) -> None:
    one, two = np.triu_indices(9, 1)
    complete = gl.GraphSet.from_edges(one, two, [9])
    epsilon = np.where(np.arange(9) < 4, np.inf, 3.0)
    reports = EVERY[name](epsilon).randomize(complete, rng=0)
    assert reports.labels is None
    assert (reports.degrees <= 8).all()


@pytest.mark.parametrize("name", EVERY)
def test_every_kind_of_seed(name: str) -> None:
    mechanism = EVERY[name](np.where(np.arange(3) < 1, np.inf, 3.0))
    kinds: list[Callable[[Any], Any]] = [int, np.int64, np.random.SeedSequence, np.random.default_rng]
    for make in kinds:
        one, two = (mechanism.randomize(PATH, rng=make(7)) for _ in range(2))
        np.testing.assert_array_equal(one.indices, two.indices)
    mechanism.randomize(PATH)  # fresh entropy
    generator = np.random.default_rng(7)
    one, two = (gl.NoisyDegrees(1.0).randomize(PATH, rng=generator) for _ in range(2))
    assert not np.array_equal(some(one.noisy_degree), some(two.noisy_degree))  # a generator advances

"""``allocation="utility"``: the balance it strikes, and what it reads."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphldp as gl
from graphldp.privacy.budget import degree_floor
from graphldp.privacy.utility import balanced_degree, list_variance, public_mean_degree


def utility(epsilon: float, n: int, mean_degree: float | None = None) -> gl.Budget:
    return gl.DPRR(epsilon, allocation="utility", mean_degree=mean_degree).budget(n)


@pytest.mark.parametrize(("n", "degree"), list(product((2, 3, 5), (0, 1, 2, 4))))
def test_the_variance_is_that_of_the_length(n: int, degree: int) -> None:
    """Against the law of the length, summed over all lists, with the mechanism's own rates."""
    degree, flip = min(degree, n - 1), Fraction(1, 4)
    noisy = np.array([Fraction(degree)], dtype=object)
    keep, fake = (Fraction(np.ravel(rate)[0]) for rate in gl.DPRR(1.0).rates(noisy, n, flip))
    chances = [keep] * degree + [fake] * (n - 1 - degree)
    law = {length: Fraction(0) for length in range(n)}
    for bits in product((0, 1), repeat=n - 1):
        chance = Fraction(1)
        for bit, one in zip(bits, chances, strict=True):
            chance *= one if bit else 1 - one
        law[sum(bits)] += chance
    mean = sum(length * chance for length, chance in law.items())
    variance = sum((length - mean) ** 2 * chance for length, chance in law.items())
    assert list_variance(degree, n, np.log([3.0])) == pytest.approx(float(variance), abs=1e-14)


@given(st.floats(0.01, 30), st.integers(2, 10**6), st.floats(0.01, 1e4))
def test_the_two_variances_meet_or_all_goes_to_the_degree(epsilon: float, n: int, mean_degree: float) -> None:
    budget = utility(epsilon, n, mean_degree)
    noise = 2 / budget.degree**2
    own = list_variance(min(mean_degree, n - 1), n, np.array([budget.edges]))[0]
    if budget.edges == 0.0:
        assert noise >= own * (1 - 1e-12)
    else:
        assert noise == pytest.approx(own, rel=1e-6)


@given(st.floats(0.01, 1e3), st.integers(2, 10**5))
def test_the_list_varies_less_with_more_epsilon(mean_degree: float, n: int) -> None:
    """By which the balance is struck at one place only: L falls in ε₂, so 2/ε₁² − L(ε − ε₁) falls in ε₁."""
    variance = list_variance(min(mean_degree, n - 1), n, np.linspace(0, 30, 100))
    assert (np.diff(variance) <= 1e-12 * variance[0]).all()


@pytest.mark.parametrize("n", [50, 957, 3782])
def test_the_papers_floor_is_the_dense_limit(n: int) -> None:
    """With half of everybody as friends and nothing on the edges L is (n−1)/4, and the balance is √(8/(n−1))."""
    assert list_variance((n - 1) / 2, n, np.zeros(1))[0] == pytest.approx((n - 1) / 4)
    assert utility(1e-3 + degree_floor(n), n, (n - 1) / 2).degree == pytest.approx(degree_floor(n), rel=1e-3)


def test_sparse_graphs_give_the_degree_far_more_than_a_tenth() -> None:
    """√(2/d) where the list is long against its strangers: REDDIT-BINARY's 3,782 users, the guess 8.8 and the truth."""
    assert utility(1.0, 3782).degree == pytest.approx(np.sqrt(2 / public_mean_degree(3782)), rel=0.01)
    assert utility(1.0, 3782, 2.3).degree == pytest.approx(np.sqrt(2 / 2.3), rel=0.01)
    assert utility(0.2, 3782).degree == 0.2  # all of it would not do
    assert utility(0.2, 3782).edges == 0.0


def test_the_public_guess() -> None:
    for n in (2, 3, 20, 3782):
        assert public_mean_degree(n) == pytest.approx(np.sum(1 / np.arange(1, n)), abs=0.02)
    assert utility(1.0, 1).degree == 1.0  # nobody has a list


def test_each_user_by_her_own_epsilon() -> None:
    epsilon = np.array([0.2, 1.0, np.inf, 1.0, 8.0])
    budget = gl.DPRR(epsilon, allocation="utility").budget(3782)
    assert np.asarray(budget.degree).tolist() == [utility(e, 3782).degree if e < np.inf else e for e in epsilon]
    assert np.asarray(budget.edges)[2] == np.inf
    assert (balanced_degree(epsilon[[0, 1, 4]], 3782, 8.8) <= epsilon[[0, 1, 4]]).all()

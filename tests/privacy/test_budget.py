"""ε₁ + ε₂ ≤ ε as real numbers, whatever is split and how."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphldp as gl
from graphldp.errors import BudgetError, ParameterError
from graphldp.privacy.budget import degree_floor

POSITIVE = st.floats(min_value=0.0, exclude_min=True, allow_infinity=False, allow_nan=False)
SHARE = st.floats(min_value=0.0, max_value=1.0, exclude_min=True, exclude_max=True)


@given(POSITIVE, SHARE, st.integers(0, 10**7), st.sampled_from(["paper", "fixed", "utility"]))
def test_never_more_than_epsilon(epsilon: float, alpha: float, n_max: int, allocation: Any) -> None:
    try:
        budget = gl.DPRR(epsilon, alpha=alpha, allocation=allocation).budget(n_max)
    except BudgetError:
        floor = degree_floor(n_max) if allocation == "paper" else 0.0
        assert epsilon <= floor or (1 - alpha) * epsilon in (0.0, epsilon)
        return
    degree, edges = Fraction(float(budget.degree)), Fraction(float(budget.edges))
    assert degree + edges <= Fraction(epsilon)
    assert degree > 0
    assert edges >= 0
    assert Fraction(float(budget.total)) >= degree + edges  # what is stated is never less than what is spent
    assert budget.total <= epsilon
    assert float(degree + edges) >= epsilon * (1 - 1e-15)  # nor is anything left over
    if allocation == "paper":
        assert budget.degree >= degree_floor(n_max)


@given(POSITIVE, POSITIVE, POSITIVE)
def test_an_explicit_budget_is_held_to_epsilon_exactly(degree: float, edges: float, epsilon: float) -> None:
    mechanism = gl.DPRR(epsilon, allocation=gl.Budget(degree, edges))
    if Fraction(degree) + Fraction(edges) > Fraction(epsilon):
        with pytest.raises(BudgetError, match="must not spend more than epsilon"):
            mechanism.budget(10)
    else:
        assert mechanism.budget(10).degree == degree


@pytest.mark.parametrize(("n_max", "floor"), [(3782, 0.0460), (3648, 0.0468), (957, 0.0915)])
def test_floors_of_the_papers_datasets(n_max: int, floor: float) -> None:
    """REDDIT-BINARY, REDDIT-MULTI-5K, Github StarGazers; the paper rounds to 0.046, 0.047 and, down, 0.091."""
    assert round(degree_floor(n_max), 4) == floor
    small = gl.DPRR(0.2).budget(n_max)  # where the floor binds, ε₂ gives way
    assert small.degree == degree_floor(n_max)
    assert small.edges == pytest.approx(0.2 - floor, abs=1e-4)
    assert gl.DPRR(1.0).budget(n_max).degree == pytest.approx(0.1)


def test_the_design_examples() -> None:
    assert gl.DPRR(epsilon=1.0, allocation="paper", alpha=0.9).budget(n_max=3782).edges == pytest.approx(0.9)
    assert gl.DPRR(epsilon=1.0, allocation="fixed", alpha=0.5).budget(n_max=3).degree == 0.5


def test_one_budget_per_user() -> None:
    budget = gl.DPRR(np.array([1.0, 2.0, np.inf])).budget(3782)
    assert np.asarray(budget.degree).tolist() == pytest.approx([0.1, 0.2, np.inf])
    assert np.asarray(budget.edges).tolist() == pytest.approx([0.9, 1.8, np.inf])
    taken = budget.taken(np.array([2, 0]))
    assert np.asarray(taken.total).tolist() == [np.inf, 1.0]
    explicit = gl.DPRR(np.array([1.0, np.inf]), allocation=gl.Budget(0.5, 0.5)).budget(10)
    assert np.asarray(explicit.degree).tolist() == [0.5, np.inf]
    assert np.asarray(gl.RR(np.array([1.0, np.inf])).budget().edges).tolist() == [1.0, np.inf]
    assert gl.NoisyDegrees(1.0).budget().total == 1.0


def test_public_users_need_no_budget() -> None:
    assert gl.DPRR(np.inf).budget(1).total == np.inf
    assert np.asarray(gl.DPRR(np.array([np.inf, 3.0])).budget(3).degree)[1] == 2.0  # the floor at n_max = 3


@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        (gl.Budget(0.6, 0.5), "must not spend more than epsilon. Got ε₁ \\+ ε₂ = 1.1 for an epsilon of 1"),
        (gl.Budget(0.0, 1.0), "must spend something on the degree"),
        (gl.Budget(np.array([0.1, 0.1]), 0.5), "a Budget for all or for 1 users"),
    ],
)
def test_budgets_that_do_not_fit(allocation: gl.Budget, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        gl.DPRR(1.0, allocation=allocation).budget(10)


@pytest.mark.parametrize(("degree", "edges"), [(-0.1, 1.0), (0.1, np.nan), ([[0.1]], 1.0), (np.ones(2), np.ones(3))])
def test_what_is_no_budget(degree: Any, edges: Any) -> None:
    with pytest.raises(ParameterError, match="parameter of Budget must be"):
        gl.Budget(degree, edges)


def test_alpha_so_extreme_that_nothing_is_left() -> None:
    for alpha in (1e-17, 1 - 2**-53):
        with pytest.raises(BudgetError, match="'alpha' parameter of DPRR must leave"):
            gl.DPRR(5e-324 if alpha > 0.5 else 1.0, alpha=alpha, allocation="fixed").budget(10)

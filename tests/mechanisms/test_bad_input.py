"""Bad input gives one form of message; odd graphs give a defined result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import BudgetError, ParameterError

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

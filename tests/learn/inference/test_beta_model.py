"""The β-model has the degrees that were asked for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

import graphldp as gl
from graphldp.learn.inference.beta_model import beta_model


def expected(beta: NDArray[np.float64]) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = expit(beta[:, None] + beta)
    return np.asarray(chance.sum(axis=1) - np.diag(chance))


def test_expected_degrees_are_the_given_ones() -> None:
    graphs = gl.synthetic.barabasi_albert(n=80, m=4, num_graphs=3, seed=1)
    beta = beta_model(graphs.degrees.astype(np.float64), graphs.graph_ptr)
    for start, stop in zip(graphs.graph_ptr[:-1], graphs.graph_ptr[1:], strict=True):
        np.testing.assert_allclose(expected(beta[start:stop]), graphs.degrees[start:stop], rtol=1e-6)


def test_fractions_of_friends_and_equal_users() -> None:
    degree = np.array([1.0, 2.5, 2.5, 1.75, 1.0, 3.25])
    beta = beta_model(degree, np.array([0, 6]))
    np.testing.assert_allclose(expected(beta), degree, rtol=1e-6)
    assert beta[1] == beta[2]
    assert beta[0] == beta[4]


@pytest.mark.parametrize("degree", [[-5.0, 40.0], [0.0, 0.0]])
def test_two_users_toss_a_coin(degree: list[float]) -> None:
    np.testing.assert_allclose(beta_model(np.array(degree), np.array([0, 2])), 0.0, atol=1e-9)


def test_degrees_that_no_graph_has_stay_finite() -> None:
    """One user wants to know everybody, nobody wants to know her: brought into range, and stopped after a while."""
    beta = beta_model(np.array([1e9, -1e9, 0.0, -3.0, 0.0]), np.array([0, 5]))
    assert np.isfinite(beta).all()
    assert beta[0] > beta[1]


def test_nobody_and_somebody_alone() -> None:
    assert beta_model(np.zeros(1), np.array([0, 0, 1])).tolist() == [0.0]
    assert not len(beta_model(np.zeros(0), np.array([0])))


def test_graphs_solved_together_are_those_solved_alone() -> None:
    """Also where one settles early and another has no fixed point."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 12, size=60)
    degree = rng.integers(0, 12, size=int(sizes.sum())).astype(np.float64)
    ends = np.concatenate(([0], np.cumsum(sizes)))
    together = beta_model(degree, ends)
    for start, stop in pairwise(ends.tolist()):
        alone = beta_model(degree[start:stop], np.array([0, stop - start]))
        np.testing.assert_array_equal(together[start:stop], alone)

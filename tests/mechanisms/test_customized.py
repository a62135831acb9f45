"""Public users: ⌊λn⌋ of each graph, and λ brought down to another set's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.values import some

import graphldp as gl
from graphldp.errors import ParameterError


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 300), max_size=20), st.integers(0, 10**4), st.integers(0, 99))
def test_exactly_the_floor_of_lambda_n(sizes: list[int], ten_thousandths: int, seed: int) -> None:
    graphs = gl.GraphSet.from_edges([], [], sizes)
    epsilon = gl.customized(graphs, epsilon=1.5, public_fraction=ten_thousandths / 10**4, rng=seed)
    assert set(epsilon.tolist()) <= {1.5, np.inf}
    public = np.bincount(graphs.graph_of_user[np.isinf(epsilon)], minlength=len(sizes))
    assert public.tolist() == [Fraction(ten_thousandths, 10**4) * n // 1 for n in sizes]


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
def test_a_fraction_outside_0_to_1(fraction: float) -> None:
    graphs = gl.GraphSet.from_edges([0], [1], [2])
    with pytest.raises(ParameterError, match="'public_fraction' parameter of customized must be a number from 0 to 1"):
        gl.customized(graphs, epsilon=1.0, public_fraction=fraction, rng=0)


@pytest.mark.parametrize("epsilon", [np.inf, 0.0, np.array([1.0])])
def test_epsilon_of_private_users(epsilon: Any) -> None:
    graphs = gl.GraphSet.from_edges([0], [1], [2])
    with pytest.raises(ParameterError, match="'epsilon' parameter of customized must be"):
        gl.customized(graphs, epsilon=epsilon, public_fraction=0.5, rng=0)


GRAPHS = gl.synthetic.barabasi_albert(n=50, m=2, num_graphs=8, seed=0)


@pytest.mark.parametrize(
    "mechanism",
    [gl.DPRR(1.0), gl.DPRR(1.0, noise="discrete"), gl.RR(1.0), gl.ARR(1.0, sampling=0.4), gl.NoisyDegrees(1.0)],
    ids=repr,
)
def test_lambda_is_matched(mechanism: gl.RowMechanism) -> None:
    epsilon = gl.customized(GRAPHS, epsilon=1.0, public_fraction=0.5, rng=1)
    before = replace(mechanism, epsilon=epsilon).randomize(GRAPHS, rng=1)
    after = gl.match_public_fraction(before, mechanism, public_fraction=0.2, rng=2)
    assert after.public.reshape(8, 50).sum(axis=1).tolist() == [10] * 8
    assert not (after.public & ~before.public).any()
    noised = before.public & ~after.public
    changed = 0
    for user in range(GRAPHS.num_users):
        one, two = (r.indices[r.indptr[user] : r.indptr[user + 1]] for r in (before, after))
        if noised[user]:
            changed += not np.array_equal(one, two)
        else:
            np.testing.assert_array_equal(one, two)
    assert changed > noised.sum() / 2
    if before.noisy_degree is not None:
        changes = before.noisy_degree != some(after.noisy_degree)
        assert not changes[~noised].any()
        assert changes[noised].any()
    np.testing.assert_array_equal(after.guarantee.epsilon, np.where(after.public, np.inf, 1.0))
    assert after.guarantee.public_users == 80
    after.changed(trusted=False)


def test_the_noised_rows_have_the_mechanisms_law() -> None:
    """About p of a noised user's friends stay: false alarm below 1e-6 by Hoeffding's bound."""
    everybody = gl.RR(np.full(GRAPHS.num_users, np.inf)).randomize(GRAPHS, rng=0)
    after = gl.match_public_fraction(everybody, gl.RR(1.0), public_fraction=0.0, rng=3)
    owner = np.repeat(np.arange(GRAPHS.num_users), GRAPHS.degrees)
    true = set(zip(owner.tolist(), GRAPHS.indices.tolist(), strict=True))
    sent = zip(np.repeat(np.arange(GRAPHS.num_users), after.degrees).tolist(), after.indices.tolist(), strict=True)
    kept = sum(each in true for each in sent)
    p = 1 / (1 + np.exp(-1.0))
    assert abs(kept - p * len(true)) < np.sqrt(len(true) * np.log(2e6) / 2)


@pytest.mark.parametrize(
    ("mechanism", "fraction", "message"),
    [
        (gl.DPRR(1.0), 0.6, "8 graphs have fewer public users than 0.6"),
        (gl.DPRR(1.0), 1.5, "a number from 0 to 1"),
        (gl.DPRR(1.0, noise="discrete"), 0.1, "the one that the private users' reports come from"),
        (gl.RR(1.0), 0.1, "the one that the private users' reports come from"),
        (gl.LocalLap(1.0), 0.1, "a mechanism of single rows with one finite epsilon"),
        (gl.DPRR(np.ones(GRAPHS.num_users)), 0.1, "a mechanism of single rows with one finite epsilon"),
        (gl.DPRR(np.inf), 0.1, "a mechanism of single rows with one finite epsilon"),
    ],
    ids=["too few", "fraction", "other noise", "no noise", "not of rows", "several ε", "no ε"],
)
def test_what_cannot_be_matched(mechanism: Any, fraction: float, message: str) -> None:
    epsilon = gl.customized(GRAPHS, epsilon=1.0, public_fraction=0.5, rng=1)
    reports = gl.DPRR(epsilon).randomize(GRAPHS, rng=1)
    with pytest.raises(ParameterError, match=message):
        gl.match_public_fraction(reports, mechanism, public_fraction=fraction, rng=2)

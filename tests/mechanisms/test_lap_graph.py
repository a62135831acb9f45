"""LapGraph: central edge DP, exact for the pairs and the count, and no promise to a user."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy import stats
from tests.values import wrong

import graphldp as gl
from graphldp.errors import ParameterError

from .counting import copies

ALARM = 1e-6  # false alarms of each test
PATH = gl.GraphSet.from_edges([0, 1, 2], [1, 2, 3], [4])
WITHOUT = gl.GraphSet.from_edges([0, 1], [1, 2], [4])
COPIES = 40_000


def counts(graphs: gl.GraphSet, central: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How often each set of pairs is released; a set is a number, bit by bit."""
    reports = gl.LapGraph(central=central).randomize(copies(graphs, COPIES), rng=3)
    bit = np.zeros((4, 4), np.int64)
    bit[np.triu_indices(4, 1)] = 1 << np.arange(6)
    codes = np.repeat(np.arange(reports.num_users) % 4, reports.degrees)
    value = bit[codes, reports.indices]
    return np.bincount(
        np.bincount(np.repeat(reports.graph_of_user, reports.degrees), value, COPIES).astype(np.int64), minlength=64
    )


def test_the_number_of_edges_is_the_true_one_plus_one_laplace_draw() -> None:
    """T = ⌊m + Lap(10/ε)⌋, cut to 0 … 6: the exact law against a chi-squared test."""
    central = 4.0
    found = counts(PATH, central)
    edges = np.array([bin(code).count("1") for code in range(64)])
    observed = np.bincount(edges, found, 7)
    below = stats.laplace(scale=10 / central).cdf(np.arange(-2, 4))  # m + Lap < 1, 2, … 6
    law = np.diff(np.concatenate(([0.0], below, [1.0])))
    assert stats.chisquare(observed, law * COPIES).pvalue > ALARM


@pytest.mark.parametrize("central", [1.0, 3.0])
def test_one_edge_changes_what_is_released_by_at_most_epsilon(central: float) -> None:
    """Each of the 64 graphs that may come out, with and without an edge: no ratio is beyond e^ε by six deviations."""
    one, two = counts(PATH, central), counts(WITHOUT, central)
    for a, b in ((one, two), (two, one)):
        excess = a - exp(central) * b
        deviation = np.sqrt(a + exp(2 * central) * b + 1)
        assert (excess <= 6 * deviation).all()
    seen = (one > 200) & (two > 200)
    assert np.abs(np.log(one[seen] / two[seen])).max() > 0.3 * central  # and the edge does show


def test_users_are_promised_nothing_and_the_reports_say_so() -> None:
    reports = gl.LapGraph(central=1.0).randomize(PATH, rng=0)
    assert reports.guarantee.edge_ldp == np.inf
    assert reports.guarantee.public_users == 4
    assert "Not promised" in str(reports.guarantee)
    assert reports.origin.parameters == {"central": 1.0}


def test_lists_are_symmetric_and_hubs_survive_where_the_local_version_loses_them() -> None:
    star = gl.GraphSet.from_edges(np.zeros(199, np.int64), np.arange(1, 200), [200])
    reports = gl.LapGraph(central=8.0).randomize(star, rng=1)
    owner = np.repeat(np.arange(200), reports.degrees)
    pairs = set(zip(owner.tolist(), reports.indices.tolist(), strict=True))
    assert pairs == {(j, i) for i, j in pairs}
    assert abs(reports.num_entries / 2 - 199) < 10 * log(1 / ALARM) / 8
    assert reports.degrees[0] > 150


def test_directed_and_empty_graphs() -> None:
    graphs = gl.GraphSet.from_edges([0, 0, 4], [1, 2, 5], [3, 0, 1, 2], directed=True)  # the third has one user
    true, seen = {(0, 1), (0, 2), (4, 1)}, set()
    for seed in range(20):
        reports = gl.LapGraph(central=1000.0).randomize(graphs, rng=seed)
        owner = np.repeat(np.arange(6), reports.degrees)
        seen |= set(zip(owner.tolist(), reports.indices.tolist(), strict=True))
        assert set(reports.degrees.tolist()) <= {0, 1, 2}  # ⌊m + noise⌋ is m or m − 1
    assert seen == true


@pytest.mark.parametrize("central", [0.0, -1.0, float("nan"), float("inf"), "much", None, [1.0, 2.0]])
def test_bad_input(central: object) -> None:
    with pytest.raises(ParameterError, match="'central' parameter of LapGraph must be a positive number"):
        gl.LapGraph(central=wrong(central))

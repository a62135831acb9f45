"""Counts of subgraphs are unbiased and so are their variances: exactly, by summing over every report there can be."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import product
from math import comb, exp

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.learn.inference import counts

Floats = NDArray[np.float64]
KITE = gl.GraphSet.from_edges([0, 0, 1, 2], [1, 2, 2, 3], [4])  # a triangle and a tail
NOBODY = gl.GraphSet.from_edges([], [], [4])
BITS = np.array(list(product((0, 1), repeat=12)), dtype=bool)
ROWS, COLUMNS = np.nonzero(~np.eye(4, dtype=bool))


def every_report(graph: gl.GraphSet, mechanism: gl.Mechanism) -> tuple[gl.Reports, Floats]:
    """All 4,096 reports of four users as one set, and the probability of each."""
    many = gl.GraphSet.from_edges([], [], [4] * len(BITS))
    epsilon = np.broadcast_to(mechanism.epsilon, 4)
    blank = replace(mechanism, epsilon=np.tile(epsilon, len(BITS))).randomize(many, rng=0)
    lengths = np.stack([BITS[:, user == ROWS].sum(axis=1) for user in range(4)], axis=1).ravel()
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    reports = replace(blank, indptr=indptr, indices=np.tile(COLUMNS, (len(BITS), 1))[BITS].astype(np.int32))
    true = np.zeros((4, 4), bool)
    true[np.repeat(np.arange(4), graph.degrees), graph.indices] = True
    assert isinstance(mechanism, gl.RowMechanism)
    keep, fake = mechanism.rates(None, 4, 1 / (1 + np.exp(epsilon)))
    public = np.isinf(epsilon)
    rate = np.where(true[ROWS, COLUMNS], np.where(public, 1.0, keep)[ROWS], np.where(public, 0.0, fake)[ROWS])
    return reports, np.where(BITS, rate, 1 - rate).prod(axis=1)


@pytest.mark.parametrize("graph", [KITE, NOBODY], ids=["kite", "no edges"])
@pytest.mark.parametrize(
    "mechanism",
    [
        gl.RR(1.0),
        gl.RR(np.array([0.5, 1.0, 2.0, np.inf])),
        gl.ARR(1.5, sampling=0.4),
        gl.ARR(1.5, sampling=0.4, sampled="zeros"),
    ],
    ids=["RR", "one ε each", "ARR", "ARR, zeros"],
)
def test_triangles_and_their_variance_are_unbiased(graph: gl.GraphSet, mechanism: gl.Mechanism) -> None:
    reports, chance = every_report(graph, mechanism)
    assert chance.sum() == pytest.approx(1.0)
    found = gl.count_triangles(reports)
    mean = chance @ found.value
    assert mean == pytest.approx(1.0 if graph is KITE else 0.0, abs=1e-9)
    assert chance @ found.variance == pytest.approx(chance @ (found.value - mean) ** 2)


def test_raw_lists_are_counted_exactly() -> None:
    graphs = gl.synthetic.barabasi_albert(60, 4, 2, seed=1)
    true = [sum(len(clique) == 3 for clique in nx.enumerate_all_cliques(each)) for each in graphs.to_networkx()]
    found = gl.count_triangles(gl.RR(np.full(graphs.num_users, np.inf)).randomize(graphs, rng=0))
    assert found.value == pytest.approx(true)
    assert np.abs(found.variance).max() < 1e-9


def test_triangles_do_not_depend_on_how_many_rows_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = gl.synthetic.barabasi_albert(70, 4, 2, seed=1)
    epsilon = np.resize([0.5, 1.0, 2.0, np.inf], graphs.num_users)
    reports = gl.RR(epsilon).randomize(graphs, rng=3)
    at_once = gl.count_triangles(reports)
    monkeypatch.setattr(counts, "_ROWS", 16)  # five parts of 70 users, the last one smaller
    in_parts = gl.count_triangles(reports)
    np.testing.assert_allclose(in_parts.value, at_once.value, rtol=1e-9)
    np.testing.assert_allclose(in_parts.variance, at_once.variance, rtol=1e-9)


def test_triangles_take_memory_for_some_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled lists are short, so no n × n matrix has to be stored: all that is in memory is less than one."""
    n = 1000
    reports = gl.ARR(1.0, sampling=0.05).randomize(gl.synthetic.barabasi_albert(n, 4, 1, seed=1), rng=3)
    monkeypatch.setattr(counts, "_ROWS", 32)
    tracemalloc.start()
    try:
        gl.count_triangles(reports)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * n


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("noise", ["laplace", "discrete"])
def test_stars_and_their_variance_are_unbiased(k: int, epsilon: float, noise: str) -> None:
    """The mean over the noise by quadrature, which is exact for polynomials, or by the sum over all whole numbers."""
    if noise == "laplace":
        nodes, weights = np.polynomial.laguerre.laggauss(12)
        shift, chance = np.concatenate((nodes, -nodes)) / epsilon, np.concatenate((weights, weights)) / 2
    else:
        shift = np.arange(-400.0, 401.0)
        chance = np.exp(-epsilon * np.abs(shift)) * np.tanh(epsilon / 2)
    many = gl.GraphSet.from_edges([], [], [1] * len(shift))  # one user each, whose d* is given by hand
    drawn = gl.NoisyDegrees(epsilon, noise=wrong(noise)).randomize(many, rng=0)
    for degree in (0, 1, 7):
        found = gl.count_stars(replace(drawn, noisy_degree=degree + shift), k)
        assert chance @ found.value == pytest.approx(comb(degree, k), rel=1e-7, abs=1e-7)
        spread = chance @ (found.value - comb(degree, k)) ** 2
        assert chance @ found.variance == pytest.approx(spread, rel=1e-6)


def test_a_public_user_s_stars_are_exact() -> None:
    star = gl.GraphSet.from_edges(np.zeros(7, np.int64), np.arange(1, 8), [8])
    found = gl.count_stars(gl.NoisyDegrees(np.full(8, np.inf)).randomize(star, rng=0), 3)
    assert found.value[0] == pytest.approx(comb(7, 3))
    assert found.deviation[0] < 1e-5


def test_own_degrees_cost_less_than_the_largest_one() -> None:
    """Imola et al. (2021) add Lap(C(d_max, k−1)/ε) to each user's count; here the noise grows with her own degree."""
    graphs = gl.synthetic.barabasi_albert(1000, 5, 1, seed=0)
    epsilon, largest = 1.0, int(graphs.degrees.max())
    theirs = graphs.num_users * 2 * (largest / epsilon) ** 2
    seeds = [gl.count_stars(gl.NoisyDegrees(epsilon).randomize(graphs, rng=seed)) for seed in range(200)]
    true = float((graphs.degrees * (graphs.degrees - 1) / 2).sum())
    ours = np.mean([(each.value[0] - true) ** 2 for each in seeds])
    assert ours < theirs / 20
    assert np.mean([each.variance[0] for each in seeds]) == pytest.approx(ours, rel=0.5)  # 5 deviations of a χ²₂₀₀


def test_two_reports_of_a_pair_are_worth_eight_of_one() -> None:
    """Without edges the variance is C(n, 3) v³; with one bit of each pair v = p(1−p)/(2p−1)², with both half of it."""
    graphs = gl.GraphSet.from_edges([], [], [40] * 300)
    p = exp(1.0) / (1 + exp(1.0))
    half = p * (1 - p) / (2 * p - 1) ** 2 / 2
    found = gl.count_triangles(gl.RR(1.0).randomize(graphs, rng=3))
    theory = comb(40, 3) * half**3
    assert found.variance.mean() == pytest.approx(theory, rel=0.05)
    assert (found.value**2).mean() == pytest.approx(theory, rel=0.5)  # 6 deviations of a χ²₃₀₀
    assert abs(found.value.mean()) < 6 * np.sqrt(theory / 300)


def test_bad_input() -> None:
    reports = gl.NoisyDegrees(1.0).randomize(KITE, rng=0)
    for k in (0, 9, 1.5, True, "two"):
        with pytest.raises(ParameterError, match="'k' parameter of count_stars must be a whole number from 1 to 8"):
            gl.count_stars(reports, wrong(k))
    with pytest.raises(DataError, match="derived for reports drawn by NoisyDegrees"):
        gl.count_stars(gl.RR(1.0).randomize(KITE, rng=0))
    with pytest.raises(DataError, match="count_triangles is derived for reports drawn by RR or ARR or Blink"):
        gl.count_triangles(reports)
    directed = gl.GraphSet.from_edges([0], [1], [2], directed=True)
    with pytest.raises(DataError, match="undirected"):
        gl.count_triangles(gl.RR(1.0).randomize(directed, rng=0))
    absent = replace(reports, missing=np.array([True, False, False, False]))
    with pytest.raises(DataError, match=r"count reports.induced\(\)"):
        gl.count_stars(absent)

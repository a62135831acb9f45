"""Triangles and their variance have no bias: exactly, by summing over every report that there can be."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise, product
from math import comb, exp
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

import graphldp as gl
from graphldp.errors import DataError
from graphldp.estimates import lists
from graphldp.estimates.lists import read_lists

Floats = NDArray[np.float64]
KITE = gl.GraphSet.from_edges([0, 0, 1, 2], [1, 2, 2, 3], [4])  # a triangle and a tail
NOBODY = gl.GraphSet.from_edges([], [], [4])
BITS = np.array(list(product((0, 1), repeat=12)), dtype=bool)
ROWS, COLUMNS = np.nonzero(~np.eye(4, dtype=bool))


class Triangles(NamedTuple):
    """Of many graphs: how many triangles, and the variance of each count."""

    value: Floats
    variance: Floats


def triangles(reports: gl.Reports) -> Triangles:
    """Read off each graph's lists."""
    keep, fake = lists.list_rates(reports)
    value, variance = [], []
    for start, stop in pairwise(reports.graph_ptr.tolist()):
        indptr = reports.indptr[start : stop + 1]
        names = reports.indices[indptr[0] : indptr[-1]]
        pairs = lists._Pairs((indptr - indptr[0], names), keep[start:stop], fake[start:stop])
        sums = lists._summed(pairs, stop - start, stop - start)
        value.append(sums.counts[1])
        variance.append(sums.noise[1] + sums.noise[4] + sums.noise[5])
    return Triangles(np.array(value), np.array(variance))


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
    found = triangles(reports)
    mean = chance @ found.value
    assert mean == pytest.approx(1.0 if graph is KITE else 0.0, abs=1e-9)
    assert chance @ found.variance == pytest.approx(chance @ (found.value - mean) ** 2)


def test_raw_lists_are_counted_exactly() -> None:
    graphs = gl.synthetic.barabasi_albert(60, 4, 2, seed=1)
    true = [sum(len(clique) == 3 for clique in nx.enumerate_all_cliques(each)) for each in graphs.to_networkx()]
    found = triangles(gl.RR(np.full(graphs.num_users, np.inf)).randomize(graphs, rng=0))
    assert found.value == pytest.approx(true)
    assert np.abs(found.variance).max() < 1e-9


def test_triangles_do_not_depend_on_how_many_rows_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = gl.synthetic.barabasi_albert(70, 4, 2, seed=1)
    epsilon = np.resize([0.5, 1.0, 2.0, np.inf], graphs.num_users)
    reports = gl.RR(epsilon).randomize(graphs, rng=3)
    at_once = triangles(reports)
    monkeypatch.setattr(lists, "_ROWS", 16)  # five parts of 70 users, the last one smaller
    in_parts = triangles(reports)
    np.testing.assert_allclose(in_parts.value, at_once.value, rtol=1e-9)
    np.testing.assert_allclose(in_parts.variance, at_once.variance, rtol=1e-5)  # in single precision


@pytest.mark.parametrize(
    ("mechanism", "products"),
    [
        (gl.RR(1.0), 1),
        (gl.RR(np.inf), 1),
        (gl.ARR(1.5, sampling=0.4), 1),
        (gl.RR(np.resize([0.5, 1.0, 2.0, np.inf], 31)), 3),
        (gl.ARR(np.resize([0.5, 1.0, 2.0], 31), sampling=0.4, sampled="zeros"), 3),
    ],
    ids=["RR", "raw", "ARR", "one ε each", "one ε each, ARR"],
)
def test_sums_are_those_of_whole_matrices(
    mechanism: gl.Mechanism, products: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "_ROWS", 7)
    n = 31
    reports = mechanism.randomize(gl.synthetic.barabasi_albert(n, 6, 1, seed=1), rng=3)
    keep, fake = lists.list_rates(reports)
    pairs = lists._Pairs((reports.indptr, reports.indices), keep, fake)
    assert len(pairs.told(slice(0, 7))) == products
    e, v = whole_matrices(reports, keep, fake)
    c, p = e @ e, e + v
    noise = e**2 @ p + p @ e**2 - p @ p
    degree, half = e.sum(axis=1), np.triu(np.ones((n, n)), 1)
    of_pair = degree[:, None] + degree - 2 * e
    of_user = np.diag(e @ e @ e) / 2, (degree**2 - (e**2).sum(axis=1)) / 2 + (c - e**2).sum(axis=1)
    found = lists._summed(pairs, n, n)
    assert found.counts == pytest.approx([degree.sum() / 2, of_user[0].sum() / 3, of_user[1].sum() / 3])
    sums = [half * v, half * v * (c**2 + c - noise), half * v * c * of_pair, half * v * of_pair**2]
    sums += [half * e * (v @ v), half * v * (v @ v) / 3]
    assert found.noise == pytest.approx([each.sum() for each in sums], rel=1e-5, abs=1e-9)
    some = lists._summed(pairs, n, 2 * n)
    apart = np.cov(*of_user)[1] * n / 2 * (comb(2 * n, 3) / comb(n, 3)) ** 2
    assert some.absence[3:] == pytest.approx(apart)


def whole_matrices(reports: gl.Reports, keep: Floats, fake: Floats) -> tuple[Floats, Floats]:
    """Each pair's bit without bias, and its variance, one by one."""
    n = len(keep)
    told = np.zeros((n, n))
    told[np.repeat(np.arange(n), reports.degrees), reports.indices] = 1.0
    e, v = np.zeros((2, n, n))
    none, edge = (rate * (1 - rate) / (keep - fake) ** 2 for rate in (fake, keep))
    for i, j in product(range(n), repeat=2):
        if i != j:
            w = none[j] / (none[i] + none[j]) if none[i] + none[j] else 0.5
            bits = [(told[a, b] - fake[a]) / (keep[a] - fake[a]) for a, b in ((i, j), (j, i))]
            e[i, j] = w * bits[0] + (1 - w) * bits[1]
            absent, present = (w**2 * each[i] + (1 - w) ** 2 * each[j] for each in (none, edge))
            v[i, j] = absent + (present - absent) * e[i, j]
    return e, v


def test_triangles_take_memory_for_some_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled lists are short, so no n × n matrix has to be stored: all that is in memory is less than one."""
    n = 1000
    reports = gl.ARR(1.0, sampling=0.05).randomize(gl.synthetic.barabasi_albert(n, 4, 1, seed=1), rng=3)
    monkeypatch.setattr(lists, "_ROWS", 32)
    tracemalloc.start()
    try:
        triangles(reports)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * n


def test_two_reports_of_a_pair_are_worth_eight_of_one() -> None:
    """Without edges the variance is C(n, 3) v³; with one bit of each pair v = p(1−p)/(2p−1)², with both half of it."""
    graphs = gl.GraphSet.from_edges([], [], [40] * 300)
    p = exp(1.0) / (1 + exp(1.0))
    half = p * (1 - p) / (2 * p - 1) ** 2 / 2
    found = triangles(gl.RR(1.0).randomize(graphs, rng=3))
    theory = comb(40, 3) * half**3
    assert found.variance.mean() == pytest.approx(theory, rel=0.05)
    assert (found.value**2).mean() == pytest.approx(theory, rel=0.5)  # 6 deviations of a χ²₃₀₀
    assert abs(found.value.mean()) < 6 * np.sqrt(theory / 300)


def test_rows_from_lists_alone() -> None:
    graphs = gl.synthetic.barabasi_albert(80, 6, 1, seed=2)
    exact = gl.statistics(gl.RR(np.full(80, np.inf)).randomize(graphs, rng=0))
    true = graphs.to_networkx()[0]
    assert exact["friendships"].value == pytest.approx(true.number_of_edges())
    assert exact["clustering"].value == pytest.approx(nx.transitivity(true))
    assert exact["2-stars"].value == pytest.approx((graphs.degrees * (graphs.degrees - 1) / 2).sum())
    assert max(row.error for row in exact) < 1e-5


def test_missing_users_lists_are_left_out() -> None:
    """Of those who reported nothing is lost: with exact lists the count among them is the truth, scaled to all."""
    graphs = gl.synthetic.barabasi_albert(60, 8, 1, seed=2)
    reports = gl.RR(np.full(60, np.inf)).randomize(graphs, rng=0)
    gone = np.arange(60) % 3 == 0
    kept = np.repeat(~gone, reports.degrees)
    indptr = np.concatenate(([0], np.cumsum(np.where(gone, 0, reports.degrees))))
    absent = replace(reports, indptr=indptr, indices=reports.indices[kept], missing=gone)
    among = graphs.to_networkx()[0].subgraph(np.flatnonzero(~gone).tolist())
    two_stars = sum(comb(degree, 2) for _, degree in among.degree())
    found = read_lists(absent, 0)
    assert found.counts[1] == pytest.approx(round(nx.transitivity(among) * two_stars / 3) * comb(60, 3) / comb(40, 3))
    assert found.absence[1] > 0
    assert gl.statistics(absent)["triangles"].assumed


def test_bad_input() -> None:
    with pytest.raises(DataError, match="noisy degrees, friend counts by group, or lists by RR, ARR or Blink"):
        gl.statistics(gl.LapGraph(central=1.0).randomize(KITE, rng=0))
    directed = gl.GraphSet.from_edges([0], [1], [2], directed=True)
    with pytest.raises(DataError, match="undirected"):
        gl.statistics(gl.RR(1.0).randomize(directed, rng=0))

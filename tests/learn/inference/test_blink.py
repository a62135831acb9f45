"""Blink's denoiser: exact posteriors, and the three graphs that are made of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.learn.inference.beta_model import beta_model
from graphldp.learn.inference.blink import Kind, denoise
from graphldp.neighbour_lists import NeighbourLists

SMALL = gl.synthetic.barabasi_albert(n=12, m=2, num_graphs=4, seed=3)


def dense(reports: NeighbourLists, graph: int, weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    start, stop = reports.graph_ptr[graph : graph + 2]
    matrix = np.zeros((stop - start, stop - start))
    for user in range(start, stop):
        own = slice(reports.indptr[user], reports.indptr[user + 1])
        matrix[user - start, reports.indices[own]] = 1.0 if weight is None else weight[own]
    return matrix


def posterior(reports: gl.Reports, graph: int) -> NDArray[np.float64]:
    """By Bayes' rule, pair by pair, with the probabilities of the two bits."""
    bits = dense(reports, graph)
    users = slice(*reports.graph_ptr[graph : graph + 2])
    beta = beta_model(np.round(some(reports.noisy_degree)), reports.graph_ptr)[users]
    p = 1 / (1 + np.exp(-reports.epsilon2[users]))
    prior = 1 / (1 + np.exp(-beta[:, None] - beta))
    edge = np.where(bits == 1, p[:, None], 1 - p[:, None])
    none = np.where(bits == 1, 1 - p[:, None], p[:, None])
    found = prior * edge * edge.T / (prior * edge * edge.T + (1 - prior) * none * none.T)
    np.fill_diagonal(found, 0.0)
    return found


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    epsilon = np.random.default_rng(0).choice([1.0, 3.0], SMALL.num_users)
    return gl.Blink(epsilon, delta=0.3).randomize(SMALL, rng=1)


def test_a_soft_graph_holds_every_posterior(reports: gl.Reports) -> None:
    found = denoise(reports, "soft")
    for graph in range(4):
        np.testing.assert_allclose(dense(found.reports, graph, found.weight), posterior(reports, graph), rtol=1e-9)
    assert (found.reports.degrees == 11).all()


def test_a_hard_graph_holds_what_is_likelier_than_not(reports: gl.Reports) -> None:
    found = denoise(reports, "hard")
    for graph in range(4):
        np.testing.assert_array_equal(dense(found.reports, graph), posterior(reports, graph) > 0.5)
    assert (found.weight == 1.0).all()


def test_a_hybrid_graph_holds_the_most_probable(reports: gl.Reports) -> None:
    found = denoise(reports, "hybrid")
    for graph in range(4):
        chances, kept = posterior(reports, graph), dense(found.reports, graph, found.weight)
        assert np.count_nonzero(kept) == 2 * int(chances.sum() / 2)
        assert kept[kept > 0].min() >= chances[kept == 0].max() - 1e-12
        np.testing.assert_allclose(kept[kept > 0], chances[kept > 0], rtol=1e-9)


def test_counting_by_share_chooses_as_pair_by_pair() -> None:
    """Graphs of more users than a strip has rows and a byte counts, with public ones and the ties that equals make."""
    graphs = gl.synthetic.barabasi_albert(n=400, m=1, num_graphs=2, seed=0)
    given = gl.Blink(np.where(np.arange(800) % 5 == 0, np.inf, 2.0), delta=0.5).randomize(graphs, rng=5)
    for entries in (3, 64):
        soft, hybrid = denoise(given, "soft", entries=entries), denoise(given, "hybrid")
        for graph in range(2):
            with np.errstate(divide="ignore"):
                chances = np.triu(posterior(given, graph), 1)
            for found, wanted in ((soft, 400 * entries // 2), (hybrid, int(chances.sum()))):
                kept = np.triu(dense(found.reports, graph, found.weight), 1)
                assert np.count_nonzero(kept) == min(wanted, np.count_nonzero(chances))
                assert kept[kept > 0].min() >= chances[kept == 0].max() - 1e-12
                np.testing.assert_allclose(kept[kept > 0], chances[kept > 0], rtol=1e-9)


def test_soft_graphs_are_kept_sparse(reports: gl.Reports) -> None:
    found = denoise(reports, "soft", entries=3)
    assert found.reports.num_entries == 4 * 2 * (12 * 3 // 2)
    hybrid = denoise(reports, "soft", entries=11)
    assert hybrid.reports.num_entries == 4 * 12 * 11


@pytest.mark.parametrize("kind", ["hard", "hybrid"])
def test_the_graph_comes_back_at_large_epsilon(kind: Kind) -> None:
    found = denoise(gl.Blink(60.0, delta=0.5).randomize(SMALL, rng=2), kind)
    np.testing.assert_array_equal(found.reports.indices, SMALL.indices)
    np.testing.assert_allclose(found.weight, 1.0, atol=1e-6)


@pytest.mark.parametrize("kind", ["hard", "soft", "hybrid"])
def test_public_users_are_believed(kind: Kind) -> None:
    public = np.arange(SMALL.num_users) % 3 == 0
    given = gl.Blink(np.where(public, np.inf, 1.0)).randomize(SMALL, rng=3)
    found = denoise(given, kind)
    for graph in range(4):
        kept, true = dense(found.reports, graph, found.weight), dense(SMALL, graph)
        known = public[SMALL.graph_ptr[graph] : SMALL.graph_ptr[graph + 1]]
        if kind != "hybrid":  # which may hold fewer edges than public users disclose
            np.testing.assert_array_equal(kept[known], true[known])
        else:
            assert not kept[known][true[known] == 0].any()


@pytest.mark.parametrize("kind", ["hard", "soft", "hybrid"])
def test_lists_are_valid_symmetric_and_keep_what_they_are(reports: gl.Reports, kind: Kind) -> None:
    found = denoise(reports, kind)
    replace(found.reports, trusted=False)  # looks at the lists
    for graph in range(4):
        matrix = dense(found.reports, graph, found.weight)
        np.testing.assert_array_equal(matrix, matrix.T)
    assert found.reports.guarantee.edge_ldp == reports.guarantee.edge_ldp
    np.testing.assert_array_equal(found.reports.noisy_degree, reports.noisy_degree)
    assert len(found.weight) == found.reports.num_entries


def test_who_has_not_reported_leaves() -> None:
    given = gl.Blink(3.0).randomize(SMALL, rng=4)
    gone = np.arange(SMALL.num_users) % 5 == 0
    lists = [
        given.indices[a : a if out else b] for a, b, out in zip(given.indptr, given.indptr[1:], gone, strict=False)
    ]
    indptr = np.concatenate(([0], np.cumsum([len(each) for each in lists])))
    partial = replace(given, indptr=indptr, indices=np.concatenate(lists), missing=gone)
    found, among_themselves = denoise(partial, "soft"), denoise(partial.induced(), "soft")
    np.testing.assert_array_equal(found.weight, among_themselves.weight)
    assert found.reports.num_users == np.count_nonzero(~gone)


@pytest.mark.parametrize("sizes", [[], [0], [1], [2], [3, 0, 1]])
def test_small_graphs(sizes: list[int]) -> None:
    given = gl.Blink(1.0).randomize(gl.GraphSet.from_edges([], [], sizes), rng=0)
    for kind in ("hard", "soft", "hybrid"):
        assert denoise(given, kind).reports.num_users == sum(sizes)


def test_bad_input(reports: gl.Reports) -> None:
    with pytest.raises(ParameterError, match="'kind' parameter of denoise must be one of hard, soft, hybrid"):
        denoise(reports, wrong("firm"))
    with pytest.raises(ParameterError, match="'entries' parameter of denoise"):
        denoise(reports, "soft", entries=0)
    with pytest.raises(ParameterError, match="'reports' parameter of denoise must be Reports"):
        denoise(wrong(SMALL))
    with pytest.raises(DataError, match="derived for reports drawn by Blink"):
        denoise(gl.RR(1.0).randomize(SMALL, rng=0))
    with pytest.raises(DataError, match="undirected"):
        denoise(gl.Blink(1.0).randomize(gl.GraphSet.from_edges([0], [1], [3], directed=True), rng=0))
    with pytest.raises(DataError, match="derived for reports drawn by Blink"):
        denoise(denoise(reports).reports)

"""The link posterior, against Bayes' rule over all graphs."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.learn.inference.beta_model import beta_model
from graphldp.learn.inference.posterior import LinkPosterior
from graphldp.mechanisms.degrees.estimators import posterior_mean

FOUR = gl.GraphSet.from_edges([0, 0, 1], [1, 2, 2], [4])


def every_posterior(reports: gl.Reports, mechanism: gl.RowMechanism, beta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pr(a_ij = 1 | lists, d*) of one graph, by going through all graphs on its users."""
    n = reports.num_users
    listed = np.zeros((n, n), np.bool_)
    listed[np.repeat(np.arange(n), reports.degrees), reports.indices] = True
    flip = 1 / (np.exp(reports.epsilon2) + 1)
    taken = mechanism.estimate(reports.noisy_degree, np.full(n, n), np.exp(-reports.epsilon1))
    keep, fake = (np.broadcast_to(rate, n) for rate in mechanism.rates(taken, np.full(n, n), flip))
    pairs = list(combinations(range(n), 2))
    total, found = 0.0, np.zeros((n, n))
    for bits in product((False, True), repeat=len(pairs)):
        graph, chance = np.zeros((n, n), np.bool_), 1.0
        for (i, j), bit in zip(pairs, bits, strict=True):
            graph[i, j] = graph[j, i] = bit
            prior = expit(beta[i] + beta[j])
            chance *= prior if bit else 1 - prior
        named = np.where(graph, keep[:, None], fake[:, None])
        seen = np.where(listed, named, 1 - named)
        chance *= seen[~np.eye(n, dtype=bool)].prod()
        total, found = total + chance, found + chance * graph
    return np.asarray(found / total)


MECHANISMS = [
    gl.DPRR(4.0, allocation=gl.Budget(1.0, 3.0)),
    gl.DPRR(4.0, allocation=gl.Budget(1.0, 3.0), noise="discrete", estimator="unbiased"),
    gl.DPRR(np.array([3.0, 2.0, 5.0, 1.0]), allocation="fixed", alpha=0.5, estimator="bayes"),
    gl.Blink(2.0, delta=0.5),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_every_pair_against_all_graphs(mechanism: gl.RowMechanism, seed: int) -> None:
    reports = mechanism.randomize(FOUR, rng=seed)
    posterior = LinkPosterior.of(reports)
    degree = posterior_mean(reports.noisy_degree, np.full(4, 4), np.exp(-reports.epsilon1))
    truth = every_posterior(reports, mechanism, beta_model(np.rint(4 * degree) / 4, reports.graph_ptr))
    np.testing.assert_allclose(posterior.sum_probability(np.eye(4), bins=1 << 16), truth, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(posterior.sum_odds(np.eye(4)), truth / (1 - truth), rtol=1e-9, atol=1e-12)
    owner = np.repeat(np.arange(4), reports.degrees)
    np.testing.assert_allclose(posterior.probability, truth[owner, reports.indices], rtol=1e-9)


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    graphs = gl.synthetic.threads(num_graphs=6, seed=1)
    return gl.DPRR(3.0, allocation="utility").randomize(graphs, rng=2)


def by_pairs(posterior: LinkPosterior, graph: int) -> NDArray[np.float64]:
    """The probability of each pair of one graph, as an array."""
    reports = posterior.reports
    start, stop = reports.graph_ptr[graph : graph + 2]
    odds = posterior.silent[start:stop, None] + posterior.silent[start:stop]
    for i in range(stop - start):
        named = reports.indices[reports.indptr[start + i] : reports.indptr[start + i + 1]]
        odds[i, named] += posterior.spoken[start + i]
        odds[named, i] += posterior.spoken[start + i]
    chances = expit(odds)
    np.fill_diagonal(chances, 0.0)
    return chances


def test_sums_over_large_graphs(reports: gl.Reports) -> None:
    posterior, h = LinkPosterior.of(reports), np.random.default_rng(3).random((reports.num_users, 2))
    many, few = (posterior.sum_probability(h, bins=bins) for bins in (4096, 64))
    odds = posterior.sum_odds(h)
    for graph in range(reports.num_graphs):
        users = slice(*reports.graph_ptr[graph : graph + 2])
        chances = by_pairs(posterior, graph)
        np.testing.assert_allclose(many[users], chances @ h[users], rtol=1e-5)
        np.testing.assert_allclose(few[users], chances @ h[users], rtol=2e-2)
        np.testing.assert_allclose(odds[users], (chances / (1 - chances)) @ h[users], rtol=1e-7)


def test_public_users_are_believed() -> None:
    graphs = gl.synthetic.threads(num_graphs=4, seed=2)
    epsilon = gl.customized(graphs, epsilon=2.0, public_fraction=0.3, rng=1)
    reports = gl.DPRR(epsilon, allocation="fixed").randomize(graphs, rng=1)
    posterior = LinkPosterior.of(reports)
    friends = posterior.sum_probability(np.ones((reports.num_users, 1)))[:, 0]
    np.testing.assert_allclose(friends[reports.public], graphs.degrees[reports.public])
    owner = np.repeat(np.arange(reports.num_users), reports.degrees)
    assert (posterior.probability[reports.public[owner]] == 1.0).all()
    for graph in range(4):  # and a private user's claim to know a public one is settled by the public one
        users = slice(*reports.graph_ptr[graph : graph + 2])
        h = np.random.default_rng(0).random((reports.num_users, 1))
        expected = by_pairs(posterior, graph) @ h[users]
        np.testing.assert_allclose(posterior.sum_probability(h, bins=4096)[users], expected, rtol=1e-4, atol=1e-9)
    with pytest.raises(DataError, match="use sum_probability"):
        posterior.sum_odds(np.ones((reports.num_users, 1)))


def test_the_posterior_tells_edges_from_strangers(reddit_binary: gl.GraphSet) -> None:
    """On real lists: true entries weigh more, and the weights add up to about as many as are true."""
    graphs = reddit_binary.subset(np.arange(0, 2000, 100))
    reports = gl.DPRR(4.0, allocation=gl.Budget(1.0, 3.0)).randomize(graphs, rng=5)
    weight = LinkPosterior.of(reports).probability
    owner = np.repeat(np.arange(reports.num_users), reports.degrees)
    true = np.isin(owner * 10**7 + reports.indices, _codes(graphs))
    assert weight[true].mean() > 2 * weight[~true].mean()
    assert 0.5 < weight.sum() / np.count_nonzero(true) < 2.0


def _codes(graphs: gl.GraphSet) -> NDArray[np.int64]:
    return np.repeat(np.arange(graphs.num_users), graphs.degrees) * 10**7 + graphs.indices


@pytest.mark.parametrize("sizes", [[], [0], [1], [2, 0, 1]])
def test_small_graphs(sizes: list[int]) -> None:
    posterior = LinkPosterior.of(gl.Blink(1.0).randomize(gl.GraphSet.from_edges([], [], sizes), rng=0))
    count = sum(sizes)
    assert posterior.sum_probability(np.ones((count, 1))).shape == (count, 1)
    assert posterior.sum_odds(np.ones((count, 1))).shape == (count, 1)


def test_bad_input(reports: gl.Reports) -> None:
    cases: list[tuple[Any, str]] = [
        (gl.RR(1.0).randomize(FOUR, rng=0), "derived for reports drawn by DPRR or Blink"),
        (gl.NoisyDegrees(1.0).randomize(FOUR, rng=0), "derived for reports drawn by DPRR or Blink"),
        (gl.Blink(1.0).randomize(gl.GraphSet.from_edges([0], [1], [3], directed=True), rng=0), "undirected"),
    ]
    for given, message in cases:
        with pytest.raises(DataError, match=message):
            LinkPosterior.of(given)
    posterior = LinkPosterior.of(reports)
    with pytest.raises(ParameterError, match="'bins' parameter"):
        posterior.sum_probability(np.ones((reports.num_users, 1)), bins=0)
    with pytest.raises(ParameterError, match="'values' parameter"):
        posterior.sum_odds(np.ones(reports.num_users))

"""Pr(ã_ij = 1), the law of d*, and independence, by counting what the real sampler draws.

Every test states its own false-alarm rate, ALARM, and fixes its seed.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.mechanisms.counting import assert_binomial, assert_counts, assert_near, copies, matrices, off_diagonal
from tests.values import some

import graphldp as gl

ALARM = 1e-6
COPIES = 40_000
# user 0 knows three of five, user 5 nobody
EDGES = ([0, 0, 0, 1], [1, 2, 3, 2], [6])
UNDIRECTED = gl.GraphSet.from_edges(*EDGES)
DIRECTED = gl.GraphSet.from_edges(*EDGES, directed=True)
GRAPHS = pytest.mark.parametrize("graph", [UNDIRECTED, DIRECTED], ids=["undirected", "directed"])


def p_of(epsilon: float) -> float:
    return float(np.exp(epsilon) / (np.exp(epsilon) + 1))


def chances(graph: gl.GraphSet, keep: float, fake: float) -> NDArray[np.float64]:
    return np.where(matrices(graph)[0], keep, fake)


@GRAPHS
@pytest.mark.parametrize("sampling", [1.0, 0.3])
def test_randomized_response(graph: gl.GraphSet, sampling: float) -> None:
    mechanism = gl.RR(0.7) if sampling == 1.0 else gl.ARR(0.7, sampling=sampling)
    drawn = matrices(mechanism.randomize(copies(graph, COPIES), rng=1))
    p, off = p_of(0.7), off_diagonal(6)
    law = chances(graph, p * sampling, (1 - p) * sampling)
    assert_binomial(drawn.sum(axis=0)[off], COPIES, law[off], ALARM)


def test_each_user_by_her_own_epsilon() -> None:
    epsilon = np.array([0.1, 0.5, 1.0, 2.0, 4.0, np.inf])
    drawn = matrices(gl.RR(np.tile(epsilon, COPIES)).randomize(copies(DIRECTED, COPIES), rng=2))
    p = 1 / (1 + np.exp(-epsilon[:5, None]))
    law = np.where(matrices(DIRECTED)[0][:5], p, 1 - p)
    off = off_diagonal(6)[:5]
    assert_binomial(drawn.sum(axis=0)[:5][off], COPIES, law[off], ALARM)
    assert not drawn[:, 5].any()


@GRAPHS
def test_dprr_bits_given_d_star(graph: gl.GraphSet) -> None:
    """p·q or (1−p)·q for each value of d*: the list's draws do not depend on the degree's."""
    mechanism = gl.DPRR(2.0, allocation=gl.Budget(0.8, 1.2), noise="discrete")
    reports = mechanism.randomize(copies(graph, COPIES), rng=3)
    assert reports.noisy_degree is not None
    drawn, noisy = matrices(reports), reports.noisy_degree.reshape(COPIES, 6)
    p, rows = p_of(1.2), np.arange(6)
    hits, trials, law = [], [], []
    for d in np.unique(noisy):
        q = 0.0 if d <= 0 else min(1.0, d / (d * (2 * p - 1) + 5 * (1 - p)))
        given = noisy == d
        hits.append((drawn & given[:, :, None]).sum(axis=0))
        trials.append(np.broadcast_to(given.sum(axis=0)[:, None], (6, 6)))
        law.append(chances(graph, p * q, (1 - p) * q))
    off = np.broadcast_to(rows[:, None] != rows, (len(hits), 6, 6))
    assert_binomial(np.array(hits)[off], np.array(trials)[off], np.array(law)[off], ALARM)


def test_dprr_bits_given_continuous_d_star() -> None:
    reports = gl.DPRR(2.0, allocation=gl.Budget(0.8, 1.2)).randomize(copies(UNDIRECTED, COPIES), rng=4)
    assert reports.noisy_degree is not None
    d, p = reports.noisy_degree.reshape(COPIES, 6), p_of(1.2)
    q = np.clip(np.where(d > 0, d / (np.maximum(d, 0) * (2 * p - 1) + 5 * (1 - p)), 0), 0, 1)
    drawn, raw = matrices(reports), matrices(UNDIRECTED)[0]
    pairs = np.argwhere(off_diagonal(6))
    for i, j in pairs:
        chance = q[:, i] * (p if raw[i, j] else 1 - p)
        assert_near(drawn[:, i, j].sum(), chance.sum(), (chance * (1 - chance)).sum(), ALARM / len(pairs))


@pytest.mark.parametrize(
    ("mechanism", "epsilon1"),
    [
        (gl.DPRR(2.0, allocation=gl.Budget(0.8, 1.2)), 0.8),
        (gl.NoisyDegrees(0.8), 0.8),
        (gl.LocalLap(8.0), 0.8),
    ],
)
def test_continuous_noise_on_the_degree(mechanism: gl.Mechanism, epsilon1: float) -> None:
    reports = mechanism.randomize(copies(UNDIRECTED, COPIES), rng=5)
    noise = some(reports.noisy_degree) - np.tile(UNDIRECTED.degrees, COPIES)
    assert stats.kstest(noise, stats.laplace(scale=1 / epsilon1).cdf).pvalue > ALARM / 2
    total = stats.gamma(len(noise)).cdf(np.abs(noise).sum() * epsilon1)  # sees a scale that is off by 2 %
    assert min(total, 1 - total) > ALARM / 4


@pytest.mark.parametrize(
    "mechanism",
    [gl.DPRR(2.0, allocation=gl.Budget(0.8, 1.2), noise="discrete"), gl.NoisyDegrees(0.8, noise="discrete")],
)
def test_discrete_noise_on_the_degree(mechanism: gl.Mechanism) -> None:
    reports = mechanism.randomize(copies(UNDIRECTED, COPIES), rng=6)
    noise = (some(reports.noisy_degree) - np.tile(UNDIRECTED.degrees, COPIES)).astype(np.int64)
    values = np.arange(-60, 61)
    assert np.abs(noise).max() <= 60
    chance = np.tanh(0.4) * np.exp(-0.8 * np.abs(values))  # (1−r)/(1+r)·r^|k| with r = e^(−ε₁)
    assert_counts(np.bincount(noise + 60, minlength=121), chance, ALARM)


def test_noisy_degrees_sends_no_list() -> None:
    assert gl.NoisyDegrees(0.8).randomize(copies(UNDIRECTED, 100), rng=7).num_entries == 0


def test_bits_are_independent() -> None:
    """Any two bits of one graph, and of graphs with neighbouring ids, are both 1 as often as independence says."""
    drawn = matrices(gl.RR(0.7).randomize(copies(UNDIRECTED, COPIES), rng=8))
    p, off = p_of(0.7), off_diagonal(6)
    bits, law = drawn[:, off].astype(np.int64), chances(UNDIRECTED, p, 1 - p)[off]
    one, two = np.triu_indices(len(law), 1)
    assert_binomial((bits.T @ bits)[one, two], COPIES, law[one] * law[two], ALARM / 2)
    across = bits[0::2].T @ bits[1::2]
    assert_binomial(across, COPIES // 2, law[:, None] * law, ALARM / 2)


def test_noise_is_independent() -> None:
    """Signs and sizes of two users' noise; a user's sign and size; her noise and whether she is public."""
    graphs = copies(UNDIRECTED, COPIES)
    degree = some(gl.NoisyDegrees(0.8).randomize(graphs, rng=9).noisy_degree)
    noise = (degree - np.tile(UNDIRECTED.degrees, COPIES)).reshape(COPIES, 6)
    public = np.isinf(gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=9)).reshape(COPIES, 6)
    events = np.concatenate((noise > 0, np.abs(noise) > np.log(2) / 0.8), axis=1).astype(np.int64)
    one, two = np.triu_indices(12, 1)
    assert_binomial((events.T @ events)[one, two], COPIES, 0.25, ALARM / 2)
    assert_binomial(events.T @ public.astype(np.int64), COPIES, 0.25, ALARM / 2)


def test_every_user_is_as_likely_to_be_public() -> None:
    public = np.isinf(gl.customized(copies(UNDIRECTED, COPIES), epsilon=1.0, public_fraction=0.34, rng=10))
    chosen = public.reshape(COPIES, 6)
    assert (chosen.sum(axis=1) == 2).all()
    one, two = np.triu_indices(6, 1)
    assert_counts((chosen[:, one] & chosen[:, two]).sum(axis=0), np.full(15, 1 / 15), ALARM)

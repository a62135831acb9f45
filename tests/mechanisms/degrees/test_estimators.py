"""The estimates of the degree that DPRR's q may use: unbiased exactly, Bayes against brute force, and on real lists."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

import graphldp as gl
from graphldp.mechanisms.degrees.estimators import Estimator, posterior_mean, unbiased_discrete, unbiased_laplace
from graphldp.mechanisms.degrees.noise import Noise

DECAYS = [Fraction(1, 2), Fraction(3, 4), Fraction(7, 10), Fraction(1, 10), Fraction(99, 100)]  # whole cuts and others


def discrete(x: int, r: Fraction) -> Fraction:
    return Fraction(np.ravel(unbiased_discrete(np.array([Fraction(x)], dtype=object), r))[0])


@pytest.mark.parametrize("r", DECAYS, ids=str)
def test_the_discrete_estimate_is_unbiased_from_its_cut_on(r: Fraction) -> None:
    """E[f(d + Z)] − d = −Σ_{x≤m} (x − f(x))·Pr(x), term by term down to −60 and as a geometric series below."""
    first = math.ceil(r / (1 - r))
    end = 60
    assert [discrete(x, r) for x in (first + 1, first + 50)] == [first + 1, first + 50]
    missing = sum((x - discrete(x, r)) * r ** (first - x) for x in range(-end, first + 1))
    tail = -(r ** (end + 1 + first)) * ((end + 1) / (1 - r) + r / (1 - r) ** 2)  # Σ x·r^(m−x) over x < −60
    assert missing + tail == 0  # and so for every d ≥ m, which has the same terms times r^(d−m)
    assert 0 <= discrete(first, r) <= first


@pytest.mark.parametrize("r", DECAYS, ids=str)
def test_a_whole_cut_only_leaves_out(r: Fraction) -> None:
    cut = r / (1 - r)
    if cut.denominator == 1:
        assert discrete(int(cut), r) == 0


@pytest.mark.parametrize("degree", [2, 3, 10])
def test_the_continuous_estimate_is_unbiased_from_its_cut_on(degree: int) -> None:
    """By quadrature at b = 2; and on the sampler's own terms, e^(−ε₁) in floating point."""

    def estimate(x: float) -> float:
        return float(unbiased_laplace(np.array(x), np.exp(-0.5)))

    def term(x: float) -> float:
        return estimate(x) * math.exp(-abs(x - degree) / 2) / 4

    assert quad(term, 2, degree)[0] + quad(term, degree, 200)[0] == pytest.approx(degree, rel=1e-9)
    assert estimate(1.999) == 0.0


def by_brute_force(x: NDArray[np.float64], n: int, epsilon1: float) -> NDArray[np.float64]:
    d = np.arange(1, n)
    prior = np.append(1 / (d[:-1] * (d[:-1] + 1)), 1 / (n - 1))
    assert prior.sum() == pytest.approx(1.0)
    log = np.log(prior) - epsilon1 * np.abs(np.asarray(x)[:, None] - d)
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray((weight * d).sum(axis=1) / weight.sum(axis=1))


@pytest.mark.parametrize("epsilon1", [1e-3, 0.1, 1.0, 5.0, 50.0])
@pytest.mark.parametrize("n", [2, 3, 40, 1000])
def test_bayes_is_the_posterior_mean(n: int, epsilon1: float) -> None:
    rng = np.random.default_rng(n)
    x = np.concatenate((rng.uniform(-50, n + 50, 300), np.arange(-3, 12), [0.5, 1.5, n - 1.5, -1e4, 1e4]))
    found = posterior_mean(x, n, np.exp(-epsilon1))
    np.testing.assert_allclose(found, by_brute_force(x, n, epsilon1), rtol=1e-8)
    assert (np.diff(found[np.argsort(x)]) >= -1e-9 * n).all()  # who claims more is believed more


def test_bayes_user_by_user() -> None:
    """Every user by her own n and ε₁, and alone as among others, to the last bit."""
    rng = np.random.default_rng(1)
    n, epsilon1 = rng.integers(1, 30, 400), rng.choice([0.1, 0.7, np.inf], 400)
    x = rng.normal(5, 10, 400)
    x[np.isinf(epsilon1)] = np.round(np.clip(x[np.isinf(epsilon1)], 0, n[np.isinf(epsilon1)] - 1))
    together = posterior_mean(x, n, np.exp(-epsilon1))
    alone = [posterior_mean(x[i : i + 1], n[i : i + 1], np.exp(-epsilon1[i : i + 1]))[0] for i in range(400)]
    assert together.tolist() == alone
    assert not together[n == 1].any()
    exact = np.isinf(epsilon1) & (n > 1)
    np.testing.assert_allclose(together[exact], np.maximum(x[exact], 1))  # the law knows nobody without a friend


def test_clip_is_the_default_and_draws_the_papers_bits() -> None:
    graphs = gl.synthetic.threads(num_graphs=20, seed=0)
    one, two = gl.DPRR(2.0).randomize(graphs, rng=1), gl.DPRR(2.0, estimator="clip").randomize(graphs, rng=1)
    np.testing.assert_array_equal(one.indices, two.indices)
    assert gl.DPRR(2.0).estimator == "clip"
    for estimator in ("unbiased", "bayes"):
        other = gl.DPRR(2.0, estimator=estimator).randomize(graphs, rng=1)
        np.testing.assert_array_equal(one.noisy_degree, other.noisy_degree)  # d* is what it was


@pytest.mark.parametrize("noise", ["laplace", "discrete"])
@pytest.mark.parametrize("estimator", ["clip", "unbiased", "bayes"])
def test_extreme_noise_leaves_a_probability(estimator: Estimator, noise: Noise) -> None:
    mechanism = gl.DPRR(1.0, noise=noise, estimator=estimator)
    x = np.array([-1e300, -1.0, 0.0, 1.0, 7.0, 1e300])
    for epsilon1 in (1e-20, 1e-3, 1.0, 800.0, np.inf):
        estimate = mechanism.estimate(x, 50, np.exp(-np.full(6, epsilon1)))
        keep, fake = mechanism.rates(estimate, 50, 0.3)
        assert ((keep >= 0) & (keep <= 0.7) & (fake >= 0) & (fake <= 0.3)).all()


def test_lists_of_reddit_binary_by_estimator(reddit_binary: gl.GraphSet) -> None:
    """2.32 friends become a list of 6.3 by the paper's estimate; leaving small d* out brings it down."""
    mean = {e: gl.DPRR(1.0, estimator=e).randomize(reddit_binary, rng=0).degrees.mean() for e in ("clip", "unbiased")}
    assert 6.2 < mean["clip"] < 6.5
    assert 2.3 < mean["unbiased"] < 5.0

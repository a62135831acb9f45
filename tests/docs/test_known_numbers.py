"""What DPRR does to real graphs, in numbers that are known: see docs/mechanisms/dprr.md."""

from __future__ import annotations

import numpy as np
import pytest
from tests.values import some

import graphldp as gl


def test_statistics_of_reddit_binary(reddit_binary: gl.GraphSet) -> None:
    stated = reddit_binary.statistics()
    assert (stated["graphs"], stated["nodes_max"], stated["degree_max"]) == (2000, 3782, 3062)
    assert stated["users"] == 859_254
    assert stated["nodes_mean"] == pytest.approx(429.6, abs=0.05)
    assert stated["degree_mean"] == pytest.approx(2.32, abs=0.005)


def test_lists_of_reddit_binary_are_longer_than_they_should_be(reddit_binary: gl.GraphSet) -> None:
    """The projection's bias: with ε₁ = 0.1 a list of 2.3 friends becomes one of 6.3 on average."""
    reports = gl.DPRR(1.0).randomize(reddit_binary, rng=0)
    assert 6.2 < reports.degrees.mean() < 6.5
    assert np.mean(some(reports.noisy_degree) <= 0) == pytest.approx(0.42, abs=0.005)
    assert np.mean(reports.degrees == 0) == pytest.approx(0.47, abs=0.005)
    assert reports.guarantee.edge_ldp == 1.0
    assert reports.guarantee.relationship_dp == 2.0
    # E[max(0, d + Lap(b))] = d + (b/2)·e^(−d/b), which the mean of max(0, d*) meets
    degrees = reddit_binary.degrees
    expected = (degrees + 5 * np.exp(-degrees / 10)).mean()
    assert np.maximum(some(reports.noisy_degree), 0).mean() == pytest.approx(expected, rel=0.01)


def test_the_cut_at_b_is_unbiased(reddit_binary: gl.GraphSet) -> None:
    """d*·1[d* ≥ b] has mean d for every d ≥ b: off by less than six standard errors, false alarm below 1e-8."""
    reports = gl.NoisyDegrees(0.5).randomize(reddit_binary, rng=1)
    enough = reddit_binary.degrees >= 2
    noisy = some(reports.noisy_degree)
    estimate = np.where(noisy >= 2, noisy, 0)[enough]
    error = estimate - reddit_binary.degrees[enough]
    assert abs(error.mean()) < 6 * error.std() / np.sqrt(len(error))


def test_the_literal_projection_would_send_full_lists(imdb_binary: gl.GraphSet) -> None:
    """For d* < −(n−1)(1−p)/(2p−1) the formula's q passes 1: 6.2 % of users at ε₁ = 0.1, who here send nothing."""
    n, degrees = np.repeat(imdb_binary.sizes, imdb_binary.sizes), imdb_binary.degrees
    flip = 1 / (np.exp(0.9) + 1)
    turn = (n - 1) * flip / (1 - 2 * flip)
    assert np.mean(np.exp(-0.1 * (turn + degrees)) / 2) == pytest.approx(0.0623, abs=5e-5)
    reports = gl.DPRR(1.0, allocation="fixed").randomize(imdb_binary, rng=2)
    below = reports.noisy_degree < -turn
    assert np.mean(below) == pytest.approx(0.0623, abs=0.008)
    assert not reports.degrees[below].any()

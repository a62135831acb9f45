"""Profiles: sums of degrees and of users' columns, right on average and exact where users are public."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.tables.profiles import (
    COLUMNS,
    MOST_COLUMNS,
    NEARNESS,
    column_profile,
    degree_profile,
    noise_variance,
)
from graphldp.mechanisms.degrees.noise import Noise

GRAPHS = gl.GraphSet.from_edges([0, 0, 0, 4], [1, 2, 3, 5], [4, 0, 3], labels=[0, 1, 0])
NUMBERS = np.array([[1.0], [2.0], [3.0], [6.0], [0.0], [1.0], [5.0]])


def test_a_star_by_hand() -> None:
    star = gl.GraphSet.from_edges([0, 0, 0, 0], [1, 2, 3, 4], [5])
    row = degree_profile(star)[0]
    assert row.shape == (COLUMNS,)
    np.testing.assert_allclose(row[:9], [np.log(6), 8, 8 / 5, -1, -1 / 5**0.5, 4, 20**0.5, 20**0.5 / 8, 68 ** (1 / 3)])
    np.testing.assert_allclose(row[9:15], [4 / 5, 3 / 5, 1 / 5, 0, 0, 0])  # Σ d without 1, 2, 4, 8, … hubs
    np.testing.assert_array_equal(row[15:27], [4, 1, 1, 1, 1] + [0] * 7)
    np.testing.assert_allclose(row[27:39], np.array([4, 1, 1, 1, 1] + [0] * 7) / 5)
    np.testing.assert_array_equal(row[39:], [4] + [1] * 9)
    largest = np.array([4, 1, 1, 1, 1, 0, 0, 0])
    near = [np.log(6), 8 / 5, -1 / 5**0.5, 4, *largest, *largest / 5]
    np.testing.assert_allclose(row[NEARNESS], near)


@pytest.mark.parametrize("noise", ["laplace", "discrete"])
def test_moments_are_unbiased(noise: Noise) -> None:
    """z of the mean over 400 draws; |z| < 4.5 fails by chance once in 147,000 runs of each of four numbers."""
    graphs = gl.synthetic.threads(1, seed=3)
    many = graphs.subset(np.zeros(400, np.int64))
    many = gl.GraphSet(many.indptr, many.indices, many.graph_ptr)  # ids of their own, so noise of their own
    reports = gl.NoisyDegrees(0.5, noise=noise).randomize(many, rng=5)
    degree = graphs.degrees.astype(np.float64)
    noisy = reports.noisy_degree
    assert noisy is not None
    variance = noise_variance(reports)
    table = degree_profile(reports)
    for column, truth in ((1, degree.sum()), (3, degree.sum() / 2 - graphs.num_users), (5, (degree**2).mean())):
        mean, error = table[:, column].mean(), table[:, column].std() / 20
        assert abs(mean - truth) < 4.5 * error
    spread = noisy - np.tile(degree, 400)
    assert (spread**2).mean() == pytest.approx(variance[0], rel=0.05)


def test_public_users_and_raw_graphs_have_no_noise() -> None:
    graphs = gl.synthetic.threads(4, seed=0)
    assert not noise_variance(graphs).any()
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=0)
    assert set(noise_variance(gl.NoisyDegrees(epsilon).randomize(graphs, rng=0))) == {0.0, 2.0}
    sharp = gl.NoisyDegrees(1e3, noise="discrete").randomize(graphs, rng=0)
    np.testing.assert_allclose(noise_variance(sharp), 0.0, atol=1e-300)
    assert not noise_variance(gl.RR(1.0).randomize(graphs, rng=0)).any()  # no d*: the lists are taken as they are


def test_empty_graphs() -> None:
    empty = gl.GraphSet.from_edges([], [], [0, 1])
    assert np.isfinite(degree_profile(empty)).all()
    assert degree_profile(empty.subset([])).shape == (0, COLUMNS)


def test_public_columns_are_summed_by_graph() -> None:
    graphs = GRAPHS.with_features(NUMBERS, public=True).with_groups([0, 1, 1, 1, 0, 0, 1])
    wanted = [
        *([3.0, 0.25, 0.75], [3.5, 0.75, 0.75]),  # Σx/n, Σx·d/n of the number and of both groups
        [12.0, 1.0, 3.0],
        [np.sqrt(50 / 4 - 9), np.sqrt(0.25 - 0.25**2), np.sqrt(0.75 - 0.75**2)],
    ]
    for each in (graphs, gl.NonPrivFull().randomize(graphs, rng=0)):
        found = column_profile(each)
        assert found.shape == (3, 12)
        assert found[0] == pytest.approx(np.concatenate(wanted))
        assert not found[1].any()
    thin = graphs.with_features(sparse.csr_array(NUMBERS), public=True)
    assert np.array_equal(column_profile(thin), column_profile(graphs))


def test_noisy_columns_are_right_on_average() -> None:
    """Means of 20,000 graphs' sums lie within five standard errors (below 1e-6 each) of the true ones; seeded."""
    one = GRAPHS.subset([0]).with_features(NUMBERS[:4]).with_node_labels([0, 1, 1, 2])
    many = one.subset(np.zeros(20_000, np.int64))
    many = gl.GraphSet(many.indptr, many.indices, many.graph_ptr, attributes=many.attributes)
    mechanism = gl.Joint(
        edges=gl.NoisyDegrees(1.0, noise="discrete"),
        features=(gl.MultiBit(1.0, low=0, high=6), gl.CategoryRR(1.0, categories=3)),
    )
    found = column_profile(mechanism.randomize(many, rng=2))
    wanted = [3.0, 0.25, 0.5, 0.25, 3.5, 0.75, 0.5, 0.25]  # Σx/n, then Σx·d/n: no product of noises biases it
    for column, value in zip(found.T[:8], wanted, strict=True):
        assert abs(column.mean() - value) < 5 * column.std() / np.sqrt(len(column))


def test_groups_that_were_told_are_not_counted_twice() -> None:
    graphs = GRAPHS.with_node_labels([0, 1, 1, 1, 0, 0, 1])
    told = gl.Joint(edges=gl.FriendCounts(1.0), features=gl.CategoryRR(1.0, categories=2)).randomize(graphs, rng=0)
    alone = gl.CategoryRR(1.0, categories=2).randomize(graphs, rng=0)
    assert column_profile(told).shape == column_profile(alone).shape == (3, 6)


def test_no_columns_and_too_many() -> None:
    assert column_profile(GRAPHS).shape == (3, 0)
    assert column_profile(GRAPHS.with_features(np.ones((7, MOST_COLUMNS + 1)))).shape == (3, 0)


@pytest.fixture(scope="module")
def kinds() -> gl.GraphSet:
    """Forty graphs of one size without edges: of one class most users are of kind 0, of the other of kind 1."""
    labels = np.arange(40) % 2
    kind = (np.random.default_rng(3).random((40, 50)) < np.where(labels, 0.75, 0.25)[:, None]).ravel()
    return gl.GraphSet.from_edges([], [], [50] * 40, labels=labels).with_node_labels(kind.astype(np.int64))


def test_a_profile_learns_from_noisy_columns(kinds: gl.GraphSet, tmp_path: Path) -> None:
    mechanism = gl.Joint(edges=gl.NoisyDegrees(0.5), features=gl.CategoryRR(1.5, categories=2))
    reports = mechanism.randomize(kinds, rng=1)
    clf = gl.ProfileClassifier(seed=0).fit(reports[:30])
    assert clf.score(reports[30:]) > 0.8  # ten graphs, seeded; n and degrees say nothing here
    clf.save(tmp_path / "model")
    assert np.array_equal(
        gl.ProfileClassifier.load(tmp_path / "model").predict(reports[30:]), clf.predict(reports[30:])
    )
    with pytest.raises(DataError, match="other columns than those that the classifier learned from"):
        clf.predict(gl.NoisyDegrees(2.0).randomize(kinds, rng=0))

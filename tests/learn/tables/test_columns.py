"""Sums of users' columns: right on average, exact where columns are public, and learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.tables.columns import MOST, column_profile

GRAPHS = gl.GraphSet.from_edges([0, 0, 0, 4], [1, 2, 3, 5], [4, 0, 3], labels=[0, 1, 0])
NUMBERS = np.array([[1.0], [2.0], [3.0], [6.0], [0.0], [1.0], [5.0]])


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
    assert column_profile(GRAPHS.with_features(np.ones((7, MOST + 1)))).shape == (3, 0)


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

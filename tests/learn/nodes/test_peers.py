"""LPGNN: averaging over friends, its label denoising, and what its critics put in the features' place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.nodes.feature_view import LabelledUsers
from graphldp.learn.nodes.peers import Whose, by_lpgnn, kprop, lpgnn, projected
from graphldp.mechanisms.attributes.category_rr import chances

from .conftest import Town


def test_kprop_is_the_mean_over_friends_and_leaves_herself_out() -> None:
    """A path of three and a user alone: 1's friends are 0 and 2."""
    graph = sparse.csr_array(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0.0]]))
    rows = np.array([[1.0], [5.0], [3.0], [9.0]])
    assert kprop(graph, rows, 1).ravel().tolist() == [5.0, 2.0, 5.0, 0.0]
    assert kprop(graph, rows, 2).ravel().tolist() == [2.0, 5.0, 2.0, 0.0]
    assert np.array_equal(kprop(graph, rows, 0), rows)


def test_few_directions_keep_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 squared lengths on 64 directions: each has a relative deviation of √(2/64), their mean of .01; seeded."""
    rows = np.random.default_rng(0).random((400, 900))
    assert np.array_equal(projected(rows, 0), rows)
    monkeypatch.setattr("graphldp.learn.nodes.peers._ENTRIES", 400 * 64)
    small = projected(rows, 0)
    assert small.shape == (400, 64)
    ratio = (small**2).sum(axis=1) / (rows**2).sum(axis=1)
    near = rows[:200] - rows[200:]
    between = ((small[:200] - small[200:]) ** 2).sum(axis=1) / (near**2).sum(axis=1)
    assert abs(between.mean() - 1) < 0.1
    assert abs(ratio.mean() - 1) < 0.4  # all rows share most of their length


def users_of(town: Town) -> LabelledUsers:
    return LabelledUsers.of(town.graphs, None, town.train, town.validation, 0)


def accuracy(town: Town, told: Any) -> float:
    return float((told[town.test].argmax(axis=1) == town.classes[town.test]).mean())


@pytest.fixture(scope="module")
def reports(town: Town) -> gl.Reports:
    hidden = town.graphs.with_features(some(town.graphs.features), public=False)
    hidden = hidden.with_node_labels(town.classes, public=False)
    columns = (gl.MultiBit(1.0), gl.CategoryRR(2.0, categories=3))
    return gl.Joint(edges=gl.NonPrivFull(), features=columns).randomize(hidden, rng=1)


@pytest.mark.parametrize("whose", ["own", "another's", "random"])
def test_friendships_do_it_all_whatever_the_features_are(town: Town, reports: gl.Reports, whose: Whose) -> None:
    """The critics' point: at ε = 1 another user's features, and random numbers, serve as well; seeded, 150 users."""
    assert accuracy(town, by_lpgnn(reports, users_of(town), 0, whose, noisy_labels=False)) > 0.7


def test_noisy_labels_are_denoised(town: Town, reports: gl.Reports) -> None:
    """At ε = 2 among three classes 21 % of the labels are wrong; averaged over friends far fewer are."""
    wrong = float((some(reports.columns.labels) != town.classes).mean())
    assert wrong == pytest.approx(1 - chances(np.exp(-2.0), 3)[0], abs=0.06)
    assert accuracy(town, by_lpgnn(reports, users_of(town), 0, noisy_labels=True)) > 0.75


def test_labels_of_others_are_not_looked_at(town: Town, reports: gl.Reports) -> None:
    graph = sparse.csr_array(town.graphs.to_scipy()[0].astype(np.float64))
    told, law = np.eye(3)[town.classes], np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    changed = told.copy()
    changed[town.test] = changed[town.test][:, ::-1]
    rows = some(reports.columns.features)
    one, two = (lpgnn(graph, rows, each, law, town.train, town.validation) for each in (told, changed))
    assert np.array_equal(one, two)


def test_without_private_features(town: Town) -> None:
    reports = gl.NonPrivFull().randomize(town.graphs, rng=0)
    with pytest.raises(DataError, match="LPGNN needs private features"):
        by_lpgnn(reports, users_of(town), 0, noisy_labels=False)

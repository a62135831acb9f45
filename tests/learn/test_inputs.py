"""A network takes what users are, from reports as from raw graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, FormatError
from graphldp.learn.loading import load_classifier


def network(**params: Any) -> gl.GINClassifier:
    chosen: dict[str, Any] = {
        "layers": 2,
        "hidden": 8,
        "max_epochs": 30,
        "batch_size": 16,
        "device": "cpu",
        "features": "columns",
    }
    return gl.GINClassifier(**(chosen | params))


@pytest.fixture(scope="module")
def graphs() -> gl.GraphSet:
    """Rings of 30 users, alike but for how many are of which kind: three in ten, or seven."""
    rng = np.random.default_rng(0)
    user = np.arange(80 * 30)
    after = user - user % 30 + (user + 1) % 30
    labels = np.arange(80) % 2
    kind = (rng.random(len(user)) < np.where(np.repeat(labels, 30), 0.7, 0.3)).astype(np.int64)
    return gl.GraphSet.from_edges(user, after, [30] * 80, labels).with_node_labels(kind)


@pytest.fixture(scope="module")
def told(graphs: gl.GraphSet) -> gl.Reports:
    mechanism = gl.Joint(edges=gl.NoisyDegrees(1.0), features=gl.CategoryRR(4.0, categories=2))
    return mechanism.randomize(graphs, rng=1)


@pytest.fixture(scope="module")
def fitted(told: gl.Reports) -> gl.GINClassifier:
    return network().fit(told[:60])


def test_it_learns_from_a_private_label(told: gl.Reports, fitted: gl.GINClassifier) -> None:
    assert fitted.spec_.num_features == 2
    assert fitted.score(told[60:]) >= 0.9  # without columns these graphs are all alike


def test_it_learns_from_public_columns_whatever_they_are_measured_in(graphs: gl.GraphSet) -> None:
    for scale, shift in ((1.0, 0.0), (1e3, 1e5), (1e-9, 0.0)):
        numbers = np.asarray(graphs.node_labels)[:, None] * scale + shift
        bare = graphs.with_node_labels(None).with_features(numbers.astype(np.float64), public=True)
        reports = gl.DPRR(epsilon=1.0).randomize(bare, rng=0)
        assert network(max_epochs=15).fit(reports[:60]).score(reports[60:]) >= 0.9


def test_same_seed_same_bits(told: gl.Reports, fitted: gl.GINClassifier) -> None:
    again = network().fit(told[:60])
    assert np.array_equal(again.uncalibrated(told[60:]), fitted.uncalibrated(told[60:]))


def test_a_saved_one_says_the_same(told: gl.Reports, fitted: gl.GINClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path / "columns.model")
    back = load_classifier(tmp_path / "columns.model")
    assert isinstance(back, gl.GINClassifier)
    assert (back.features, back.spec_) == ("columns", fitted.spec_)
    assert np.array_equal(back.predict_proba(told[60:]), fitted.predict_proba(told[60:]))
    with pytest.raises(FormatError):
        gl.GCNClassifier.load(tmp_path / "columns.model")


def test_a_user_who_has_not_reported_leaves_with_her_columns(told: gl.Reports, fitted: gl.GINClassifier) -> None:
    missing = np.arange(told.num_users) % 30 < 5
    part = replace(told, missing=missing)
    assert np.array_equal(fitted.uncalibrated(part), fitted.uncalibrated(part.induced()))
    assert fitted.score(part[60:]) >= 0.8


def test_refuses_graphs_without_these_columns(graphs: gl.GraphSet, told: gl.Reports, fitted: gl.GINClassifier) -> None:
    bare = gl.NoisyDegrees(1.0).randomize(graphs, rng=0)
    for use in (network().fit, fitted.predict):
        with pytest.raises(DataError, match="features='columns' needs columns of users, and these graphs have none"):
            use(bare)
    wider = gl.CategoryRR(1.0, categories=3).randomize(graphs, rng=0)
    with pytest.raises(DataError, match=r"takes 2 columns of each user. Got 3 instead"):
        fitted.predict(wider)
    with pytest.raises(DataError, match=r"takes 2 columns of each user. Got 3 instead"):
        network().fit(told, validation=wider)

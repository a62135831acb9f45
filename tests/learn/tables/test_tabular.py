"""What all classifiers of tables have in common."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.profiling import profiled
from graphldp.learn.tables.robust.agreement import Trust
from graphldp.learn.tables.robust.bounded import BoundedControl
from graphldp.learn.tables.tabular import TableClassifier

pytestmark = pytest.mark.usefixtures("few_trees")

NOTHING = np.zeros(0, np.int64)
KINDS: list[Callable[[], TableClassifier]] = [
    gl.ProfileClassifier,
    gl.RobustProfileClassifier,
    SizeControl,
    lambda: SizeControl(kind="forest"),
    DegreeControl,
    BoundedControl,
]


@pytest.fixture(scope="module")
def threads() -> gl.GraphSet:
    """Of three classes."""
    graphs = gl.synthetic.threads(num_graphs=60, seed=0)
    return graphs.with_labels(np.arange(60) % 3)


@pytest.fixture(scope="module")
def reports(threads: gl.GraphSet) -> gl.Reports:
    return replace(gl.NoisyDegrees(1.0, noise="discrete").randomize(threads, rng=0), collected=True)


@pytest.mark.parametrize("kind", KINDS)
def test_no_graphs_get_no_labels(kind: Callable[[], TableClassifier], reports: gl.Reports) -> None:
    """As networks answer, and not as scikit-learn does; how right the labels are is nobody's guess."""
    clf, none = kind().fit(reports), reports.subset(NOTHING)
    assert clf.predict_proba(none).shape == (0, 3)
    labels = clf.predict(none)
    assert (labels.shape, labels.dtype) == ((0,), clf.classes_.dtype)
    with pytest.raises(DataError, match="at least one graph"):
        clf.score(none)
    with pytest.raises(DataError, match="at least two classes"):
        kind().fit(none)


@pytest.mark.parametrize("trust", get_args(Trust))
def test_no_graphs_get_no_promises(trust: Trust, reports: gl.Reports) -> None:
    clf = copy(gl.RobustProfileClassifier().fit(reports))
    clf.trust_ = trust
    for none in (reports.subset(NOTHING), profiled(reports).subset(NOTHING)):
        assert clf.checked(none) is clf
        promised = clf.certify(none)
        assert promised.dtype == np.int64
        assert promised.shape == clf.predict(none).shape == (0,)
        assert {each.shape for each in clf.statements(none)} == {(0, 3)}


def _told(threads: gl.GraphSet) -> gl.Reports:
    """One of two words from each user."""
    words = threads.with_node_labels(np.arange(threads.num_users) % 2)
    return gl.Joint(edges=gl.NoisyDegrees(1.0), features=gl.CategoryRR(1.0, categories=2)).randomize(words, rng=0)


@pytest.mark.parametrize(
    "told", [_told, lambda threads: threads.with_features(np.ones((threads.num_users, 4)), public=True)]
)
def test_no_graphs_with_columns_get_no_labels(
    told: Callable[[gl.GraphSet], gl.Reports | gl.GraphSet], threads: gl.GraphSet
) -> None:
    """One told column and four exact ones are read by other models."""
    clf = gl.ProfileClassifier().fit(told(threads))
    assert clf.columns_ > 0
    assert clf.predict_proba(told(threads).subset(NOTHING)).shape == (0, 3)

"""What all classifiers of tables have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.learn.tables.controls import BoundedControl, DegreeControl, SizeControl
from graphldp.learn.tables.profiling import profiled
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


def test_no_graphs_get_no_promises(reports: gl.Reports) -> None:
    clf = gl.RobustProfileClassifier().fit(reports)
    for none in (reports.subset(NOTHING), profiled(reports).subset(NOTHING)):
        promised = clf.withstood(none)
        assert promised.dtype == np.int64
        assert promised.shape == clf.withstands(none).shape == clf.predict(none).shape == (0,)


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_from_trusted_graphs_alone(kind: Callable[[], TableClassifier], reports: gl.Reports) -> None:
    """Whatever the others send, and whatever their labels are."""
    trusted, others = np.arange(0, 60, 2), np.arange(1, 60, 2)
    alone = kind().fit(reports.subset(trusted)).predict_proba(reports)
    lied = np.where(np.isin(reports.graph_of_user, others), 1.0, np.asarray(reports.noisy_degree))
    labels = np.asarray(reports.labels).copy()
    labels[others] = 7
    forged = replace(reports, noisy_degree=lied)
    for X, y in ((reports, None), (forged, None), (forged, labels)):
        np.testing.assert_array_equal(kind().fit(X, y, trusted=trusted).predict_proba(reports), alone)
    mask = np.isin(np.arange(60), trusted)
    np.testing.assert_array_equal(kind().fit(reports, trusted=mask).predict_proba(reports), alone)


@pytest.mark.parametrize("bad", [[], [-1, 0, 1], [0, 1, 60], [0, 1, 1], [0.5, 1.0], [[0, 1]], ["a"], 3])
def test_trusted_graphs_that_are_none(bad: object, reports: gl.Reports) -> None:
    must_be = "one or more different positions below 60, or a mask of that length"
    for kind in KINDS:
        with pytest.raises(ParameterError, match=f"The 'trusted' parameter of [A-Za-z]* must be {must_be}"):
            kind().fit(reports, trusted=bad)  # type: ignore[arg-type]


def test_trusted_graphs_of_one_class(reports: gl.Reports) -> None:
    for kind in KINDS:
        with pytest.raises(ParameterError, match=r"must be graphs of at least two classes\. Got graphs of 1 instead"):
            kind().fit(reports, trusted=[0, 3, 6])
        with pytest.raises(DataError, match="y must hold 60 labels"):
            kind().fit(reports, np.zeros(59), trusted=[0, 1])


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

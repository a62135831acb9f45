"""NodeClassifier: that friends' counts and lists add to features, and what it may not look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, FormatError, ParameterError
from graphldp.neighbour_lists.labels import NO_LABEL

from .conftest import Town


@pytest.fixture(scope="module")
def view(town: Town) -> gl.FeatureView:
    return gl.FeatureView.of(town.graphs, train=town.train, validation=town.validation)


def fitted(town: Town, view: gl.FeatureView, mechanism: gl.Mechanism) -> tuple[gl.NodeClassifier, gl.Reports]:
    reports = mechanism.randomize(town.graphs.with_groups(view.groups), rng=5)
    sets: dict[str, Any] = {"train": town.train, "validation": town.validation}
    return gl.NodeClassifier().fit(reports, **sets, view=view), reports


def test_friends_add_to_features(town: Town, view: gl.FeatureView) -> None:
    """150 test users, seeded: features find about .6, counts at ε = 1 about .8, lists at ε = 6 and true ones more."""
    alone = float((view.log_proba[town.test].argmax(axis=1) == town.classes[town.test]).mean())
    found = {}
    for name, mechanism in {"counts": gl.FriendCounts(1.0), "lists": gl.RR(6.0), "true": gl.NonPrivFull()}.items():
        clf, reports = fitted(town, view, mechanism)
        found[name] = clf.score(reports, users=town.test)
    assert alone + 0.1 < found["counts"]
    assert min(found["lists"], found["true"]) > 0.85


def test_at_a_tiny_epsilon_features_are_left_alone(town: Town, view: gl.FeatureView) -> None:
    clf, reports = fitted(town, view, gl.FriendCounts(0.01))
    alone = float((view.log_proba[town.test].argmax(axis=1) == town.classes[town.test]).mean())
    assert clf.score(reports, users=town.test) == pytest.approx(alone, abs=0.03)


def test_labels_of_others_are_not_looked_at(town: Town) -> None:
    """Whatever stands where a user is in neither set, the answer is the same; positions and masks are too."""
    reports = gl.FriendCounts(1.0).randomize(town.graphs.with_groups(town.classes), rng=0)
    sets: dict[str, Any] = {"train": town.train, "validation": town.validation}
    masks: dict[str, Any] = {name: np.isin(np.arange(600), each) for name, each in sets.items()}
    hidden = some(town.graphs.node_labels).copy()
    hidden[town.test] = NO_LABEL
    one = gl.NodeClassifier().fit(reports, **sets)
    two = gl.NodeClassifier().fit(reports, hidden, **masks)
    assert np.array_equal(one.predict_proba(reports), two.predict_proba(reports))
    assert one.classes_.tolist() == [5, 6, 7]
    assert one.predict_proba(reports).sum(axis=1) == pytest.approx(1.0)
    assert set(one.predict(reports)) <= {5, 6, 7}


def test_groups_are_classes_of_training_users_and_guesses(town: Town, view: gl.FeatureView) -> None:
    assert np.array_equal(view.groups[town.train], town.classes[town.train])
    others = np.concatenate((town.validation, town.test))
    assert np.array_equal(view.groups[others], view.log_proba[others].argmax(axis=1))


def test_labels_may_be_words_and_there_may_be_no_features(town: Town) -> None:
    """Without features counts are all there is; a third of the training users is held out."""
    bare = town.graphs.with_features(None).with_groups(town.classes)
    names = np.array(["ant", "bee", "cat"])[town.classes]
    reports = gl.FriendCounts(3.0).randomize(bare, rng=0)
    clf = clone(gl.NodeClassifier(seed=3)).fit(reports, names, train=town.train)
    assert set(clf.weights_) == {"prior", "friend counts"}
    assert clf.score(reports, names, users=town.test) > 0.85
    assert len(clf.view_.users.validation) == pytest.approx(len(town.train) / 3, abs=1)


def test_features_that_are_no_counts(town: Town) -> None:
    noisy = np.random.default_rng(0).normal(size=(600, 4)) + np.eye(4)[town.classes]
    graphs = town.graphs.with_features(noisy, public=True)
    view = gl.FeatureView.of(graphs, train=town.train, validation=town.validation)
    assert "words" not in view.predictions
    clf, reports = fitted(town._replace(graphs=graphs), view, gl.RR(6.0))
    assert clf.score(reports, users=town.test) > 0.8


@pytest.mark.attack("learning")
def test_a_private_column_is_not_used_as_public(town: Town) -> None:
    """`FeatureView` of a graph with private labels."""
    private = town.graphs.with_features(town.graphs.features)
    with pytest.raises(DataError, match="These features are private"):
        gl.FeatureView.of(private, train=town.train, validation=town.validation)
    half = town.graphs.with_features(town.graphs.features, public=np.arange(60) < 30)
    shown = town.graphs.with_features(town.graphs.features[:, :30], public=True)
    views = [gl.FeatureView.of(each, train=town.train, validation=town.validation) for each in (half, shown)]
    assert np.array_equal(views[0].log_proba, views[1].log_proba)
    hidden = town.graphs.with_node_labels(town.graphs.node_labels)
    with pytest.raises(DataError, match="These labels are private"):  # they would be the groups of training users
        gl.FeatureView.of(hidden, train=town.train, validation=town.validation)


def test_a_repr_holds_nobodys_class(view: gl.FeatureView) -> None:
    assert "array" not in repr(view).replace("classes=array([5, 6, 7])", "")


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"train": []}, ParameterError, "'train' parameter of NodeClassifier must be one or more different"),
    ({"train": [0, 0]}, ParameterError, "'train'"),
    ({"train": [0, 600]}, ParameterError, "'train'"),
    ({"train": [0.5]}, ParameterError, "'train'"),
    ({"train": np.ones(599, bool)}, ParameterError, "'train'"),
    ({"validation": [-1]}, ParameterError, "'validation'"),
    ({"y": np.zeros(5)}, ParameterError, "one label for each of 600 users"),
    ({"y": np.zeros(600, int)}, DataError, "two classes or more"),
    ({"y": np.full(600, NO_LABEL)}, DataError, "must have labels"),
    ({"y": np.arange(600)}, DataError, "of classes that training users have"),
    ({"validation": np.arange(600)}, DataError, "both a training and a validation user"),
]


@pytest.mark.parametrize(("changed", "error", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_input(town: Town, changed: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"train": town.train, "validation": town.validation, "y": None} | changed
    with pytest.raises(error, match=message):
        gl.FeatureView.of(town.graphs, given.pop("y"), **given)


def test_whom_to_trust_is_said_by_the_training_users(town: Town) -> None:
    reports = gl.RR(4.0).randomize(town.graphs, rng=0)
    with pytest.raises(ParameterError, match="'trusted' parameter of NodeClassifier must be left out"):
        gl.NodeClassifier().fit(reports, train=town.train, trusted=[0])  # type: ignore[arg-type]


def test_what_was_saved_labels_the_same_users_alone(town: Town, view: gl.FeatureView, tmp_path: Path) -> None:
    """Users are known by their public features: in the reports, in another draw and in the raw graph."""
    clf, reports = fitted(town, view, gl.FriendCounts(1.0))
    clf.save(tmp_path / "one.npz")
    gl.NodeClassifier.load(tmp_path / "one.npz").save(tmp_path / "two.npz")
    loaded = gl.NodeClassifier.load(tmp_path / "two.npz")
    for users in (reports, town.graphs, gl.RR(6.0).randomize(town.graphs, rng=1)):
        assert np.array_equal(loaded.predict_proba(users), clf.predict_proba(reports))
    assert loaded.classes_.tolist() == [5, 6, 7]
    assert loaded.weights_ == clf.weights_
    assert loaded.provenance_["mechanism"] == "friend-counts(epsilon=1.0)"
    other = some(town.graphs.features)[::-1]
    for strangers in (town.graphs.with_features(other, public=True), town.graphs.with_features(None)):
        with pytest.raises(DataError, match="transductive"):
            loaded.predict(strangers)


def test_damaged_files_are_refused(town: Town, view: gl.FeatureView, tmp_path: Path) -> None:
    clf, _ = fitted(town, view, gl.FriendCounts(1.0))
    for told in (clf.log_proba_[:, :2], np.full_like(clf.log_proba_, np.nan), clf.log_proba_.astype(np.float32)):
        clf.log_proba_ = wrong(told)
        clf.save(tmp_path / "bad.npz")
        with pytest.raises(FormatError, match="does not hold a probability of each class for each user"):
            gl.NodeClassifier.load(tmp_path / "bad.npz")


def test_reports_that_it_cannot_read(town: Town, view: gl.FeatureView) -> None:
    sets: dict[str, Any] = {"train": town.train, "validation": town.validation}
    with pytest.raises(DataError, match="drawn by FriendCounts or RR or DPRR or Blink or NonPriv-Full"):
        gl.NodeClassifier().fit(gl.NoisyDegrees(2.0).randomize(town.graphs, rng=0), **sets)
    with pytest.raises(ParameterError, match="'reports' parameter of NodeClassifier must be Reports"):
        gl.NodeClassifier().fit(wrong(town.graphs), **sets)
    with pytest.raises(ParameterError, match="one graph"):
        gl.FeatureView.of(town.graphs.subset([0, 0]), **sets)
    reports = gl.RR(6.0).randomize(town.graphs, rng=0)
    with pytest.raises(DataError, match="of the same users"):
        gl.NodeClassifier().fit(reports, train=town.train[1:], validation=town.validation, view=view)
    silent = (np.zeros(601, np.int64), np.zeros(0, np.int32))
    absent = replace(reports, indptr=silent[0], indices=silent[1], missing=np.arange(600) < 9)
    with pytest.raises(ParameterError, match="from all of its users"):
        gl.NodeClassifier().fit(absent, **sets)
    clf, reports = fitted(town, view, gl.FriendCounts(1.0))
    with pytest.raises(DataError, match="transductive"):
        clf.predict(gl.FriendCounts(1.0).randomize(town.graphs.with_groups(view.groups), rng=0))
    with pytest.raises(ParameterError, match="one label for each of 600 users"):
        clf.score(reports, [1], users=town.test)


@pytest.mark.parametrize(
    ("epsilon", "kind"),
    [
        (0.1, gl.FriendCounts),
        (4.0, gl.FriendCounts),
        (5.0, gl.RR),
        ([8.0, np.inf], gl.RR),
        ([1.0, 8.0], gl.FriendCounts),
    ],
)
def test_what_is_recommended(epsilon: Any, kind: type[gl.Mechanism]) -> None:
    recipe = gl.recommended(epsilon, task="nodes", seed=4)
    assert type(recipe.mechanism) is kind
    assert np.array_equal(recipe.mechanism.epsilon, epsilon)
    assert isinstance(recipe.classifier, gl.NodeClassifier)
    assert recipe.classifier.seed == 4


def test_bad_recommendations() -> None:
    with pytest.raises(ParameterError, match="'task' parameter of recommended"):
        gl.recommended(1.0, task=wrong("edges"))
    with pytest.raises(ParameterError, match="'rounds' parameter of recommended"):
        gl.recommended(1.0, task="nodes", rounds=2)


def test_private_labels_count_by_what_their_owners_told(town: Town) -> None:
    """Nobody's true label is a group: counts are by what friends told, and each user's own word counts by its law.

    150 test users, seeded: guessing finds a third, the words of all users at ε = 1 and counts by them at ε = 2 .7.
    """
    private = town.graphs.with_features(None).with_node_labels(town.classes)
    mechanism = gl.Joint(edges=gl.FriendCounts(2.0), features=gl.CategoryRR(1.0, categories=3))
    reports = mechanism.randomize(private, rng=3)
    sets: dict[str, Any] = {"train": town.train, "validation": town.validation}
    clf = gl.NodeClassifier().fit(reports, town.classes, **sets)
    assert {"friend counts", "noisy category"} <= {name for name, weight in clf.weights_.items() if weight > 0}
    told = float((some(reports.columns.labels)[town.test] == town.classes[town.test]).mean())
    assert clf.score(reports, town.classes, users=town.test) > told + 0.1

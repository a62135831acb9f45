"""Labels that stand whatever one user sends, at a known price."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import graphldp as gl
from graphldp.errors import FormatError, GraphLDPError, ParameterError
from graphldp.learn import saving
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.levels import Levelled
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(180, seed=0), rng=0)


@pytest.fixture(scope="module")
def fitted(reports: gl.Reports) -> RobustProfileClassifier:
    return RobustProfileClassifier(allowance=0.02).fit(reports[:120])


def _lied(reports: gl.Reports, liars: np.ndarray, rng: np.random.Generator) -> Iterator[gl.Reports]:
    """Several lies by so many users of each graph: the busiest, the least busy or anybody; any claim, or none."""
    degree, graph = np.asarray(reports.noisy_degree), reports.graph_of_user
    largest = 2.0 * reports.sizes[graph]
    for order in (-degree, degree, rng.random(len(degree))):
        rank = np.empty(len(degree), np.int64)
        rank[np.lexsort((order, graph))] = np.arange(len(degree)) - reports.graph_ptr[graph]
        lying = rank < liars[graph]
        for claim in (
            largest,
            np.full(len(degree), -1e4),
            np.full(len(degree), 1.0),
            rng.random(len(degree)) * largest,
        ):
            yield replace(reports, noisy_degree=np.where(lying, claim, degree))
        yield replace(reports, missing=lying)


def test_promised_labels_stand_whatever_so_many_users_send(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    test = reports[120:]
    labels, withstood = fitted.predict(test), fitted.withstood(test)
    assert withstood.dtype == np.int64
    assert (withstood > 0).mean() > 0.25
    assert (withstood < test.sizes).all()
    rng = np.random.default_rng(0)
    for lied in _lied(test, withstood, rng):
        np.testing.assert_array_equal(fitted.predict(lied), labels)


def test_promised_labels_stand_whatever_the_profile_says(
    reports: gl.Reports, fitted: RobustProfileClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one liar makes it say is not bounded by anything."""
    test, changed = reports[120:], False
    labels, promised = fitted.predict(test), fitted.withstood(test) > 0
    assert promised.any()
    for said in ((0.0, 1.0), (1.0, 0.0)):
        monkeypatch.setattr(gl.ProfileClassifier, "uncalibrated", lambda _, X, said=said: np.tile(said, (len(X), 1)))
        np.testing.assert_array_equal(fitted.predict(test)[promised], labels[promised])
        changed |= bool((fitted.predict(test) != labels).any())
    assert changed


def test_what_stands_is_settled_without_any_two_users(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    test, never = reports[120:], copy(fitted)
    settled = fitted.settled_.unmoved(Levelled.of(test))
    np.testing.assert_array_equal(fitted.withstood(test), settled == fitted.uncalibrated(test).argmax(axis=1))
    assert set(fitted.withstood(test)) == {0, 1}
    never.settled_ = never.settled_.limited(1.0)
    assert not never.withstood(test).any()
    plain = gl.ProfileClassifier.uncalibrated(fitted, test)
    np.testing.assert_allclose(never.uncalibrated(test), plain / plain.sum(axis=1, keepdims=True))


def test_where_nothing_is_promised_a_lie_may_change_the_label(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    test = reports[120:]
    labels, withstood = fitted.predict(test), fitted.withstood(test)
    changed = [fitted.predict(lied) != labels for lied in _lied(test, withstood + 40, np.random.default_rng(1))]
    assert np.any(changed, axis=0)[test.sizes > 80].any()


def test_the_price_without_liars_and_the_gain_with_one(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """One seed each: on these graphs the profile alone falls below the robust classifier by far."""
    test = reports[120:]
    plain = gl.ProfileClassifier().fit(reports[:120])
    claims = np.asarray(test.noisy_degree).copy()
    claims[test.graph_ptr[:-1] + test.sizes // 2] = test.sizes - 1.0
    forged = replace(test, noisy_degree=claims)
    assert fitted.score(test) >= plain.score(test) - 0.1
    assert fitted.score(forged) > plain.score(forged)


def test_a_larger_allowance_promises_no_less(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    strict = RobustProfileClassifier(allowance=0.0).fit(reports[:120])
    assert strict.settings_["sure"] >= fitted.settings_["sure"]
    assert strict.get_params() == {"allowance": 0.0, "seed": 0}
    again = clone(strict).fit(reports[:120])
    np.testing.assert_array_equal(again.predict_proba(reports[120:]), strict.predict_proba(reports[120:]))


def test_a_label_is_given_by_its_own_graph_alone(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """Liars in other graphs change neither a label nor what it withstands."""
    test = reports[120:]
    graph = test.graph_of_user
    lied = replace(test, noisy_degree=np.where(graph % 2 == 0, np.asarray(test.noisy_degree), 1e6))
    own = np.arange(0, 60, 2)
    np.testing.assert_array_equal(fitted.predict_proba(lied)[own], fitted.predict_proba(test)[own])
    np.testing.assert_array_equal(fitted.withstood(lied)[own], fitted.withstood(test)[own])


def test_so_many_liars_are_withstood(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    test = reports[120:]
    stands = fitted.withstands(test)
    assert stands.dtype == np.bool_
    np.testing.assert_array_equal(stands, fitted.withstood(test) > 0)
    most = int(fitted.withstood(test).max())
    assert fitted.withstands(test, liars=most).sum() == (fitted.withstood(test) == most).sum()
    assert not fitted.withstands(test, liars=int(test.sizes.max())).any()
    assert fitted.withstands(test, liars=0).all()
    for bad in (-1, True, 1.0, "one", int(test.sizes.max()) + 1):
        with pytest.raises(ParameterError, match="The 'liars' parameter of RobustProfileClassifier must be a whole"):
            fitted.withstands(test, liars=bad)  # type: ignore[arg-type]


def test_the_order_of_users_does_not_matter(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    order = np.lexsort((np.random.default_rng(0).random(reports.num_users), reports.graph_of_user))
    turned = replace(reports, noisy_degree=np.asarray(reports.noisy_degree)[order])
    np.testing.assert_allclose(fitted.predict_proba(turned), fitted.predict_proba(reports))
    np.testing.assert_array_equal(fitted.withstood(turned), fitted.withstood(reports))


def test_a_file_keeps_it(reports: gl.Reports, fitted: RobustProfileClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path / "robust.npz")
    read = load_classifier(tmp_path / "robust.npz")
    assert isinstance(read, RobustProfileClassifier)
    assert (read.allowance, read.settings_) == (fitted.allowance, fitted.settings_)
    np.testing.assert_array_equal(read.predict_proba(reports), fitted.predict_proba(reports))
    np.testing.assert_array_equal(read.withstood(reports), fitted.withstood(reports))
    with pytest.raises(FormatError, match="holds a RobustProfileClassifier, not a ProfileClassifier"):
        gl.ProfileClassifier.load(tmp_path / "robust.npz")


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"levels": np.zeros((120, 3), np.int64)},
        {"levels": np.zeros((120, 3), np.int32)},
        {"levels": np.full((120, 40), 1 << 20, np.int32)},
        {"users": np.full(120, 1e300)},
        {"users": np.full(120, 2000.5)},
    ],
    ids=str,
)
def test_a_damaged_file_is_refused(fitted: RobustProfileClassifier, tmp_path: Path, bad: dict[str, np.ndarray]) -> None:
    fitted.save(tmp_path / "robust.npz")
    saved = saving.read(tmp_path / "robust.npz", "RobustProfileClassifier")
    kept = {name: array for name, array in saved.weights.items() if bad or name != "levels"}
    saving.write(tmp_path / "robust.npz", replace(saved, weights=kept | bad))
    with pytest.raises(FormatError, match="damaged"):
        RobustProfileClassifier.load(tmp_path / "robust.npz")


@pytest.mark.parametrize("spec", [{}, {"weight": 1.0}, {"weight": 1.0, "sure": 7.0}, {"weight": "x", "sure": 1.0}])
def test_a_file_without_settings_is_refused(
    fitted: RobustProfileClassifier, tmp_path: Path, spec: dict[str, object]
) -> None:
    """Files of earlier forms kept what held-out folds said, and not what was chosen by it."""
    fitted.save(tmp_path / "robust.npz")
    saved = saving.read(tmp_path / "robust.npz", "RobustProfileClassifier")
    saving.write(tmp_path / "robust.npz", replace(saved, spec=spec))
    with pytest.raises(FormatError, match=r"robust\.npz: damaged"):
        load_classifier(tmp_path / "robust.npz")


def test_nothing_is_promised_of_what_a_filter_left(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """The reports are the same; but one lie could have changed whom the filter leaves out."""
    test = reports[120:]
    kept = replace(test, filtered=True)
    np.testing.assert_array_equal(fitted.predict_proba(kept), fitted.predict_proba(test))
    assert fitted.withstood(test).any()
    assert not fitted.withstood(kept).any()
    assert not fitted.withstands(kept[:3]).any()


@pytest.mark.parametrize("allowance", [-0.1, 2, True, "much", float("nan")])
def test_an_allowance_that_is_none(reports: gl.Reports, allowance: object) -> None:
    with pytest.raises(GraphLDPError, match="The 'allowance' parameter of RobustProfileClassifier must be"):
        RobustProfileClassifier(allowance=allowance).fit(reports[:20])  # type: ignore[arg-type]


def test_three_classes_raw_graphs_and_a_class_of_one_graph() -> None:
    threads = gl.synthetic.threads(45, seed=0)
    labels = np.where(threads.sizes > np.quantile(threads.sizes, 0.7), 2, np.asarray(threads.labels))
    clf = RobustProfileClassifier().fit(threads, labels)
    assert clf.predict_proba(threads).shape == (45, 3)
    assert (clf.withstood(threads) >= 0).all()
    alone = np.zeros(45, np.int64)
    alone[0] = 1
    assert RobustProfileClassifier().fit(threads, alone).settings_ == {"weight": 1.0, "sure": 1.0}


def test_it_is_what_is_recommended_against_liars() -> None:
    for recipe in (gl.recommended(1.0, seed=3), gl.recommended(2.0, seed=3), gl.recommended(1.0, rounds=2, seed=3)):
        assert isinstance(recipe.defense, RobustProfileClassifier)
        assert recipe.defense.seed == 3

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphldp as gl
from graphldp.errors import FormatError
from graphldp.learn import saving
from graphldp.learn.calibration import reliability
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.controls import SizeControl
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.tabular import Floats


def test_scikit_learns_conventions_and_one_seed_one_classifier() -> None:
    threads = gl.synthetic.threads(60, seed=0)
    clf = ProfileClassifier(seed=3)
    assert clf.get_params() == {"seed": 3}
    with pytest.raises(NotFittedError):
        clf.predict(threads)
    words = np.array(["hub", "tree"])[threads.labels]
    one, two = clone(clf).fit(threads, words), clone(clf).fit(threads, words)
    assert list(one.classes_) == ["hub", "tree"]
    assert one.score(threads, words) > 0.9
    chances = one.predict_proba(threads)
    np.testing.assert_array_equal(chances, two.predict_proba(threads))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


def test_noise_leaves_the_size_alone() -> None:
    """At ε = 0.001 degrees are noise and n tells the kinds apart: n is listened to."""
    threads = gl.synthetic.threads(120, seed=0)
    by_size = threads.with_labels((threads.sizes > np.median(threads.sizes)).astype(np.int64))
    reports = gl.NoisyDegrees(0.001).randomize(by_size, rng=0)
    train, test = reports.subset(np.arange(90)), reports.subset(np.arange(90, 120))
    clf = ProfileClassifier().fit(train)
    assert clf.weight_ < 0.5
    assert clf.score(test) >= SizeControl().fit(train).score(test)


def test_a_class_of_one_graph() -> None:
    threads = gl.synthetic.threads(20, seed=0)
    labels = np.zeros(20, np.int64)
    labels[0] = 1
    clf = ProfileClassifier().fit(threads, labels)
    assert clf.weight_ == 1.0
    assert clf.predict_proba(threads).shape == (20, 2)
    assert clf.predict_proba(threads).max() <= 2 / 3  # nothing was held out, so nothing supports more
    np.testing.assert_array_equal(clf.predict(threads), clf.uncalibrated(threads).argmax(axis=1))


def test_confidence_is_supported_by_the_folds_and_labels_stay() -> None:
    """24 graphs: never above 25/26, also for a graph that looks like nothing but a hub."""
    threads = gl.synthetic.threads(200, seed=0)
    clf = ProfileClassifier(seed=0).fit(threads[:24])
    assert clf.calibration_.graphs == 24
    chances = clf.predict_proba(threads)
    assert chances.max() <= 25 / 26
    np.testing.assert_array_equal(chances.argmax(axis=1), clf.uncalibrated(threads).argmax(axis=1))


def test_confidence_means_what_it_says_on_threads() -> None:
    """Expected calibration error on 600 threads that it has not learned from; one seed, so no false alarm."""
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(800, seed=1), rng=0)
    clf = ProfileClassifier(seed=0).fit(reports.subset(np.arange(200)))
    rest = reports.subset(np.arange(200, 800))
    assert reliability(clf.predict_proba(rest), np.asarray(rest.labels)).error < 0.05


def test_saved_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = gl.NoisyDegrees(1.0).randomize(gl.synthetic.threads(30, seed=0), rng=0)
    words = np.array(["hub", "tree"])[reports.labels]
    clf = ProfileClassifier(seed=2).fit(reports, words)
    clf.save(tmp_path / "model.npz")
    fits, fit = list[int](), Pair.fit

    def counted(self: Pair, X: Floats, y: NDArray[Any]) -> Pair:
        fits.append(len(y))
        return fit(self, X, y)

    monkeypatch.setattr(Pair, "fit", counted)
    back = load_classifier(tmp_path / "model.npz")
    assert isinstance(back, ProfileClassifier)
    assert set(fits) == {30}  # to all graphs: nothing is fitted to folds again
    assert back.weight_ == clf.weight_
    assert back.provenance_ == clf.provenance_
    assert back.provenance_["mechanism"].startswith("noisy-degrees(")
    np.testing.assert_array_equal(back.predict(reports), clf.predict(reports))
    np.testing.assert_array_equal(back.predict_proba(reports), clf.predict_proba(reports))
    half = reports.subset(np.arange(15))
    again = ProfileClassifier(seed=2).fit(half, words[:15])  # what the file said is not taken for another table's
    np.testing.assert_array_equal(back.fit(half, words[:15]).predict_proba(half), again.predict_proba(half))
    with pytest.raises(FormatError, match="holds a ProfileClassifier, not a GINClassifier"):
        gl.GINClassifier.load(tmp_path / "model.npz")


@pytest.mark.attack("learning")
@pytest.mark.parametrize(
    "change",
    [
        {"table": np.zeros((3, 2))},
        {"codes": np.zeros(30, np.int64)},
        {"codes": np.int64(0)},
        {"table": None},
        {"table": np.array("words")},
        {"spec": {}},
        {"spec": {"weight": "half"}},
        {"spec": {"weight": 1.5}},
    ],
    ids=str,
)
def test_a_damaged_file(change: dict[str, Any], tmp_path: Path) -> None:
    """A model file of 10⁹ layers."""
    clf = ProfileClassifier().fit(gl.synthetic.threads(30, seed=0))
    given: dict[str, Any] = {"table": clf.table_, "codes": clf.codes_, "spec": clf.settings_} | change
    spec, kept = given.pop("spec"), {name: array for name, array in given.items() if array is not None}
    saved = saving.SavedModel("ProfileClassifier", {}, {}, clf.classes_, spec, kept, calibration={"graphs": 9})
    saving.write(tmp_path / "m.npz", saved)
    with pytest.raises(FormatError, match="damaged"):
        ProfileClassifier.load(tmp_path / "m.npz")


def test_a_second_round_is_read_where_there_was_one() -> None:
    """Two counts from hubs, beside reports of one round: each can be labelled by a classifier of the other."""
    threads = gl.synthetic.threads(60, seed=2)
    twice = gl.HubCounts(1.0, times=3.0).randomize(threads, rng=0)
    once = gl.NoisyDegrees(1.0, noise="discrete").randomize(threads, rng=0)
    assert np.isnan(ProfileClassifier.features(once)[:, -6:]).all()
    assert np.isfinite(ProfileClassifier.features(twice)).all()
    for learned, labelled in ((twice, once), (once, twice), (twice, twice)):
        assert np.isfinite(ProfileClassifier(seed=0).fit(learned).predict_proba(labelled)).all()

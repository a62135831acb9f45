import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphldp as gl
from graphldp.learn.controls import SizeControl
from graphldp.learn.profile_classifier import ProfileClassifier


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
    assert clf.model_.weight < 0.5
    assert clf.score(test) >= SizeControl().fit(train).score(test)


def test_a_class_of_one_graph() -> None:
    threads = gl.synthetic.threads(20, seed=0)
    labels = np.zeros(20, np.int64)
    labels[0] = 1
    clf = ProfileClassifier().fit(threads, labels)
    assert clf.model_.weight == 1.0
    assert clf.predict_proba(threads).shape == (20, 2)

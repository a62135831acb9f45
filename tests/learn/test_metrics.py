import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, roc_auc_score

from graphldp.errors import DataError, ParameterError
from graphldp.learn import metrics


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_auc_agrees_with_scikit_learn(classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.concatenate((np.arange(classes), rng.integers(0, classes, 30)))
    scores = np.round(rng.dirichlet(np.ones(classes), len(truth)), 1) + 0.01  # rounding makes ties
    scores /= scores.sum(axis=1, keepdims=True)
    expected = roc_auc_score(truth, scores[:, 1] if classes == 2 else scores, multi_class="ovr")
    assert metrics.auc(truth, scores) == pytest.approx(expected, abs=1e-12)


def test_auc_of_one_class_is_nan() -> None:
    assert math.isnan(metrics.auc([1, 1], [[0.5, 0.5], [0.1, 0.9]]))


def test_auc_needs_a_column_per_class() -> None:
    with pytest.raises(DataError, match=r"\[2, classes\]"):
        metrics.auc([0, 1], [0.5, 0.6])


def test_confusion_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 4, (2, 100))
    assert np.array_equal(metrics.confusion(truth, predicted, 4), confusion_matrix(truth, predicted))
    with pytest.raises(ParameterError, match="classes 0 to 1"):
        metrics.confusion(truth, predicted, 2)


def test_accuracy() -> None:
    assert metrics.accuracy([0, 1, 2, 2], [0, 1, 2, 1]) == 0.75
    with pytest.raises(DataError):
        metrics.accuracy([], [])


def test_interval_is_students() -> None:
    summary = metrics.summarize([0.70, 0.72, 0.74, 0.71, 0.73])
    # t_{4, 0.975} = 2.776445 from a table
    half = 2.776445 * summary.std / math.sqrt(5)
    assert summary.mean == pytest.approx(0.72)
    assert (summary.low, summary.high) == pytest.approx((0.72 - half, 0.72 + half), abs=1e-7)
    assert str(summary).startswith("0.7200 ± 0.0158 [")


def test_one_seed_has_no_interval() -> None:
    summary = metrics.summarize([0.7])
    assert summary.mean == 0.7
    assert math.isnan(summary.std)
    assert str(summary) == "0.7000"
    with pytest.raises(DataError):
        metrics.summarize([])
    with pytest.raises(ParameterError):
        metrics.summarize([0.1, 0.2], level=1.0)


def test_seeds_that_agree_are_no_surer_than_one_of_them() -> None:
    """Five splits of nine graphs with four right in each: a spread of 0 does not make the accuracy certain."""
    alike, one = (metrics.summarize([4 / 9] * count, of=9) for count in (5, 1))
    assert (alike.low, alike.high) == (one.low, one.high)
    assert alike.low < 0.14 < 0.78 < alike.high  # Clopper and Pearson's interval of 4 of 9 is 0.137 to 0.788
    assert alike.std == pytest.approx(0.0, abs=1e-12)
    apart = metrics.summarize([0.0, 0.0, 1 / 9], of=9)
    assert apart.high - apart.low < 0.4  # where seeds differ, their spread says it


def test_an_interval_knows_of_overlapping_splits_and_stays_where_values_can_be() -> None:
    """Nadeau & Bengio: with test/train = 1/5 and ten splits the variance is 1/10 + 1/5 of the values', not 1/10."""
    values = [0.90, 0.92, 0.94, 0.96, 0.98, 1.0, 0.91, 0.93, 0.95, 0.97]
    plain, corrected = (metrics.summarize(values, overlap=overlap) for overlap in (0.0, 0.2))
    widths = [each.high - each.mean for each in (plain, corrected)]
    assert widths[1] / widths[0] == pytest.approx(math.sqrt(3))
    assert metrics.summarize([0.0, 1.0], within=(0.0, 1.0)).low == 0.0
    assert metrics.summarize([0.0, 1.0], within=(0.0, 1.0)).high == 1.0

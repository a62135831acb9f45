"""Metrics of a classifier: accuracy, AUC, confusion matrix, and what ten seeds say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from graphldp.errors import DataError, bad_parameter
from graphldp.intervals import share_bounds


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """The share of graphs whose label was predicted."""
    right = np.asarray(truth) == np.asarray(predicted)
    if right.ndim != 1 or not len(right):
        raise DataError("Accuracy needs one true and one predicted label for each of at least one graph.")
    return float(right.mean())


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """The area under the ROC curve, by the true classes 0 … C−1 and scores [graphs, C], such as probabilities.

    For two classes it is the chance that a random graph of class 1 scores above a random one of class 0, ties counting
    half (Mann and Whitney's U over its maximum); for more the mean over the classes of one against the rest. NaN where
    the truth holds fewer than two classes or, for more than two, where one is absent.
    """
    codes, table = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(codes) or table.shape[1] < 2:
        raise DataError(f"AUC needs scores of shape [{len(codes)}, classes]. Got {table.shape} instead.")
    if table.shape[1] == 2:
        return _one_auc(codes == 1, table[:, 1])
    return float(np.mean([_one_auc(codes == each, table[:, each]) for each in range(table.shape[1])]))


def _one_auc(positive: NDArray[np.bool_], score: NDArray[np.float64]) -> float:
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return float("nan")
    _, codes, counts = np.unique(score, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    rank = last - (counts - 1) / 2.0  # tied scores share the mean of their ranks
    return float((rank[codes][positive].sum() - yes * (yes + 1) / 2.0) / (yes * no))


def confusion(truth: ArrayLike, predicted: ArrayLike, num_classes: int) -> NDArray[np.int64]:
    """Counts by true class (rows) and predicted class (columns), both as 0 … C−1."""
    one, two = np.asarray(truth, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
    for name, codes in (("truth", one), ("predicted", two)):
        if len(codes) and (codes.min() < 0 or codes.max() >= num_classes):
            raise bad_parameter(name, "confusion", f"classes 0 to {num_classes - 1}", "others")
    return np.bincount(one * num_classes + two, minlength=num_classes**2).reshape(num_classes, num_classes)


@dataclass(frozen=True)
class Scores:
    """The scores of labels of some graphs: accuracy, AUC, and counts by true class (rows) and predicted one."""

    accuracy: float
    auc: float
    confusion: NDArray[np.int64]

    def numbers(self, classes: NDArray[Any]) -> dict[str, Any]:
        """The numbers that a row of results keeps; JSON knows no NaN, which is the AUC where a class is absent."""
        return {
            "accuracy": self.accuracy,
            "auc": None if math.isnan(self.auc) else self.auc,
            "classes": classes.tolist(),
            "confusion": self.confusion.tolist(),
        }


def evaluate(classes: NDArray[Any], probabilities: NDArray[np.float64], labels: ArrayLike) -> Scores:
    """Compare predictions with the truth, by a classifier's sorted labels and its probabilities, [graphs, classes]."""
    codes = codes_of(classes, labels)
    predicted = probabilities.argmax(axis=1)
    return Scores(accuracy(codes, predicted), auc(codes, probabilities), confusion(codes, predicted, len(classes)))


def codes_of(classes: NDArray[Any], labels: ArrayLike) -> NDArray[np.int64]:
    """Each label's place among a classifier's classes; an error for labels that it does not know."""
    given = np.asarray(labels)
    place = np.minimum(np.searchsorted(classes, given), len(classes) - 1)
    strange = classes[place] != given
    if strange.any():
        raise DataError(
            f"This classifier knows the {len(classes)} classes {', '.join(map(str, classes.tolist()))}. "
            f"Got {int(strange.sum())} graphs with other labels, {len(np.unique(given))} classes in all."
        )
    return place


@dataclass(frozen=True)
class Summary:
    """The summary of several seeds: mean, standard deviation (with count − 1 below the line), and an interval.

    NaN stands for what one value does not tell; it has an interval where it is a counted share.
    """

    count: int
    mean: float
    std: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.count < 2:
            return f"{self.mean:.4f}"
        return f"{self.mean:.4f} ± {self.std:.4f} [{self.low:.4f}, {self.high:.4f}]"


def summarize(
    values: Sequence[float] | NDArray[np.float64],
    level: float = 0.95,
    *,
    overlap: float = 0.0,
    within: tuple[float, float] = (-math.inf, math.inf),
    of: int | None = None,
    grain: float = 0.0,
) -> Summary:
    """Mean, standard deviation and confidence interval x̄ ± t_{m−1} · s·√(1/m + overlap) over m seeds.

    The seeds share one dataset, so the interval speaks of the seeds (splits, noise, weights), not of other datasets.

    Args:
        values: one per seed.
        level: of the interval.
        overlap: test graphs per training graph, where seeds split one dataset again and again: their training sets
            overlap, and the plain interval would be too short (Nadeau & Bengio 2003).
        within: the least and the largest value that there can be; the interval does not leave it.
        of: where the values are shares of so many graphs each. One value then has an interval, too: the exact one of a
            counted share. So do values that are all equal, from which no spread can be read.
        grain: the least step between values. Values that are all equal may spread by as much as that.
    """
    if not 0.0 < level < 1.0:
        raise bad_parameter("level", "summarize", "between 0 and 1", level)
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise DataError("A summary needs at least one value.")
    mean, count = float(array.mean()), len(array)
    std = math.nan if count == 1 else float(array.std(ddof=1))
    if of is not None and (array == array[0]).all():
        low, high = share_bounds(round(mean * of), of, (1 - level) / 2)
        return Summary(count, mean, std, float(low), float(high))
    if count == 1:
        return Summary(1, mean, std, math.nan, math.nan)
    spread = std if std > 1e-12 else grain
    half = float(stdtrit(count - 1, 0.5 + level / 2.0)) * spread * (1.0 / count + overlap) ** 0.5
    return Summary(count, mean, std, max(mean - half, within[0]), min(mean + half, within[1]))

"""Models for what users' columns say of a graph: a pair of learners, or a smooth model where columns are few.

Trees and kernels are for tables of many columns (:class:`ColumnPair`): averages of many rough cuts bear noisy columns
better than boosting, and the kernel compares graphs as a whole. With two or three noisy numbers, logistic regression
on a curve in log n loses less to noise (:class:`ShareModel`). A mean over n users has noise of about v/n beside what
graphs differ by, τ². Both are found by least squares, (x − mean)² ≈ τ² + v/n over the training graphs, and each
graph's number is drawn towards the mean:

    mean + (x − mean)·n/(n + v/τ²)

so that a small graph, whose number is mostly noise, counts as an ordinary one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from graphldp.learn.tables.kernel import KernelMachine
from graphldp.learn.tables.tabular import Floats, Model

MOST = 2  # columns that users told, for the smooth model
_LEAF = 5  # graphs in a leaf of the forest; chosen on splits of ENZYMES and PROTEINS that no table uses
_KNOTS = 5
_STRENGTH = 0.1  # of logistic regression, C; chosen on splits of PROTEINS that no table uses
_LEAST = 1e-4  # of the variance of a column that graphs differ by at least


class ColumnPair:
    """Extremely randomized trees and a kernel machine on log n, the mean degree and the columns, half and half.

    So many of the last columns of a table are of what users told.
    """

    def __init__(self, seed: int, columns: int) -> None:
        self.columns = columns
        self.trees: Model = ExtraTreesClassifier(
            n_estimators=300, random_state=seed, min_samples_leaf=_LEAF, max_features=0.5
        )
        self.kernel: Model = KernelMachine(seed)

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn from a whole table."""
        self.trees.fit(self._seen(X), y)
        self.kernel.fit(self._seen(X), y)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The mean of both learners."""
        return (self.trees.predict_proba(self._seen(X)) + self.kernel.predict_proba(self._seen(X))) / 2

    def _seen(self, X: Floats) -> Floats:
        return np.hstack((X[:, [0, 2]], X[:, -self.columns :]))


class ShareModel:
    """Logistic regression on log n, the mean degree and few columns that users told.

    The last columns of a table are Σx/n, Σx·d/n and Σx of each.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn from a whole table."""
        n, means = self._seen(X)
        self.centre = means.mean(axis=0)
        squares = (means - self.centre) ** 2
        law = np.stack((np.ones_like(n), 1 / n), axis=1)
        (differ, noise), *_ = np.linalg.lstsq(law * n[:, None], squares * n[:, None])
        least = _LEAST * squares.mean(axis=0)
        self.told = squares.mean(axis=0) > 0  # a column that nobody filled is the same for all
        self.noise = np.maximum(noise, 0) / np.where(self.told, np.maximum(differ, least), 1)
        self.curve = SplineTransformer(_KNOTS).fit(np.log(n)[:, None])
        self.model: Pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=_STRENGTH, max_iter=500))
        self.model.fit(self._table(n, means), y)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class."""
        return np.asarray(self.model.predict_proba(self._table(*self._seen(X))))

    def _seen(self, X: Floats) -> tuple[Floats, Floats]:
        """The number of users of each graph, and its means."""
        last = X.shape[1] - 3 * self.columns
        return np.maximum(np.expm1(X[:, 0]), 1.0), np.hstack((X[:, 2:3], X[:, last : last + 2 * self.columns]))

    def _table(self, n: Floats, means: Floats) -> Floats:
        size = np.log(n)[:, None]
        drawn = ((means - self.centre) * n[:, None] / (n[:, None] + self.noise))[:, self.told]
        return np.hstack((self.curve.transform(size), drawn, drawn * size, drawn**2))

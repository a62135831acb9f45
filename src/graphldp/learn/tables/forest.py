"""Extremely randomized trees on what users of a graph are: averages of many rough cuts bear noisy columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier

from graphldp.learn.tables.tabular import Floats, Model

_LEAF = 5  # graphs in a leaf of the forest; chosen on splits of ENZYMES and PROTEINS that no table uses


class ColumnForest:
    """A forest on log n, the mean degree and the columns of a profile.

    Args:
        seed: of the trees.
        columns: how many of the last columns of a table are those of :mod:`graphldp.learn.tables.columns`.
    """

    def __init__(self, seed: int, columns: int) -> None:
        self.columns = columns
        self.trees: Model = ExtraTreesClassifier(
            n_estimators=300, random_state=seed, min_samples_leaf=_LEAF, max_features=0.5
        )

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn from a whole table."""
        self.trees.fit(self._seen(X), y)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        return self.trees.predict_proba(self._seen(X))

    def _seen(self, X: Floats) -> Floats:
        return np.hstack((X[:, [0, 2]], X[:, -self.columns :]))

"""Extremely randomized trees and a kernel machine on the columns of a graph's users.

Averages of many rough cuts bear noisy columns better than boosting; the kernel compares graphs as a whole.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier

from graphldp.learn.tables.kernel import KernelMachine
from graphldp.learn.tables.tabular import Floats, Model

_LEAF = 5  # graphs in a leaf of the forest; chosen on splits of ENZYMES and PROTEINS that no table uses


class ColumnPair:
    """Both on log n, the mean degree and the columns of a profile, half and half.

    Args:
        seed: of the trees.
        columns: how many of the last columns of a table are those of :mod:`graphldp.learn.tables.columns`.
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
        """The mean of both."""
        return (self.trees.predict_proba(self._seen(X)) + self.kernel.predict_proba(self._seen(X))) / 2

    def _seen(self, X: Floats) -> Floats:
        return np.hstack((X[:, [0, 2]], X[:, -self.columns :]))

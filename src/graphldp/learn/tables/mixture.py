"""A pair of learners on the profile, another on n alone, and the weight between them, chosen on held-out folds.

:mod:`graphldp.learn.tables.profile_classifier` says why there are two pairs and when the one on n wins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from graphldp.learn.tables.column_models import MOST, ColumnPair, ShareModel
from graphldp.learn.tables.kernel import KernelMachine
from graphldp.learn.tables.profiles import COLUMNS, NEARNESS
from graphldp.learn.tables.tabular import Floats, Model

_FOLDS = 4
STEPS = 2 * _FOLDS + 2
"""How many steps a fit has: both pairs on each fold, then on everything."""
_WEIGHTS = np.linspace(0.0, 1.0, 11)
_FEW = 20_000  # rows below which threads that grow a tree wait for each other longer than they work
_RARE = 1e-3  # the least probability in a loss: one wrong certainty must not decide


class HeldOut(NamedTuple):
    """Results of held-out folds: the best weight, each graph's fold, its chances by the others, [graphs, classes]."""

    weight: float
    fold: NDArray[np.int64]
    chances: Floats


class Mixture:
    """The pair on the profile and the pair on n, with the ``weight`` of the profile against n.

    So many of a table's last ``columns`` are of what users told. ``step`` is called after each step of a fit.
    """

    def __init__(self, seed: int, columns: int, weight: float = 1.0, step: Callable[[], None] | None = None) -> None:
        self.seed, self.columns, self.weight, self._step = seed, columns, weight, step

    def held_out(self, X: Floats, y: NDArray[Any]) -> HeldOut | None:
        """Choose the weight on held-out folds; a class of one graph cannot be held out."""
        if np.bincount(y).min() < 2:
            return None
        fold = self._folds(y)
        size, profile = self._by_folds(X, y, fold)
        weight = _weight(size, profile, y, clearly=not self.columns)
        return HeldOut(weight, fold, _mixed(weight, profile, size))

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Fit each pair that has weight to everything."""
        self.profile = self._pair(X, y, self.weight)
        self.size = self._pair(X[:, :1], y, 1 - self.weight)
        self._step = None  # what shows a fit does not outlive it
        return self

    def _pair(self, X: Floats, y: NDArray[Any], weight: float = 1.0) -> Model:
        """One step of the fit; a model without weight is not fitted."""
        fitted: Model = self._on_columns() if self.columns and X.shape[1] > 1 else Pair(self.seed)
        if weight > 0:
            fitted.fit(X, y)
        if self._step is not None:
            self._step()
        return fitted

    def _on_columns(self) -> Model:
        """The model for what users' columns say."""
        told, exact = divmod(self.columns, 3)
        return ColumnPair(self.seed, self.columns) if exact or told > MOST else ShareModel(told)

    def predict_proba(self, X: Floats) -> Floats:
        """The weighted mean of both; of one alone where the other has no weight."""
        if self.weight == 1:
            return self.profile.predict_proba(X)
        if self.weight == 0:
            return self.size.predict_proba(X[:, :1])
        return _mixed(self.weight, self.profile.predict_proba(X), self.size.predict_proba(X[:, :1]))

    def _folds(self, y: NDArray[Any]) -> NDArray[np.int64]:
        """The fold of each graph; every class is dealt to all of them."""
        order = np.lexsort((np.random.default_rng(self.seed).random(len(y)), y))
        fold = np.empty(len(y), np.int64)
        fold[order] = np.arange(len(y)) % _FOLDS
        return fold

    def _by_folds(self, X: Floats, y: NDArray[Any], fold: NDArray[np.int64]) -> Floats:
        """The chances of each graph by n and by the profile, by pairs that were fitted to the other folds."""
        chances = np.zeros((2, len(y), y.max() + 1))
        for held in (fold == each for each in range(_FOLDS)):
            for which, table in enumerate((X[:, :1], X)):
                chances[which, held] = self._pair(table[~held], y[~held]).predict_proba(table[held])
        return chances


def _mixed(weight: float, profile: Floats, size: Floats) -> Floats:
    return weight * profile + (1 - weight) * size


def _weight(size: Floats, profile: Floats, y: NDArray[Any], *, clearly: bool) -> float:
    """The w of the smallest loss; where asked for, 0 unless it is clearly below that of n alone."""
    own = np.arange(len(y)), y
    gain = np.log(np.maximum([_mixed(each, profile[own], size[own]) for each in _WEIGHTS], _RARE))
    gain -= gain[0]
    best = gain.mean(axis=1).argmax()
    clear = gain[best].mean() > 2 * gain[best].std() / np.sqrt(len(y))
    return float(_WEIGHTS[best]) if clear or not clearly else 0.0


class Pair:
    """Gradient boosting and the kernel machine, half and half.

    The kernel machine reads the columns ``near``, those of the profile by default; a leaf has so many rows at least.
    """

    def __init__(self, seed: int, near: NDArray[np.int64] | None = None, fewest: int = 10) -> None:
        self.near = near
        self.trees: Model = HistGradientBoostingClassifier(
            random_state=seed,
            learning_rate=0.03,
            max_iter=200,
            max_leaf_nodes=8,
            min_samples_leaf=fewest,
            l2_regularization=1.0,
            max_features=0.3,
        )
        self.kernel: Model = KernelMachine(seed)

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn from a table with log n first, or of log n alone."""
        with _threads(X):
            self.trees.fit(X, y)
        self.kernel.fit(self._near(X), y)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The mean of both learners."""
        by_column = np.asfortranarray(X)  # a tree reads few columns of each row, and memory is read by the line
        with _threads(X):
            return (self.trees.predict_proba(by_column) + self.kernel.predict_proba(self._near(X))) / 2

    def _near(self, X: Floats) -> Floats:
        """The columns for the kernel: some of the degrees', all of the hub's; or log n, where the table is no more."""
        if self.near is not None:
            return X[:, self.near]
        return X if X.shape[1] == 1 else np.hstack((X[:, NEARNESS], X[:, COLUMNS:]))


def _threads(X: Floats) -> threadpool_limits:
    """Inside the block trees grow on one thread if the table is small; the trees are the same."""
    return threadpool_limits(1 if len(X) < _FEW else None, user_api="openmp")

"""A kernel machine in closed form: ridge regression on the labels, read as probabilities.

With z a row of the table on a logarithmic scale, sign(v)·log(1 + |v|), each column standardised and the first one
(log n) counted :data:`_FIRST`-fold,

    k(z, z') = 1 + exp(−‖z − z'‖ / :data:`_RANGE`),   f = k(·, Z)·(K + ρI)⁻¹·y,   y = ±1 for each class.

The kernel is not smooth at 0, as profiles are not: a graph's nearest neighbours count most. The graphs that a graph is
compared with should be of its size, whatever else is alike, which is why n counts for more. Leaving one graph out takes
no refit: with A = (K + ρI)⁻¹ its value is y_i − (A·y)_i/A_ii. Probabilities are the softmax of c·f, with the c of the
smallest log loss of these.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.tables.tabular import Floats

_FIRST = 6.0
_RANGE = 16.0
_RIDGE = 0.3
_FAR = 4.0  # standard deviations: nothing counts as farther from the mean
_MOST = 3000  # graphs that it learns from: time grows with the cube of their number
_SHARPNESS = np.geomspace(0.1, 5.0, 25)


class KernelMachine:
    """Laplace kernel, ridge, and probabilities that leave-one-out supports.

    Args:
        seed: of which graphs are kept where there are more than :data:`_MOST`.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn from rows X, [graphs, columns], with classes y from 0 on."""
        classes = np.arange(y.max() + 1)
        if len(y) > _MOST:  # of each class its share
            order = np.lexsort((np.random.default_rng(self.seed).random(len(y)), y))
            kept = order[np.linspace(0, len(y) - 1, _MOST).astype(np.int64)]
            X, y = X[kept], np.asarray(y[kept])
        flat = _log(X)
        spread = flat.std(axis=0)
        self.mean, self.spread = flat.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.rows = self._place(X)
        sign = np.where(y[:, None] == classes, 1.0, -1.0)
        inverse = np.linalg.inv(_kernel(self.rows, self.rows) + _RIDGE * np.eye(len(y)))
        self.pull = inverse @ sign
        without = sign - self.pull / inverse.diagonal()[:, None]
        own = np.arange(len(y)), y
        losses = [-np.log(np.maximum(_softmax(c * without)[own], 1e-12)).mean() for c in _SHARPNESS]
        self.sharpness = float(_SHARPNESS[np.argmin(losses)])
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        return _softmax(self.sharpness * (_kernel(self._place(X), self.rows) @ self.pull))

    def _place(self, X: Floats) -> Floats:
        placed = np.clip((_log(X) - self.mean) / self.spread, -_FAR, _FAR)
        placed[:, 0] *= _FIRST
        return np.asarray(placed)


def _kernel(one: Floats, two: Floats) -> Floats:
    squared = (one**2).sum(axis=1)[:, None] + (two**2).sum(axis=1) - 2 * one @ two.T
    return np.asarray(1 + np.exp(-np.sqrt(np.maximum(squared, 0.0)) / _RANGE))


def _log(values: Floats) -> Floats:
    return np.copysign(np.log1p(np.abs(values)), values)


def _softmax(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))

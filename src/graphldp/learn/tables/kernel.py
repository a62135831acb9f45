"""A kernel machine in closed form: ridge regression on the labels, read as probabilities.

With z a row of the table on a logarithmic scale, sign(v)·log(1 + |v|), each column standardised and the first one
(log n) counted :data:`_FIRST`-fold,

    k(z, z') = 1 + exp(−‖z − z'‖ / :data:`_RANGE`),   f = k(·, Z)·(K + ρI)⁻¹·y,   y = ±1 for each class.

The kernel is not smooth at 0, as profiles are not: a graph's nearest neighbours count most. The graphs that a graph is
compared with should be of its size, whatever else is alike, which is why n counts for more. Leaving one graph out takes
no refit: with A = (K + ρI)⁻¹ its value is y_i − (A·y)_i/A_ii. Probabilities are the softmax of c·f, with the c of the
smallest log loss of these.

K + ρI = L·Lᵀ with a triangular L, so A·y = L⁻ᵀ(L⁻¹·y), and A_ii is the sum of squares of column i of L⁻¹: a quarter of
the work of inverting the whole.

Graphs to label are compared one after the other, in compiled code: no distance is above :data:`_RANGE` · 4, so
exp(−t) = (exp(−t/16))¹⁶ is a short polynomial and four squares, without a call and without a branch.
"""

from __future__ import annotations

from math import factorial
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri

from graphldp.learn.tables.tabular import Floats
from graphldp.machines.compiling import tell_when_compiling

tell_when_compiling()
_FIRST = 6.0
_RANGE = 16.0
_RIDGE = 0.3
_FAR = 4.0  # standard deviations: nothing counts as farther from the mean
_MOST = 3000  # graphs that it learns from: time grows with the cube of their number
_BLOCK = 128  # graphs learned from that a row is compared with at a time: they stay in the nearest cache
_E2, _E3, _E4, _E5, _E6, _E7, _E8, _E9, _E10 = (1 / factorial(k) for k in range(2, 11))  # of the series of e
_SHARPNESS = np.geomspace(0.1, 5.0, 25)


class KernelMachine:
    """Laplace kernel, ridge, and probabilities that leave-one-out supports; the seed chooses among very many graphs."""

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
        ridged = _kernel(self.rows, self.rows)
        ridged[np.diag_indices_from(ridged)] += _RIDGE
        root, _ = dtrtri(np.linalg.cholesky(ridged), lower=1)  # L⁻¹
        self.pull = root.T @ (root @ sign)
        without = sign - self.pull / np.einsum("ij,ij->j", root, root)[:, None]
        own = np.arange(len(y)), y
        losses = [-np.log(np.maximum(_softmax(c * without)[own], 1e-12)).mean() for c in _SHARPNESS]
        self.sharpness = float(_SHARPNESS[np.argmin(losses)])
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        scores = np.empty((len(X), self.pull.shape[1]))
        placed = np.ascontiguousarray(self._place(X))  # of one layout, so that the loop is compiled once
        _compare(placed, np.ascontiguousarray(self.rows.T), np.ascontiguousarray(self.pull.T), scores)
        return _softmax(self.sharpness * scores)

    def _place(self, X: Floats) -> Floats:
        placed = np.clip((_log(X) - self.mean) / self.spread, -_FAR, _FAR)
        placed[:, 0] *= _FIRST
        return np.asarray(placed)


def _kernel(one: Floats, two: Floats) -> Floats:
    found = one @ two.T  # one array from here on: it is the largest that there is
    found *= -2.0
    found += (one**2).sum(axis=1)[:, None]
    found += (two**2).sum(axis=1)
    np.sqrt(np.maximum(found, 0.0, out=found), out=found)
    found /= -_RANGE
    np.exp(found, out=found)
    found += 1.0
    return np.asarray(found)


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def _compare(rows: Floats, columns: Floats, pull: Floats, out: Floats) -> None:
    """k(row, Z) times the pull of each class; Z has a column for each graph learned from, some of which are near."""
    near = np.empty(_BLOCK)
    out[:] = 0.0
    for start in range(0, columns.shape[1], _BLOCK):
        some = min(_BLOCK, columns.shape[1] - start)
        for row in range(len(rows)):
            near[:] = 0.0
            for each in range(len(columns)):
                place, column = rows[row, each], columns[each, start : start + some]
                for other in range(some):
                    away = column[other] - place
                    near[other] += away * away
            for other in range(some):
                t = np.sqrt(near[other]) * (-1.0 / (16.0 * _RANGE))
                e = _E6 + t * (_E7 + t * (_E8 + t * (_E9 + t * _E10)))
                e = 1.0 + t * (1.0 + t * (_E2 + t * (_E3 + t * (_E4 + t * (_E5 + t * e)))))
                e *= e
                e *= e
                e *= e
                near[other] = e * e + 1.0
            for kind in range(len(pull)):
                pulled, total = pull[kind, start : start + some], 0.0
                for other in range(some):
                    total += near[other] * pulled[other]
                out[row, kind] += total


def _log(values: Floats) -> Floats:
    return np.copysign(np.log1p(np.abs(values)), values)


def _softmax(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))

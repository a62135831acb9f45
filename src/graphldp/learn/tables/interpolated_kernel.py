"""A kernel machine whose score is linear in each reported number between knots, so that every lie can be covered.

With z a row, log n and the reported columns, each less its mean and divided by its range,

    k(z, z') = (1 + √3·r)·exp(−√3·r),   r = ‖z − z'‖,   f = k(·, Z)·(K + ρI)⁻¹·y,   y = ±1 for each class:

ridge regression with Matérn's kernel. A range is some standard deviations (:data:`_RANGES`), and of a reported column
also :data:`_LIES` times what one user moves it by in the median graph: where one lie changes the score little, more
labels stand, above all in small graphs.

The score is not read as it is. Each reported column has a few knots; between them the score is interpolated linearly in
every column, and beyond the last it is constant. n stays as it is. Let liars move each column within an interval. *A
function that is linear in each coordinate has its extremes over a box in the corners.* So the least lead of one class
over another is at a point whose coordinates are ends of these intervals or knots within them. Trying those points
(:meth:`InterpolatedKernel.around`) leaves no lie out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from scipy.special import softmax

from graphldp.learn.tables.witness_sums import FACTS, Floats, reach

_RANGES = (0.6, 2.5, 3.5, 8.0, 8.0)  # of log n, the two largest sums, the others' sum and the share of busy users
_LIES = 40.0  # labels stand the more, and the fewer are right; from 40 on no more are both on embedded threads
_RIDGE = 0.6
_KNOTS = (12, 12, 5, 5)  # of these columns, at their quantiles: few where ranges are long
_MOST = 2000  # graphs that it learns from: time grows with the cube of their number
_SHARPNESS = 2.0  # of a score of 1 a probability of 0.98; held-out folds correct it
_TOGETHER = 64  # graphs to label at a time
_BLOCK = 128  # graphs learned from that a row is compared with at a time: they stay in the nearest cache
_FAR = 1600.0  # 3·r² of what counts as infinitely far

Codes = NDArray[np.int64]


class InterpolatedKernel:
    """A kernel machine with one score for each class.

    Args:
        seed: of which graphs are kept where there are more than :data:`_MOST`.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: Floats, y: Codes) -> Self:
        """Learn from rows of :func:`graphldp.learn.tables.witness_sums.witness_profile` and their classes."""
        if len(y) > _MOST:  # of each class its share
            order = np.lexsort((np.random.default_rng(self.seed).random(len(y)), y))
            kept = order[np.linspace(0, len(y) - 1, _MOST).astype(np.int64)]
            X, y = X[kept], np.asarray(y[kept])
        whole = X[~np.isnan(X).any(axis=1), FACTS:]
        self.usual = whole.mean(axis=0) if len(whole) else np.zeros(X.shape[1] - FACTS)
        told = self._told(X)
        self.knots = [
            np.unique(np.quantile(each, np.linspace(0, 1, some))) for each, some in zip(told.T, _KNOTS, strict=True)
        ]
        placed = np.column_stack((_log(X[:, 0]), told))
        spread = placed.std(axis=0)
        self.mean, self.spread = placed.mean(axis=0), np.where(spread > 0, spread, 1.0) * _RANGES
        self.spread[1:] += _LIES * np.median(reach(X, 1), axis=0)
        rows = (placed - self.mean) / self.spread
        self.columns = np.ascontiguousarray(rows.T)
        away = np.sqrt(3.0) * cdist(rows, rows)
        ridged = (1.0 + away) * np.exp(-away)
        ridged[np.diag_indices_from(ridged)] += _RIDGE
        signs = np.where(y[:, None] == np.arange(y.max() + 1), 1.0, -1.0)
        self.pull = np.ascontiguousarray(cho_solve(cho_factor(ridged), signs).T)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        return np.asarray(softmax(_SHARPNESS * self.scores(X), axis=1))

    def scores(self, X: Floats) -> Floats:
        """The score of each class, [rows, classes]."""
        return np.concatenate([np.zeros((0, len(self.pull))), *(within(0) for within in self.around(X, 0))])

    def around(self, X: Floats, most: Codes | int) -> Iterator[Callable[[int], Floats]]:
        """For each row a function of how many users lie, for so many at most: scores at which any lead is least.

        Rows of one n that many can move have one box, and are looked at once where they stand together.
        """
        low, high = self._box(X, most)
        for start in range(0, len(X), _TOGETHER):
            some = range(start, min(start + _TOGETHER, len(X)))
            nodes = [list(map(_knots_around, self.knots, low[row], high[row])) for row in some]
            boxes = [
                (X[row, 0], *((knots[0], knots[-1]) for knots in each)) for row, each in zip(some, nodes, strict=True)
            ]
            grids = {box: _grid(X[row, 0], each) for box, row, each in zip(boxes, some, nodes, strict=True)}
            found = _compare((np.concatenate(list(grids.values())) - self.mean) / self.spread, self.columns, self.pull)
            parts = np.split(found, np.cumsum([len(grid) for grid in grids.values()])[:-1])
            scores = dict(zip(grids, parts, strict=True))
            for row, box, each in zip(some, boxes, nodes, strict=True):
                yield partial(self._within, X[row : row + 1], each, scores[box])

    def _within(self, row: Floats, nodes: list[Floats], scores: Floats, liars: int) -> Floats:
        """Scores where each column is at an end of its interval or at a knot between, [points, classes]."""
        values = scores.reshape(*map(len, nodes), -1)
        for axis, (knots, low, high) in enumerate(
            zip(nodes, *(each[0] for each in self._box(row, liars)), strict=True)
        ):
            points = np.unique(np.concatenate(([low], knots[(knots > low) & (knots < high)], [high])))
            weights = np.stack([np.interp(points, knots, unit) for unit in np.eye(len(knots))], axis=1)
            values = np.moveaxis(np.tensordot(weights, values, (1, axis)), 0, axis)
        return np.asarray(values.reshape(-1, scores.shape[1]))

    def _box(self, X: Floats, liars: Codes | int) -> tuple[Floats, Floats]:
        """The interval of each column; beyond the last knots nothing changes."""
        told, far = self._told(X), reach(X, liars) if np.any(liars) else 0.0
        ends = np.array([(knots[0], knots[-1]) for knots in self.knots]).T
        return np.clip(told - far, *ends), np.clip(told + far, *ends)

    def _told(self, X: Floats) -> Floats:
        """The reported columns; what is usual where n is all there is."""
        return np.where(np.isnan(X[:, FACTS:]), self.usual, X[:, FACTS:])


def _knots_around(knots: Floats, low: float, high: float) -> Floats:
    """The knots that an interval lies between, and those within it."""
    first = max(int(np.searchsorted(knots, low, "right")) - 1, 0)
    return knots[first : int(np.searchsorted(knots, high, "left")) + 1]


def _grid(n: float, nodes: list[Floats]) -> Floats:
    """Every choice of one node for each column, after log n."""
    told = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, len(nodes))
    return np.column_stack((np.full(len(told), _log(n)), told))


def _log(n: Floats | float) -> Floats:
    return np.log(np.maximum(n, 1.0))


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def _compare(rows: Floats, columns: Floats, pull: Floats) -> Floats:
    """k(row, Z) times the pull of each class; Z has a column for each graph learned from, some of which are near.

    Without a call and without a branch: exp(−t) = (exp(−t/64))⁶⁴ is a short series and six squares.
    """
    out, near = np.zeros((len(rows), len(pull))), np.empty(_BLOCK)
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
                t = np.sqrt(min(3.0 * near[other], _FAR)) / -64.0
                e = 1.0 + t * (
                    1.0 + t / 2 * (1.0 + t / 3 * (1.0 + t / 4 * (1.0 + t / 5 * (1.0 + t / 6 * (1.0 + t / 7)))))
                )
                e *= e
                e *= e
                e *= e
                e *= e
                e *= e
                near[other] = e * e * (1.0 - 64.0 * t)
            for kind in range(len(pull)):
                pulled, total = pull[kind, start : start + some], 0.0
                for other in range(some):
                    total += near[other] * pulled[other]
                out[row, kind] += total
    return out

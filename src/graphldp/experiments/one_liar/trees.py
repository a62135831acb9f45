"""Trees that expect one liar in each graph: boosted against the lie that hurts them most.

Gradient boosting on rows with a lie in each (:class:`graphldp.experiments.one_liar.lies.SingleLies`). With m the margin
of the true class, each step adds a small tree that lowers, over all training graphs,

    log(1 + e^(−m of the honest row)) + w·log(1 + e^(−m of the worst rows))

Which rows are the worst changes with every tree, so no library's boosting serves. With w = 0 nobody is expected to lie;
the larger w, the more labels withstand a liar, and the fewer are right without one. A graph whose label a liar can turn
by far is given up after a while: pushing its margin would cost others' labels and save none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit, softmax

from graphldp.experiments.one_liar.lies import Codes
from graphldp.learn.tables.robust.levels import Floats

_TREES = 250
_RATE = 0.06
_DEPTH = 3
_COLUMNS = 0.3  # the share of columns that a tree may look at
_WORST = 5  # rows of each graph that are looked at
_SHARPNESS = 10.0  # how much more the worst of them counts than the next
_LOST = 1.0  # a graph is given up if the worst lie turns its label by more than this
_PATIENCE = 4  # … but not by the first quarter of the trees
_CUTS = 63
_RIDGE = 1.0
_FEWEST = 3.0  # in a leaf, as the sum of second derivatives
_SAMPLE = 20_000  # rows by which cuts are chosen

Rows = NDArray[np.float32]
Binned = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class WaryTrees:
    """Grown trees, as heaps: node i has the children 2i + 1 and 2i + 2.

    Args:
        column: by which each node splits, [trees, nodes]; −1 for a leaf.
        cut: up to where a row goes left.
        value: what a leaf adds.
    """

    column: Codes
    cut: NDArray[np.float32]
    value: Floats

    @classmethod
    def fit(cls, table: Rows, first: Codes, sign: Floats, weight: float, seed: int) -> Self:
        """Learn from rows with and without lies.

        Args:
            table: of :meth:`SingleLies.table`.
            first: of :attr:`SingleLies.first`; each graph has as many rows as the others.
            sign: 1 for graphs of the class, −1 for others.
            weight: w.
            seed: of the columns that each tree looks at.
        """
        rng = np.random.default_rng(seed)
        cuts, binned = _bins(table)
        score, nodes = np.zeros(len(table)), 2 ** (_DEPTH + 1) - 1
        column, place = np.full((_TREES, nodes), -1), np.zeros((_TREES, nodes), np.int64)
        value, used = np.zeros((_TREES, nodes)), max(int(_COLUMNS * table.shape[1]), 1)
        for tree in range(_TREES):
            rows = _worst(score, first, sign)
            patient = tree < _TREES // _PATIENCE
            slope, curve = _derivatives(score[rows], sign, weight, patient=patient)
            looked_at = rng.permutation(table.shape[1])[:used]
            _grow(binned[rows.ravel()], slope, curve, looked_at, column[tree], place[tree], value[tree])
            _add(binned, column[tree], place[tree], value[tree], score)
        return cls(column, cuts[column, place], value)

    def score(self, table: Rows) -> Floats:
        """The log odds of the class, by row."""
        found = np.zeros(len(table))
        _follow(table, self.column, self.cut, self.value, found)
        return found


def _bins(table: Rows) -> tuple[Rows, Binned]:
    """Up to where the bins of each column reach, [columns, _CUTS], and the bin of each number."""
    sample = table[:: max(len(table) // _SAMPLE, 1)]
    cuts = np.quantile(sample, np.linspace(0, 1, _CUTS + 2)[1:-1], axis=0, method="lower").T.astype(np.float32)
    binned = [np.searchsorted(at, column) for at, column in zip(cuts, table.T, strict=True)]
    return cuts, np.stack(binned, axis=1).astype(np.uint8)


def _worst(score: Floats, first: Codes, sign: Floats) -> Codes:
    """The honest row of each graph and its worst ones, [graphs, 1 + _WORST]. All have equally many rows."""
    margin = score.reshape(len(first), -1) * sign[:, None]
    worst = np.argpartition(margin, min(_WORST, margin.shape[1] - 1), axis=1)[:, :_WORST]
    return np.hstack((first[:, None], first[:, None] + worst))


def _derivatives(score: Floats, sign: Floats, expected: float, *, patient: bool) -> tuple[Floats, Floats]:
    """The slope and the curvature of the loss at each row that is looked at."""
    margin = score * sign[:, None]
    weight = expected * softmax(-_SHARPNESS * margin, axis=1)
    if not patient:
        weight *= expit(3 * (margin.min(axis=1, keepdims=True) + _LOST))
    weight[:, 0] += 1
    wrong = expit(-margin)
    return (-weight * wrong * sign[:, None]).ravel(), (weight * wrong * (1 - wrong)).ravel()


@njit(nogil=True, cache=True)
def _grow(
    binned: Binned, slope: Floats, curve: Floats, columns: Codes, column: Codes, place: Codes, value: Floats
) -> None:
    """One tree, level by level: in each node the split that lowers the loss most."""
    node = np.zeros(len(slope), np.int64)
    sums = np.zeros((len(value), 2))
    for depth in range(_DEPTH + 1):
        start, width = 2**depth - 1, 2**depth
        for row in range(len(node)):
            if node[row] >= start:
                sums[node[row], 0] += slope[row]
                sums[node[row], 1] += curve[row]
        for at in range(start, start + width):
            value[at] = -_RATE * sums[at, 0] / (sums[at, 1] + _RIDGE)
        if depth == _DEPTH:
            return
        best = np.full(width, 1e-9)
        bins = np.zeros((width, _CUTS + 1, 2))
        for each in columns:
            bins[:] = 0.0
            for row in range(len(node)):
                if node[row] >= start:
                    cell = bins[node[row] - start, binned[row, each]]
                    cell[0] += slope[row]
                    cell[1] += curve[row]
            for at in range(width):
                whole = sums[start + at]
                left = np.zeros(2)
                for cut in range(_CUTS):
                    left += bins[at, cut]
                    right = whole - left
                    if left[1] < _FEWEST or right[1] < _FEWEST:
                        continue
                    gain = left[0] ** 2 / (left[1] + _RIDGE) + right[0] ** 2 / (right[1] + _RIDGE)
                    gain -= whole[0] ** 2 / (whole[1] + _RIDGE)
                    if gain > best[at]:
                        best[at], column[start + at], place[start + at] = gain, each, cut
        for row in range(len(node)):
            at = node[row]
            if at >= start:
                right_side = column[at] >= 0 and binned[row, column[at]] > place[at]
                node[row] = 2 * at + 1 + right_side if column[at] >= 0 else -1


@njit(nogil=True, cache=True)
def _add(binned: Binned, column: Codes, place: Codes, value: Floats, score: Floats) -> None:
    """Add what a tree says of rows in bins."""
    for row in range(len(score)):
        at = 0
        while column[at] >= 0:
            at = 2 * at + 1 + (binned[row, column[at]] > place[at])
        score[row] += value[at]


@njit(nogil=True, cache=True)
def _follow(table: Rows, column: Codes, cut: NDArray[np.float32], value: Floats, score: Floats) -> None:
    """Add what trees say of rows."""
    for tree in range(len(column)):
        for row in range(len(score)):
            at = 0
            while column[tree, at] >= 0:
                at = 2 * at + 1 + (table[row, column[tree, at]] > cut[tree, at])
            score[row] += value[tree, at]

"""A graph's numbers of users at each level, as a row of numbers that trees can split.

Log(1 + n); moments of the degrees; what is left of their mean without the largest; the largest, and as shares of n;
deciles; shares of users up to a degree; and means of degrees that are cut off at a cap.
"""

from __future__ import annotations

from math import log1p, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.tables.robust.levels import Floats, Levelled

Codes = NDArray[np.int64]

NEARNESS = np.r_[0:4, 14:22, 26:34]
"""The columns by which graphs are compared: log n, three moments, the eight largest d* and their shares of n."""
NOBODY = -1
"""In place of a level."""

_WITHOUT = (1, 2, 4, 8, 16, 32)  # hubs that are left out of a sum
_PLACES = 12
_DECILES = 10
_AT_MOST = (-20, -8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 11)
_FRIENDS = (4.0, 8.0, 16.0, 32.0, 64.0)
_ROOTS = (0.25, 0.5, 1.0, 2.0, 4.0)
_PARTS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4)
_LEAST = 4.0  # friends below which no cap lies

_MOMENTS = 8
COLUMNS = _MOMENTS + len(_WITHOUT) + 2 * _PLACES + _DECILES + len(_AT_MOST) + len(_FRIENDS) + len(_ROOTS) + len(_PARTS)


def level_rows(graphs: Levelled, graph: Codes, gone: Codes, told: Codes) -> NDArray[np.float32]:
    """Graphs as rows, with some users gone and one more claim, [rows, COLUMNS].

    Args:
        graphs: numbers of users at each level.
        graph: whose row it is.
        gone: the levels of two users who are left out, [rows, 2]; :data:`NOBODY` in place of either.
        told: the level of one more claim, or :data:`NOBODY`.
    """
    found = np.zeros((len(graph), COLUMNS), np.float32)
    _fill(graphs.n, graphs.present, graphs.levels, graph, gone, told, found)
    return found


@njit(nogil=True, cache=True)
def _fill(
    n: Floats, present: Floats, levels: Floats, graph: Codes, gone: Codes, told: Codes, out: NDArray[np.float32]
) -> None:
    """The rows of a table, one after the other."""
    degree, users = np.zeros(present.shape[1]), np.zeros(present.shape[1])
    for row in range(len(graph)):
        at, count = graph[row], 0
        for level in range(present.shape[1] - 1, -1, -1):
            here = present[at, level] + (1.0 if level == told[row] else 0.0)
            for each in gone[row]:
                here -= 1.0 if level == each else 0.0
            if here > 0:
                degree[count], users[count] = min(levels[level], max(n[at] - 1, 0.0)), here
                count += 1
        _describe(max(n[at], 1.0), degree[:count], users[:count], out[row])


@njit(nogil=True, cache=True)
def _describe(n: float, degree: Floats, users: Floats, out: NDArray[np.float32]) -> None:
    """One row, of the degrees in falling order and how many users have each."""
    reported = max(users.sum(), 1.0)
    total, squares = (degree * users).sum() * n / reported, (degree**2 * users).sum() * n / reported
    out[0], out[1], out[2] = log1p(n), total / n, (total / 2 - n) / sqrt(n)
    out[3], out[4] = squares / n, sqrt(squares) / max(total, 1.0)
    out[5], out[6], out[7] = total, total / 2 - n, sqrt(squares)
    column = _MOMENTS
    largest, level, left = 0.0, 0, users[0] if len(users) else 0.0
    for rank in range(1, _WITHOUT[-1] + 1):
        own = 0.0
        if level < len(users):
            own = degree[level]
            left -= 1
            if left < 1:
                level += 1
                left = users[level] if level < len(users) else 0.0
        largest += own
        if rank <= _PLACES:
            place = _MOMENTS + len(_WITHOUT) + rank - 1
            out[place], out[place + _PLACES] = own, own / n
        if rank in _WITHOUT:
            out[column] = (total - largest) / n
            column += 1
    column += 2 * _PLACES
    level, above = 0, 0.0
    for tenth in range(1, _DECILES + 1):
        rank = min(tenth * reported // _DECILES, reported - 1)
        while level < len(users) - 1 and above + users[level] <= rank:
            above += users[level]
            level += 1
        out[column] = degree[level] if len(users) else 0.0
        column += 1
    for most in _AT_MOST:
        out[column] = (users * (degree <= most)).sum() / reported
        column += 1
    for friends in _FRIENDS:
        out[column] = _capped(degree, users, friends) / reported
        column += 1
    for root in _ROOTS:
        out[column] = _capped(degree, users, max(root * sqrt(n), _LEAST)) / reported
        column += 1
    for part in _PARTS:
        out[column] = _capped(degree, users, max(part * n, _LEAST)) / reported
        column += 1


@njit(nogil=True, cache=True)
def _capped(degree: Floats, users: Floats, cap: float) -> float:
    found = 0.0
    for at in range(len(degree)):
        found += min(max(degree[at], -cap), cap) * users[at]
    return found

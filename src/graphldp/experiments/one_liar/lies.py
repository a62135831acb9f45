"""Every lie that one user can tell, and what her graph looks like with it.

A claim counts through its level alone (:mod:`graphldp.learn.tables.levels`). So a lie is a pair: the level of the liar,
and the level that she claims, or none if she stays away. A graph has a few thousand of them, and each can be tried out.
What is true of all of them is true whatever one user sends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, sqrt
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.tables.levels import Floats, Levelled

Codes = NDArray[np.int64]

NOBODY = AWAY = -1  # in place of a level: nobody lies, or the liar does not report
CLAIMS = np.array([-3.0, 0, 1, 2, 4, 8, 16, 24])  # what liars say most of the time
SHARES = 1 / np.array([64.0, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1.4, 1.2, 1])  # … or as a share of n − 1

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


@dataclass(frozen=True, eq=False)
class SingleLies:
    """Rows of graphs with a lie in each; a graph's rows follow each other, and in the first one nobody lies.

    Args:
        graph: whose row it is.
        source: the level of the liar; :data:`NOBODY` where there is none.
        target: the level that she claims; :data:`AWAY` if she does not report.
    """

    graph: Codes
    source: Codes
    target: Codes

    @classmethod
    def some(cls, graphs: Levelled) -> Self:
        """What liars would say most of the time: the busiest user, the next, or one of the many claims this or that."""
        top, usual = graphs.ranked(np.array([1, 2])), graphs.present.argmax(axis=1)[:, None]
        most = np.maximum(graphs.n - 1, 0.0)[:, None]
        claims = np.minimum(np.hstack((np.broadcast_to(CLAIMS, (len(most), len(CLAIMS))), SHARES * most)), most)
        away = np.full_like(usual, AWAY)
        targets = np.hstack((np.searchsorted(graphs.levels, claims, side="right") - 1, top, away))
        sources = np.hstack((top, usual))
        source = np.repeat(sources, targets.shape[1], axis=1)
        target = np.tile(targets, (1, sources.shape[1]))
        absent = np.take_along_axis(graphs.present, source, axis=1) < 1  # a graph of one user has no second one
        source, target = np.where(absent, NOBODY, source), np.where(absent, AWAY, target)
        graph = np.repeat(np.arange(len(most)), 1 + source.shape[1])
        return cls(graph, np.hstack((away, source)).ravel(), np.hstack((away, target)).ravel())

    @classmethod
    def all(cls, graphs: Levelled) -> Self:
        """What anybody could say, one private user at a time."""
        parts = [np.zeros((3, 0), np.int64)]
        for row, (private, admissible) in enumerate(zip(graphs.private, graphs.admissible, strict=True)):
            sources, targets = np.flatnonzero(private), np.append(np.flatnonzero(admissible), AWAY)
            lies = np.stack((np.repeat(sources, len(targets)), np.tile(targets, len(sources))))
            rows = np.hstack((np.array([[NOBODY], [AWAY]]), lies))
            parts.append(np.vstack((np.full(rows.shape[1], row), rows)))
        return cls(*np.hstack(parts))

    @property
    def first(self) -> Codes:
        """The rows in which nobody lies, one of each graph."""
        return np.flatnonzero(np.diff(self.graph, prepend=-1))

    def table(self, graphs: Levelled) -> NDArray[np.float32]:
        """Each row as numbers, [rows, COLUMNS].

        Log(1 + n); moments of the degrees; what is left of their mean without the largest; the largest, and as shares
        of n; deciles; shares of users up to a degree; and means of degrees that are cut off at a cap.
        """
        found = np.zeros((len(self.graph), COLUMNS), np.float32)
        _fill(graphs.n, graphs.present, graphs.levels, self.graph, self.source, self.target, found)
        return found


@njit(nogil=True, cache=True)
def _fill(
    n: Floats, present: Floats, levels: Floats, graph: Codes, source: Codes, target: Codes, out: NDArray[np.float32]
) -> None:
    """The rows of a table, one after the other."""
    degree, users = np.zeros(present.shape[1]), np.zeros(present.shape[1])
    for row in range(len(graph)):
        at, count = graph[row], 0
        for level in range(present.shape[1] - 1, -1, -1):
            here = present[at, level]
            if source[row] >= 0:
                here += (1.0 if level == target[row] else 0.0) - (1.0 if level == source[row] else 0.0)
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

"""Levels of claimed degrees: a graph is its number of users at each level.

Each d* is rounded down to a level: whole numbers up to 12, then steps of 10 %. A claim above n − 1 counts as n − 1.
Whatever a liar sends, she moves from one level to another, so every lie can be tried out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log1p, sqrt
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

LARGEST = 1 << 27
"""More users than any community has."""
NOBODY = -1
"""A user who has not reported, in place of a level."""

NEARNESS = np.r_[0:4, 14:22, 26:34]
"""The columns by which graphs are compared: log n, three moments, the eight largest d* and their shares of n."""

_FEWEST = 12  # friends: up to here each whole number is a level, in graphs of any size
_STEP = 1.1  # the ratio of two levels above
_CHUNK = 512  # graphs of which the pairs of levels fit into memory
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


def _levels() -> Floats:
    steps = np.arange(np.log(LARGEST / _FEWEST) / np.log(_STEP))
    below = -np.unique(np.ceil(4 * 1.5 ** np.arange(12.0)))[::-1]
    return np.concatenate((below, np.arange(-3.0, _FEWEST), np.unique(np.ceil(_FEWEST * _STEP**steps))))


LEVELS = _levels()
"""The smallest d* of each level, rising; the first level has no smallest. A graph uses those up to its n − 1."""

FEWEST_LEVELS = int(np.searchsorted(LEVELS, _FEWEST, side="right"))
"""Levels that are there in graphs of any size."""


@dataclass(frozen=True, eq=False)
class Levelled:
    """Graphs as numbers of users at each level.

    Args:
        n: how many users each graph has, whether they have reported or not.
        present: of these, how many have reported at each level, [graphs, levels].
        private: of those, how many could have lied: a public user's list is open to everybody.
    """

    n: Floats
    present: Floats
    private: Floats

    @classmethod
    def of(cls, X: NeighbourLists) -> Self:
        """The levels of reports, or of raw graphs, whose users all count as private."""
        degree, n = released_degrees(X), X.sizes.astype(np.float64)
        here, private = np.ones((2, X.num_users), np.bool_)
        if isinstance(X, Reports):
            private = ~X.public
            here = here if X.missing is None else ~X.missing
        used = int(np.searchsorted(LEVELS, max(n.max(initial=0.0) - 1, _FEWEST), side="right"))
        capped = np.minimum(degree, np.maximum(n - 1, 0)[X.graph_of_user])
        level = np.maximum(np.searchsorted(LEVELS[:used], capped, side="right") - 1, 0)
        cell = X.graph_of_user * used + level
        counts = (np.bincount(cell[who], minlength=len(n) * used) for who in (here, here & private))
        present, lying = (each.reshape(len(n), used).astype(np.float64) for each in counts)
        return cls(n, present, lying)

    def subset(self, graphs: Codes | Flags | slice) -> Self:
        """Some of the graphs."""
        return replace(self, n=self.n[graphs], present=self.present[graphs], private=self.private[graphs])

    def chunks(self) -> Iterator[Self]:
        """Parts of the graphs, one after the other."""
        for at in range(0, len(self.n), _CHUNK):
            yield self.subset(slice(at, at + _CHUNK))

    def ranked(self, ranks: Codes) -> Codes:
        """The levels of the users of these ranks from the top, [graphs, ranks]; the lowest beyond the last user."""
        above = np.cumsum(self.present[:, ::-1], axis=1)
        place = (above[:, :, None] < ranks).sum(axis=1)
        return np.asarray(np.maximum(self.present.shape[1] - 1 - place, 0))


def level_rows(graphs: Levelled, graph: Codes, without: Codes) -> NDArray[np.float32]:
    """Rows of numbers that describe graphs without some of their users, [rows, COLUMNS].

    Log(1 + n); moments of the degrees; what is left of their mean without the largest; the largest, and as shares of n;
    deciles; shares of users up to a degree; and means of degrees that are cut off at a cap. ``graph`` is the graph of
    each row, ``without`` [rows, 2] the levels of two users who are left out; :data:`NOBODY` in place of either.
    """
    rows = np.zeros((len(graph), COLUMNS), np.float32)
    _fill(graphs.n, graphs.present, LEVELS, graph, without, rows)
    return rows


@njit(nogil=True, cache=True)
def _fill(n: Floats, present: Floats, levels: Floats, graph: Codes, without: Codes, out: NDArray[np.float32]) -> None:
    """Fill a table row by row."""
    degree, users = np.zeros(present.shape[1]), np.zeros(present.shape[1])
    for row in range(len(graph)):
        at, count = graph[row], 0
        for level in range(present.shape[1] - 1, -1, -1):
            here = present[at, level]
            for left_out in without[row]:
                here -= 1.0 if level == left_out else 0.0
            if here > 0:
                degree[count], users[count] = min(levels[level], max(n[at] - 1, 0.0)), here
                count += 1
        _describe(max(n[at], 1.0), degree[:count], users[:count], out[row])


@njit(nogil=True, cache=True)
def _describe(n: float, degree: Floats, users: Floats, out: NDArray[np.float32]) -> None:
    """Fill one row, from the degrees in falling order and how many users have each."""
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
    total = 0.0
    for at in range(len(degree)):
        total += min(max(degree[at], -cap), cap) * users[at]
    return total

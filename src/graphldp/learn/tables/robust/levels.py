"""The degrees that users claim, rounded to levels, and sums over them: a table on which every lie can be tried out.

Each d* is rounded down to a level: whole numbers up to 12, then steps of 10 %, or other steps where they are given. A
claim above n − 1 counts as n − 1. A graph is then its number of users at each level, and a liar can do no more than
move from one level to another. Of the levels only sums over users are read,

    u = (n/m) Σ_i Φ(level of i; n)      m of the n users have reported.

Φ is bounded: no user counts for more than 4√n or n/32 friends. A user who stays away counts as the mean of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LARGEST = 1 << 27
"""More users than any community has."""

_AT_MOST = (-20, -8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 11)
_FRIENDS = (4, 8, 16, 32, 64)
_ROOTS = (0.25, 0.5, 1.0, 2.0, 4.0)
_PARTS = (1 / 64, 1 / 32)
_LEAST = 4.0  # friends below which no cap lies
_FEWEST = 12  # friends: levels up to here are there in graphs of any size

COLUMNS = len(_AT_MOST) + len(_FRIENDS) + len(_ROOTS) + len(_PARTS)
CHUNK = 512  # graphs whose Φ is held at a time


def levels_of(whole: int, step: float) -> Floats:
    """The smallest d* of each level, rising; the first level has no smallest.

    Args:
        whole: up to here each whole number is a level.
        step: the ratio of two levels above.
    """
    steps = np.arange(np.log(LARGEST / whole) / np.log(step))
    below = -np.unique(np.ceil(4 * 1.5 ** np.arange(12.0)))[::-1]
    return np.concatenate((below, np.arange(-3.0, whole), np.unique(np.ceil(whole * step**steps))))


LEVELS = levels_of(12, 1.1)
FEWEST_LEVELS = int(np.searchsorted(LEVELS, _FEWEST, side="right"))
"""Levels that are there in graphs of any size."""


@dataclass(frozen=True, eq=False)
class Levelled:
    """Graphs as numbers of users at each level.

    Args:
        n: how many users each graph has, whether they have reported or not.
        present: of these, how many have reported at each level, [graphs, levels].
        private: of those, how many could have lied: a public user's list is open to everybody.
        levels: of :func:`levels_of`; those above the largest n − 1 are not used.
    """

    n: Floats
    present: Floats
    private: Floats
    levels: Floats = field(default_factory=lambda: LEVELS)

    @classmethod
    def of(cls, X: NeighbourLists, levels: Floats = LEVELS) -> Self:
        """Read the levels off reports, or off raw graphs, whose users all count as private."""
        degree, n = released_degrees(X), X.sizes.astype(np.float64)
        here, private = np.ones((2, X.num_users), np.bool_)
        if isinstance(X, Reports):
            private = ~X.public
            here = here if X.missing is None else ~X.missing
        used = int(np.searchsorted(levels, max(n.max(initial=0.0) - 1, _FEWEST), side="right"))
        capped = np.minimum(degree, np.maximum(n - 1, 0)[X.graph_of_user])
        level = np.maximum(np.searchsorted(levels[:used], capped, side="right") - 1, 0)
        cell = X.graph_of_user * used + level
        counts = (np.bincount(cell[who], minlength=len(n) * used) for who in (here, here & private))
        present, lying = (each.reshape(len(n), used).astype(np.float64) for each in counts)
        return cls(n, present, lying, levels)

    def subset(self, graphs: NDArray[np.int64] | Flags | slice) -> Self:
        """Some of the graphs."""
        return replace(self, n=self.n[graphs], present=self.present[graphs], private=self.private[graphs])

    def chunks(self) -> Iterator[Self]:
        """All of them, so many at a time that Φ fits into memory."""
        for at in range(0, len(self.n), CHUNK):
            yield self.subset(slice(at, at + CHUNK))

    @property
    def reported(self) -> Floats:
        """m of each graph; 1 where nobody has reported."""
        return np.asarray(np.maximum(self.present.sum(axis=1), 1.0))

    @property
    def weight(self) -> Floats:
        """n/m of each graph."""
        return np.asarray(self.n / self.reported)

    @property
    def admissible(self) -> Flags:
        """Whether a user of the graph can be at the level, [graphs, levels]."""
        return np.asarray(self.levels[: self.present.shape[1]] <= np.maximum(self.n - 1, 0.0)[:, None])

    def ranked(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The levels of the users of these ranks from the top, [graphs, ranks]; the lowest beyond the last user."""
        above = np.cumsum(self.present[:, ::-1], axis=1)
        place = (above[:, :, None] < ranks).sum(axis=1)
        return np.asarray(np.maximum(self.present.shape[1] - 1 - place, 0))

    def sums(self) -> Floats:
        """u of each graph, [graphs, COLUMNS]."""
        found = [np.zeros((0, COLUMNS))]
        for part in self.chunks():
            found.append(np.einsum("gb,gbc->gc", part.present * part.weight[:, None], part.parts()))
        return np.concatenate(found)

    def parts(self) -> Floats:
        """Φ, [graphs, levels, COLUMNS]: what one user of each level adds to her graph's sums."""
        n = np.maximum(self.n, 1.0)[:, None]
        d = np.minimum(self.levels[: self.present.shape[1]], np.maximum(n - 1, 0.0))
        caps = [
            *(np.full_like(n, at) for at in _FRIENDS),
            *(np.maximum(at * np.sqrt(n), _LEAST) for at in _ROOTS),
            *(np.maximum(at * n, _LEAST) for at in _PARTS),
        ]
        columns = [(d <= at) / n for at in _AT_MOST]
        return np.stack(columns + [np.maximum(np.minimum(d, cap), -cap) / n for cap in caps], axis=2)

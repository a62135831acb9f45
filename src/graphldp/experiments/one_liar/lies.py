"""Every lie that one user can tell, and what her graph looks like with it.

A claim counts through its level alone (:mod:`graphldp.learn.tables.robust.levels`). So a lie is a pair: the level of
the liar, and the level that she claims, or none if she stays away. A graph has a few thousand of them, and each can be
tried out. What is true of all of them is true whatever one user sends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.tables.robust.level_profile import level_rows
from graphldp.learn.tables.robust.levels import Levelled

Codes = NDArray[np.int64]

NOBODY = AWAY = -1  # in place of a level: nobody lies, or the liar does not report
CLAIMS = np.array([-3.0, 0, 1, 2, 4, 8, 16, 24])  # what liars say most of the time
SHARES = 1 / np.array([64.0, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1.4, 1.2, 1])  # … or as a share of n − 1


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
        """Each row as numbers, [rows, columns].

        See :mod:`graphldp.learn.tables.robust.level_profile`.
        """
        nobody = np.full_like(self.source, NOBODY)
        return level_rows(graphs, self.graph, np.stack((self.source, nobody), axis=1), self.target)

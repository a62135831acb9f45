"""Classes that do not hang on any two users of a graph: one liar cannot change them.

Learners read a graph's numbers of users at each level (:mod:`graphldp.learn.tables.levels`). They learn from training
graphs as they are, and without their busiest user or their busiest two. So the chance p_c that they give to a class c
means something where somebody is missing.

**The rule.** A class c is *settled* for a graph x if there is a user u with

    p_c(x without u and v) > s    for every other user v,    s ≥ 1/2.

**The theorem.** If p_c(x without u and v) > s for any two users u and v, then c is settled, and no other class is,
whatever one user sends or does not send. The proof is in ``docs/concepts/liars.md``. A user who has not reported
counts as one more user, and a public user is never left out, as she cannot lie. Nothing here bounds the learners.
Users of one level are alike, so a graph has a few hundred pairs.

**The price.** An honest graph whose label hangs on its hub can be settled wrongly. :func:`lowest_certainty` chooses the
lowest s that costs no more than allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from graphldp.learn.calibration import Calibration
from graphldp.learn.tables.levels import NEARNESS, NOBODY, Codes, Flags, Floats, Levelled, level_rows
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.tabular import Model

UNSETTLED = -1
"""In place of a class."""

_FEWEST = 40  # graphs below which nothing is learned, and nothing is settled
_LEAF = 40  # rows: each training graph makes three, which are nearly alike
_ROWS = 1 << 16  # graphs with users left out that are looked at, at a time


@dataclass(frozen=True, eq=False)
class SettledClasses:
    """Learners that know graphs with one or two users left out.

    Args:
        judge: the learners; None where there were too few graphs.
        classes: how many classes there are.
        sure: s; 1 settles nothing.
    """

    judge: Model | None
    classes: int
    sure: float = 1.0

    @classmethod
    def fit(cls, graphs: Levelled, codes: Codes, classes: int, seed: int) -> Self:
        """Learn from training graphs of these classes. Nothing is settled before s is chosen."""
        if len(codes) < _FEWEST:
            return cls(None, classes)
        first, second = graphs.ranked(np.array([1, 2])).T
        nobody, graph = np.full_like(first, NOBODY), np.arange(len(codes))
        pairs = [(nobody, nobody), (first, nobody), (first, second)]
        without = np.concatenate([np.stack(pair, axis=1) for pair in pairs])
        rows = level_rows(graphs, np.tile(graph, 3), without)
        return cls(Pair(seed, NEARNESS, _LEAF).fit(rows.astype(np.float64), np.tile(codes, 3)), classes)

    def limited(self, sure: float) -> Self:
        """The same learners with another s."""
        return replace(self, sure=sure)

    def settled(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph; :data:`UNSETTLED` where none is."""
        return above(self.certainty(graphs)[0], self.sure)

    def unmoved(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph whatever one user sends; :data:`UNSETTLED` where none is."""
        return above(self.certainty(graphs)[1], self.sure)

    def certainty(self, graphs: Levelled) -> tuple[Floats, Floats]:
        """The largest s for which each class is settled, and for which no liar can change that, [graphs, classes].

        Both are 0 where nothing was learned, and where a graph has no two users who could lie.
        """
        settled, unmoved = np.zeros((2, len(graphs.n), self.classes))
        if self.judge is None:
            return settled, unmoved
        first = 0
        for part in graphs.chunks():
            graph, level, pairs = _pairs(part)
            least = np.ones((len(graph), self.classes))  # of each user's chances beside all others
            chances = self._chances(part, graph, level, pairs)
            for end in pairs.T:
                np.minimum.at(least, end, chances)
            there = np.unique(pairs)  # who can be left out beside somebody else
            unmoved[first + graph[there]] = 1.0
            np.maximum.at(settled, first + graph[there], least[there])
            np.minimum.at(unmoved, first + graph[there], least[there])
            first += len(part.n)
        return settled, unmoved

    def _chances(self, graphs: Levelled, graph: Codes, level: Codes, pairs: Codes) -> Floats:
        """The chance of each class where two users are left out, [pairs, classes]."""
        assert self.judge is not None  # noqa: S101
        chances = [np.zeros((0, self.classes))]
        for at in range(0, len(pairs), _ROWS):
            some = pairs[at : at + _ROWS]
            rows = level_rows(graphs, graph[some[:, 0]], level[some])
            chances.append(self.judge.predict_proba(rows.astype(np.float64)))
        return np.concatenate(chances)


def above(certainty: Floats, sure: float) -> Codes:
    """The class of each graph whose certainty is above s; :data:`UNSETTLED` where none is."""
    return np.where(certainty.max(axis=1) > sure, certainty.argmax(axis=1), UNSETTLED)


def lowest_certainty(certainty: Floats, chances: Floats, codes: Codes, allowance: float) -> float:
    """The lowest s that costs no more labels than allowed, at least one half; 1 where nothing is known.

    A class c in place of the class d that another classifier gives costs q_d − q_c ≥ 0 labels on average, with q the
    calibrated chances of that classifier. Counting the labels that are right before and after would need many more
    graphs: with some thousand, an s looks cheap by luck.

    Args:
        certainty: of held-out graphs, [graphs, classes].
        chances: what the other classifier says of them.
        codes: their true classes, which the calibration alone reads.
        allowance: the share of labels that may be lost.
    """
    if not certainty.any():
        return 1.0
    worth, row = Calibration.fit(chances, codes).apply(chances), np.arange(len(codes))
    cost = worth.max(axis=1) - worth[row, certainty.argmax(axis=1)]
    sure = certainty.max(axis=1)
    order = np.argsort(-sure, kind="stable")
    dear: Flags = np.cumsum(cost[order]) > allowance * len(codes)
    return max(float(sure[order][dear.argmax()]) if dear.any() else 0.0, 0.5)


def _pairs(graphs: Levelled) -> tuple[Codes, Codes, Codes]:
    """The users who can be left out: the graph and the level of each kind, and the places of any two, [pairs, 2].

    Users of one graph and one level are of one kind; those who have not reported are one more.
    """
    away = graphs.n - graphs.present.sum(axis=1)
    counts = np.hstack((away[:, None], graphs.private))
    graph, column = np.nonzero(counts > 0)
    place = np.arange(len(graph))
    partners = np.searchsorted(graph, graph, side="right") - place  # those of the same graph from here on
    first = np.repeat(place, partners)
    second = first + np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    two = (first != second) | (counts[graph, column] > 1)[first]
    return graph, column - 1, np.stack((first, second), axis=1)[two]

"""A label that does not hang on any two users: one liar cannot change it.

A pair of learners reads the levels of a graph (:mod:`graphldp.learn.tables.robust.level_profile`). It learns from
training graphs as they are, and without their busiest user or their busiest two. So it knows graphs from which somebody
is missing, and the chance p_c of a class c means something there.

**The rule.** A class c is *settled* for a graph x if there is a user u with

    p_c(x without u and v) > s    for every other user v,    s ≥ 1/2.

**The theorem.** If p_c(x without u and v) > s for any two users u and v, then c is settled, and no other class is,
whatever one user sends.

*Proof.* User w lies, and x becomes x'. Without w both are the same graph. So u = w settles c. Were another class b
settled by a user u, then p_b(x' without u and w) > 1/2 if u ≠ w, and p_b(x' without w and v) > 1/2 for all v if u = w.
Both are graphs without w, where p_c > 1/2, and two chances cannot both be above one half. ∎

A user who has not reported counts as one more user: leaving her out changes nothing. So the theorem holds for a user
who stays away, too. A public user is never left out, as she cannot lie. Nothing here bounds what the learners say: they
may be as sharp as they like. Users of one level are alike, so a graph has a few hundred pairs.

**The price.** An honest graph whose label hangs on its hub can be settled the wrong way. The higher s is, the fewer
are. :mod:`graphldp.learn.tables.robust.limits` chooses it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.robust.level_profile import NEARNESS, NOBODY, Codes, level_rows
from graphldp.learn.tables.robust.levels import Flags, Floats, Levelled
from graphldp.learn.tables.tabular import Model

UNSETTLED = -1
"""In place of a class."""

_FEWEST = 40  # graphs below which nothing is learned, and nothing is settled
_LEAF = 40  # rows: each training graph makes three, which are nearly alike
_ROWS = 1 << 16  # graphs with users left out that are looked at, at a time


@dataclass(frozen=True, eq=False)
class Absences:
    """Learners that know graphs with one or two users left out.

    Args:
        judge: the learners; None where there were too few graphs.
        sure: s; 1 settles nothing.
    """

    judge: Model | None
    sure: float = 1.0

    @classmethod
    def fit(cls, graphs: Levelled, codes: Codes, seed: int) -> Self:
        """Learn from training graphs of these classes. Nothing is settled before s is chosen."""
        if len(codes) < _FEWEST:
            return cls(None)
        first, second = graphs.ranked(np.array([1, 2])).T
        nobody, graph = np.full_like(first, NOBODY), np.arange(len(codes))
        gone = np.concatenate([np.stack(pair, axis=1) for pair in ((nobody, nobody), (first, nobody), (first, second))])
        rows = level_rows(graphs, np.tile(graph, 3), gone, np.full(len(gone), NOBODY))
        return cls(Pair(seed, NEARNESS, _LEAF).fit(rows.astype(np.float64), np.tile(codes, 3)))

    def limited(self, sure: float) -> Self:
        """The same learners with another s."""
        return replace(self, sure=sure)

    def settled(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph; :data:`UNSETTLED` where none is."""
        found = [np.zeros(0, np.int64)]
        return np.concatenate(found + [self._settled(part) for part in graphs.chunks()])

    def unmoved(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph whatever one user sends; :data:`UNSETTLED` where none is."""
        found = [np.zeros(0, np.int64)]
        return np.concatenate(found + [self._unmoved(part) for part in graphs.chunks()])

    def certainty(self, graphs: Levelled, classes: int) -> Floats:
        """The largest s below which each class would be settled, [graphs, classes]; 0 where nothing is known."""
        found, users = np.zeros((len(graphs.n), classes)), _Users.of(graphs)
        pairs = users.pairs()
        if self.judge is None or not len(pairs):
            return found
        chances, by_user = self._chances(graphs, users, pairs), np.ones((len(users.graph), classes))
        for end in pairs.T:
            np.minimum.at(by_user, end, chances)
        several = np.unique(pairs)  # who is left out beside somebody else
        np.maximum.at(found, users.graph[several], by_user[several])
        return found

    def _settled(self, graphs: Levelled) -> Codes:
        """The busiest user settles most graphs, or shows that nobody does; only the others need all pairs."""
        users = _Users.of(graphs)
        pairs = users.with_busiest()
        said, graph = self._said(graphs, users, pairs), users.graph[pairs[:, 0]]
        found = _agreed(said, graph, len(graphs.n))
        sure = np.zeros(len(found), np.bool_)
        sure[graph[said != UNSETTLED]] = True
        rest = np.flatnonzero(sure & (found == UNSETTLED))
        others = graphs.subset(rest)
        users = _Users.of(others)
        pairs = users.pairs()
        by_user = _agreed(np.tile(self._said(others, users, pairs), 2), pairs.T.ravel(), len(users.graph))
        np.maximum.at(found, rest[users.graph], by_user)
        return found

    def _unmoved(self, graphs: Levelled) -> Codes:
        """All pairs need looking at only where the busiest user settles the graph."""
        users = _Users.of(graphs)
        pairs = users.with_busiest()
        found = _agreed(self._said(graphs, users, pairs), users.graph[pairs[:, 0]], len(graphs.n))
        rest = np.flatnonzero(found != UNSETTLED)
        others = graphs.subset(rest)
        users = _Users.of(others)
        pairs = users.pairs()
        found[rest] = _agreed(self._said(others, users, pairs), users.graph[pairs[:, 0]], len(rest))
        return found

    def _said(self, graphs: Levelled, users: _Users, pairs: Codes) -> Codes:
        """The class that is sure where two users are left out, pair by pair; :data:`UNSETTLED` where none is."""
        if self.judge is None or self.sure >= 1 or not len(pairs):
            return np.full(len(pairs), UNSETTLED, np.int64)
        chances = self._chances(graphs, users, pairs)
        return np.where(chances.max(axis=1) > self.sure, chances.argmax(axis=1), UNSETTLED)

    def _chances(self, graphs: Levelled, users: _Users, pairs: Codes) -> Floats:
        """The chance of each class where two users are left out, [pairs, classes]."""
        assert self.judge is not None  # noqa: S101
        found = []
        for at in range(0, len(pairs), _ROWS):
            some = pairs[at : at + _ROWS]
            nobody = np.full(len(some), NOBODY)
            rows = level_rows(graphs, users.graph[some[:, 0]], users.level[some], nobody)
            found.append(self.judge.predict_proba(rows.astype(np.float64)))
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Users:
    """Who can be left out: users of one graph and one level are alike.

    Args:
        graph: of each kind of users; kinds of one graph follow each other, the busiest last.
        level: theirs; :data:`NOBODY` for those who have not reported.
        several: whether there are at least two of them.
        last: the place of the last kind of the same graph.
    """

    graph: Codes
    level: Codes
    several: Flags
    last: Codes

    @classmethod
    def of(cls, graphs: Levelled) -> Self:
        away = graphs.n - graphs.present.sum(axis=1)
        counts = np.hstack((away[:, None], graphs.private))
        graph, column = np.nonzero(counts > 0)
        last = np.searchsorted(graph, graph, side="right") - 1
        return cls(graph, column - 1, counts[graph, column] > 1, last)

    def with_busiest(self) -> Codes:
        """The places of two users, [pairs, 2]: one of the busiest, and another one."""
        return self._of_two(np.stack((np.arange(len(self.graph)), self.last), axis=1))

    def pairs(self) -> Codes:
        """The places of any two users of a graph, [pairs, 2]."""
        place = np.arange(len(self.graph))
        partners = self.last - place + 1
        first = np.repeat(place, partners)
        begin = np.repeat(np.cumsum(partners) - partners, partners)
        return self._of_two(np.stack((first, first + np.arange(len(first)) - begin), axis=1))

    def _of_two(self, pairs: Codes) -> Codes:
        """Without the pairs of a user and herself."""
        return np.asarray(pairs[(pairs[:, 0] != pairs[:, 1]) | self.several[pairs[:, 0]]])


def _agreed(said: Codes, place: Codes, places: int) -> Codes:
    """The class that is said at each place; :data:`UNSETTLED` where it is not one alone, or where nothing is said."""
    least, most = np.full(places, np.iinfo(np.int64).max), np.full(places, UNSETTLED)
    np.minimum.at(least, place, said)
    np.maximum.at(most, place, said)
    return np.where(least == most, most, UNSETTLED)

"""A label that does not hang on any two users: one liar cannot change it.

A pair of learners reads the levels of a graph (:mod:`graphldp.learn.tables.robust.level_profile`). It learns from
training graphs as they are, and without their busiest user or their busiest two. So it knows graphs from which somebody
is missing, and the chance p_c of a class c means something there.

**The rule.** A class c is *settled* for a graph x if there is a user u with

    p_c(x without u and v) > s(n)    for every other user v,    s(n) ≥ 1/2.

**The theorem.** If p_c(x without u and v) > s(n) for any two users u and v, then c is settled, and no other class is,
whatever one user sends.

*Proof.* User w lies, and x becomes x'. Without w both are the same graph. So u = w settles c. Were another class b
settled by a user u, then p_b(x' without u and w) > 1/2 if u ≠ w, and p_b(x' without w and v) > 1/2 for all v if u = w.
Both are graphs without w, where p_c > 1/2, and two chances cannot both be above one half. ∎

A user who has not reported counts as one more user: leaving her out changes nothing. So the theorem holds for a user
who stays away, too. A public user is never left out, as she cannot lie. Nothing here bounds what the learners say: they
may be as sharp as they like. Users of one level are alike, so a graph has a few hundred pairs.

**The price.** An honest graph whose label hangs on its hub can be settled the wrong way. How often depends on n, which
nobody can lie about, so s does as well: :meth:`SizeLimits.choose` takes a limit for each of five groups of sizes. It
promises the most labels among all choices that cost no more than allowed on held-out graphs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

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
_GROUPS = 5  # of sizes
_LIMITS = np.array([0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0])
_PRICES = np.geomspace(1.0, 1e4, 80)  # promises that one label is worth, from the cheapest choice to the dearest


class Pairwise(NamedTuple):
    """What is said of graphs from which any two users are left out.

    Args:
        settled: the chance above which no limit settles a class, [graphs, classes].
        unmoved: the chance of each class that is left whichever two are left out.
    """

    settled: Floats
    unmoved: Floats


@dataclass(frozen=True, eq=False)
class SizeLimits:
    """s(n): one number for each group of sizes.

    Args:
        sizes: the largest n of each group but the last, rising.
        sure: s of each group; 1 settles nothing.
    """

    sizes: Floats = field(default_factory=lambda: np.zeros(0))
    sure: Floats = field(default_factory=lambda: np.ones(1))

    def of(self, n: Floats) -> Floats:
        """The limit of graphs of these sizes."""
        return np.asarray(self.sure[np.searchsorted(self.sizes, n)])

    @classmethod
    def choose(cls, n: Floats, found: Pairwise, said: Codes, codes: Codes, allowance: float) -> Self:
        """The limits that promise most on held-out graphs.

        Args:
            n: their sizes.
            found: what is said of them.
            said: the class that each would have if it were not settled.
            codes: their true classes.
            allowance: the share of labels that may be lost.

        Returns:
            Limits that settle nothing where too few graphs were left to learn what is said: no cost is known then.
        """
        if not found.settled.any():
            return cls()
        sizes = np.quantile(n, np.arange(1, _GROUPS) / _GROUPS)
        group, right = np.searchsorted(sizes, n), said == codes
        gain, kept = np.zeros((2, _GROUPS, len(_LIMITS)))
        for at, limit in enumerate(_LIMITS):
            settled, unmoved = ((each.max(axis=1) > limit) for each in found)
            now = np.where(settled, found.settled.argmax(axis=1) == codes, right)
            gain[:, at] = np.bincount(group, now * 1.0 - right, _GROUPS)
            kept[:, at] = np.bincount(group, unmoved * 1.0, _GROUPS)
        each = np.arange(_GROUPS)
        for price in _PRICES:
            chosen = (kept + price * gain).argmax(axis=1)
            if -gain[each, chosen].sum() <= allowance * len(n):
                return cls(sizes, _LIMITS[chosen])
        return cls()


@dataclass(frozen=True, eq=False)
class Absences:
    """Learners that know graphs with one or two users left out.

    Args:
        judge: the learners; None where there were too few graphs.
        limits: how sure they have to be.
    """

    judge: Model | None
    limits: SizeLimits = field(default_factory=SizeLimits)

    @classmethod
    def fit(cls, graphs: Levelled, codes: Codes, seed: int) -> Self:
        """Learn from training graphs of these classes. Nothing is settled before there are limits."""
        if len(codes) < _FEWEST:
            return cls(None)
        first, second = graphs.ranked(np.array([1, 2])).T
        nobody, graph = np.full_like(first, NOBODY), np.arange(len(codes))
        gone = np.concatenate([np.stack(pair, axis=1) for pair in ((nobody, nobody), (first, nobody), (first, second))])
        rows = level_rows(graphs, np.tile(graph, 3), gone, np.full(len(gone), NOBODY))
        return cls(Pair(seed, NEARNESS, _LEAF).fit(rows.astype(np.float64), np.tile(codes, 3)))

    def limited(self, limits: SizeLimits) -> Self:
        """The same learners with these limits."""
        return replace(self, limits=limits)

    def settled(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph; :data:`UNSETTLED` where none is."""
        found = [np.zeros(0, np.int64)]
        return np.concatenate(found + [self._settled(part) for part in graphs.chunks()])

    def unmoved(self, graphs: Levelled) -> Codes:
        """The class that is settled for each graph whatever one user sends; :data:`UNSETTLED` where none is."""
        found = [np.zeros(0, np.int64)]
        return np.concatenate(found + [self._unmoved(part) for part in graphs.chunks()])

    def pairwise(self, graphs: Levelled, classes: int) -> Pairwise:
        """What is said of each graph without any two of its users."""
        found = Pairwise(*np.zeros((2, len(graphs.n), classes)))
        users = _Users.of(graphs)
        pairs = users.pairs()
        if self.judge is None or not len(pairs):
            return found
        chances = self._chances(graphs, users, pairs)
        by_user, left = np.ones((len(users.graph), classes)), np.ones((len(graphs.n), classes))
        for end in pairs.T:
            np.minimum.at(by_user, end, chances)
        np.minimum.at(left, users.graph[pairs[:, 0]], chances)
        alone = np.ones(len(users.graph), np.bool_)
        alone[pairs] = False
        np.maximum.at(found.settled, users.graph[~alone], by_user[~alone])
        some = np.unique(users.graph[~alone])
        found.unmoved[some] = left[some]
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
        found, limit = np.full(len(pairs), UNSETTLED, np.int64), self.limits.of(graphs.n)[users.graph[pairs[:, 0]]]
        possible = np.flatnonzero(limit < 1)
        if self.judge is not None and len(possible):
            chances = self._chances(graphs, users, pairs[possible])
            sure = chances.max(axis=1) > limit[possible]
            found[possible[sure]] = chances[sure].argmax(axis=1)
        return found

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

"""The strongest liars: they know the classifier, the defense and both classes, and search for what to claim.

They see a score, graph by graph, that they want to be small: the probability that the classifier gives to the true
label, after the defense. The search needs no gradient, so anything with a score can be attacked:

1. all liars of a graph claim the same, on a ladder from far below zero to as much as the wire carries;
2. where there are several, only the first of them claims it, or every second one, and the others send what is honest;
3. the best claim is moved by small steps;
4. a forged hub says that she knows busy users, or quiet ones.

*Careful* liars also know that claims have to fit together (:mod:`graphldp.mechanisms.degrees.support`), and make none
that do not where they have a choice.

A graph keeps the best claim found for it, so each step asks for the score of all graphs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter
from graphldp.mechanisms.degrees.support import MISFITS, unsupported
from graphldp.mechanisms.drawing.streams import Key
from graphldp.reports import Reports
from graphldp.threats.attacks.claims import Floats, Friends, forged
from graphldp.threats.attacks.degrees import DegreeAttack, degrees_of
from graphldp.wire.report import DEGREE_RANGE

Score = Callable[[Reports], Floats]
"""What attackers want to be small, one number for each graph."""

_COUNTS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0)
_SHARES = (-1.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.5)
_STEPS = (0.75, 0.9, 1.1, 1.3)


@dataclass(frozen=True)
class Optimised(DegreeAttack):
    """Liars who search for the claim that hurts most.

    Args:
        score: what they want to be small, one number for each graph, from 0 to 1.
        careful: whether their claims fit together.

    Example::

        def score(reports):  # the probability of the true label
            chances = classifier.predict_proba(reports)
            return chances[np.arange(len(chances)), np.searchsorted(classifier.classes_, reports.labels)]

        Optimised(liars=1, score=score).apply(reports, rng=7, graphs=test)
    """

    score: Score | None = field(default=None, kw_only=True, repr=False)
    careful: bool = field(default=False, kw_only=True)

    def rewritten(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Reports:
        """The reports with the claims that were found."""
        if self.score is None:
            raise bad_parameter("score", "Optimised", "given: liars who search need a classifier to aim at", None)
        graphs = np.unique(reports.graph_of_user[crew >= 0])
        among = np.isin(reports.graph_of_user, graphs)
        search = _Search(self, reports.subset(graphs), crew[among], key)
        search.run()
        claims, kinds = np.zeros(reports.num_users), np.zeros(reports.num_users, np.int64)
        claims[among], kinds[among] = search.claims, search.kinds[search.reports.graph_of_user]
        for kind, friends in enumerate(get_args(Friends)):
            chosen = (crew >= 0) & (kinds == kind)
            reports = forged(reports, chosen, claims, self.lie, friends, key) if chosen.any() else reports
        return reports

    def claims(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Floats:
        """Where the search begins: the honest d*."""
        return degrees_of(reports, "Optimised")


class _Search:
    """The best claims so far, and how good they are, graph by graph."""

    def __init__(self, attack: Optimised, reports: Reports, crew: NDArray[np.int64], key: Key) -> None:
        self.reports, self._attack, self._crew, self._key = reports, attack, crew, key
        self._own = attack.claims(reports, crew, key)
        self._n = np.repeat(reports.sizes, reports.sizes).astype(np.float64)
        self._kinds = get_args(Friends)
        self.claims = self._own.copy()
        self.kinds = np.full(reports.num_graphs, self._kinds.index(attack.friends))
        self._score = np.full(reports.num_graphs, np.inf)

    def run(self) -> None:
        """All steps."""
        first = self._kinds.index(self._attack.friends)
        self._try(self._own, first)
        for claims in self._ladder():
            self._try(claims, first)
        for factor in _STEPS:
            self._try(self.claims * factor, first)
        if self.reports.origin.name != "noisy-degrees":  # which asks hubs for no more than a degree
            for kind in range(len(self._kinds)):
                self._try(self.claims, kind)

    def _ladder(self) -> Iterator[Floats]:
        rungs = [np.full(len(self._n), count) for count in _COUNTS]
        rungs += [share * (self._n - 1) for share in _SHARES]
        rungs += [np.full(len(self._n), float(end)) for end in DEGREE_RANGE]
        yield from rungs
        if self._crew.max(initial=0) > 0:
            for some in (self._crew == 0, self._crew % 2 == 0):
                yield from (np.where(some, rung, self._own) for rung in rungs[len(_COUNTS) :: 2])

    def _try(self, claims: Floats, kind: int) -> None:
        """Keep these claims in the graphs where they are the best so far."""
        assert self._attack.score is not None  # noqa: S101
        told = forged(self.reports, self._crew >= 0, claims, self._attack.lie, self._kinds[kind], self._key)
        found = np.asarray(self._attack.score(told), np.float64)
        if found.shape != (self.reports.num_graphs,):
            raise bad_parameter("score", "Optimised", "a function that gives one number for each graph", found.shape)
        if self._attack.careful:
            found = found + (unsupported(told, theta=MISFITS) > 0)
        better = found < self._score
        self._score = np.where(better, found, self._score)
        self.kinds = np.where(better, kind, self.kinds)
        self.claims = np.where(better[self.reports.graph_of_user], claims, self.claims)

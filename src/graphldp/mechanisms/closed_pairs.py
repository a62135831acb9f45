"""ClosedPairs: how many pairs of a user's friends are friends, asked in a second round.

One round of noisy lists sees a triangle by three noisy bits. A user knows two of its sides, so a second question needs
one noisy bit only (Imola, Murakami & Chaudhuri 2021). ε is split into ε₀ + ε₁ + ε₂:

    round 1   d* = d + noise(ε₀), and a list by randomized response with ε₁
    between   the server publishes the noisy lists, as bits
    round 2   u = count − C·d + noise(ε₂/C)

``count`` is how many bits say that two of her d friends are friends, where no friend gives and no friend takes more
than C: a maximum flow (Kasiviswanathan et al. 2013). One friend more raises it by something between 0 and 2C, and so
count − C·d by C at most in either direction, whatever was published. C is a function of d*
(:mod:`graphldp.privacy.pairs`). The proof is in ``docs/mechanisms/closed-pairs.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter, check_number
from graphldp.graphs import GraphSet
from graphldp.machines.threads import Run, in_threads, runs_of
from graphldp.mechanisms.base import DrawnLists, Mechanism
from graphldp.mechanisms.degrees.noise import Noise, noise_of, noisy_degrees
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, to_uniform
from graphldp.mechanisms.rr import RR
from graphldp.privacy import Budget
from graphldp.privacy.budget import shared
from graphldp.privacy.caps import pair_caps
from graphldp.privacy.pairs import PAIR_SHARES, PAIR_SLACK, answer, slack_of
from graphldp.reports import PairAnswers

Floats = NDArray[np.float64]
Lists = tuple[NDArray[np.int64], NDArray[np.int32]]
_PUBLISH = np.array([0x7061697273, 0], np.uint64)  # the lists that are published have draws of their own


@dataclass(frozen=True, eq=False, repr=False)
class ClosedPairs(Mechanism):
    """Two rounds: a noisy degree and a noisy list, then a count of pairs of friends in what was published.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user.
        degree: the share of ε that goes to the degree.
        answer: the share of the answer; the rest goes to the list.
        slack: how far the noise of a degree is followed, in 1/ε₀. With less of it there is less noise, and counts of
            users whose d* is far too small lose something.
        away: the probability that a user does not come back for the second question.

    Example::

        reports = gl.ClosedPairs(epsilon=1.0).randomize(graphs, rng=7)  # plays both rounds
        gl.statistics(reports)["triangles"]
    """

    noise: ClassVar[Noise] = "discrete"  # a rule needs whole numbers
    degree: float = field(default=PAIR_SHARES[0], kw_only=True)
    answer: float = field(default=PAIR_SHARES[2], kw_only=True)
    slack: float = field(default=PAIR_SLACK, kw_only=True)
    away: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("degree", "answer", "slack"):
            value = getattr(self, name)
            check_number(value, name, "ClosedPairs", "a positive number", lambda share: 0.0 < share < np.inf)
        if self.degree + self.answer >= 1.0:
            raise bad_parameter("answer", "ClosedPairs", "a share that leaves something for the list", self.answer)
        check_number(self.away, "away", "ClosedPairs", "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0)

    def budget(self, n_max: int | None = None) -> Budget:
        """ε₀, ε₁ and ε₂."""
        degree, edges, answer = shared(self.epsilon, (self.degree, 1.0 - self.degree - self.answer, self.answer))
        return Budget(degree, edges, answer=answer)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Play both rounds, with honest users and a server that tells the truth."""
        rows, edges = UserRows.of(graphs), np.asarray(budget.edges)
        noisy = noisy_degrees(rows, np.asarray(budget.degree), "discrete", key)
        lists = RR(edges).draw_lists(rows, None, Budget(0.0, edges), key)
        wrong = 1 / (1 + np.exp(edges))
        flip = np.repeat(_largest(wrong, graphs.graph_ptr), graphs.sizes)
        names = lists.indices if lists.as_bits is None else lists.as_bits.names(lists.indptr)
        published = _published(replace(rows, indptr=lists.indptr, indices=names), wrong, flip, key)
        caps = self.caps(graphs, noisy, flip, np.asarray(budget.degree))
        told = counts(graphs, published, caps)
        told += noise_of(rows, np.asarray(budget.answer) / caps, "discrete", Stream.ANSWER, key)
        gone = to_uniform(backend.first_words(rows, Stream.AWAY, key)[:, 0]) < self.away
        answers = PairAnswers(np.where(gone, np.nan, told), flip)
        return replace(lists, noisy_degree=noisy, pair_answers=answers)

    def caps(self, graphs: GraphSet, noisy: Floats, flip: Floats, epsilon0: Floats) -> NDArray[np.int64]:
        """C of each user."""
        found = np.ones(graphs.num_users, np.int64)
        kinds = np.stack((epsilon0, np.repeat(graphs.sizes, graphs.sizes), flip))
        for place in _alike(kinds):
            spent, n, wrong = kinds[:, place[0]].tolist()
            found[place] = pair_caps(noisy[place], int(n), wrong, slack_of(spent, self.slack, int(n)))
        return found


def counts(graphs: GraphSet, published: Lists, caps: NDArray[np.int64]) -> Floats:
    """Round 2 without its noise: count − C·d of each user.

    Args:
        graphs: the true lists, each on its user's device.
        published: the lists that the server publishes. It may publish what it likes.
        caps: C of each user.
    """
    told = (-caps * graphs.degrees).astype(np.float64)  # all that there is to say of fewer than two friends
    some = np.flatnonzero(graphs.degrees > 1)
    ends = np.searchsorted(some, graphs.graph_ptr)

    def count(run: Run) -> None:
        for graph in range(*run):
            if ends[graph] == ends[graph + 1]:
                continue
            start, stop = graphs.graph_ptr[graph : graph + 2].tolist()
            indptr = published[0][start : stop + 1]
            bits = np.zeros((stop - start, stop - start), np.int32)
            bits[np.repeat(np.arange(stop - start), np.diff(indptr)), published[1][indptr[0] : indptr[-1]]] = 1
            both = bits + bits.T
            for user in some[ends[graph] : ends[graph + 1]].tolist():
                friends = graphs.indices[graphs.indptr[user] : graphs.indptr[user + 1]]
                told[user] = _answer(both[friends[:, None], friends], int(caps[user]))

    in_threads(count, runs_of(graphs.sizes.astype(np.float64) ** 2))
    return told


def _answer(among: NDArray[np.int32], cap: int) -> int:
    """:func:`graphldp.privacy.pairs.answer`, of an array, fast where no row reaches the cap."""
    given = among.sum(axis=1)
    return int(given.sum()) - cap * len(among) if given.max() <= cap else answer(among.tolist(), cap)


def _published(noisy: UserRows, wrong: Floats, flip: Floats, key: Key) -> Lists:
    """The noisy lists, each made as noisy as the noisiest of its graph, so that one correction fits all."""
    with np.errstate(invalid="ignore"):
        more = np.where(flip > wrong, (flip - wrong) / (1 - 2 * wrong), 0.0)
    if not more.any():
        return noisy.indptr, noisy.indices
    by_name = replace(noisy, graph_ptr=None)  # of whole graphs, dense lists would come as bits
    return backend.sample_lists(by_name, 1 - more, more, key ^ _PUBLISH)[:2]


def _alike(kinds: NDArray[Any]) -> list[NDArray[np.int64]]:
    """The places of each distinct column."""
    _, place = np.unique(kinds, axis=1, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    return np.split(order, np.flatnonzero(np.diff(place.ravel()[order])) + 1) if len(order) else []


def _largest(values: Floats, graph_ptr: NDArray[np.int64]) -> Floats:
    """The largest value of each graph; 0 where there is none."""
    return np.array([values[start:stop].max(initial=0.0) for start, stop in pairwise(graph_ptr.tolist())])

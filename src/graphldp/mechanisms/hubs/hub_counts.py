"""HubCounts: a degree from everybody, and two counts from hubs, who are asked a second question.

The friends of a community's busiest user say much about it, but her whole list costs much ε. Two counts say nearly the
same: how many of her friends are busy, and how many are not. The server knows who is busy only when everybody has
reported, so there are two rounds. A device draws two discrete Laplace noises of ε at the start, N₁ and N₂, and keeps
them:

    round 1   r = d + N₁ + N₂
              r < threshold(n):  d* = d + N₁, and she is done
              r ≥ threshold(n):  d* = r, and she is asked in round 2
    between   the server publishes who is busy: those with d* ≥ ``busy``
    round 2   u₁ = friends who are not busy + N₁,   u₂ = busy friends + N₂

u₁ + u₂ = r, so the two answers hold one new number, and one friendship stands in one of the two counts. Each user
spends ε once, also against a server that lies about who is busy. The proof is in ``docs/mechanisms/hub-counts.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import check_number
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism, public_lists
from graphldp.mechanisms.degrees.noise import Noise, noise_of
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, to_uniform
from graphldp.mechanisms.hubs.hub_lists import hub_threshold
from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.privacy import Budget, degree_alone
from graphldp.privacy.hubs import BUSY_FROM, HUB_TIMES
from graphldp.reports import HubAnswers

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class FirstRound(NamedTuple):
    """The state of devices after round 1: d* and who looks like a hub were sent, N₁ and N₂ stay there."""

    noisy_degree: Floats
    asked: Flags
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False, repr=False)
class HubCounts(Mechanism):
    """Two rounds: everybody's noisy degree, then hubs' friends counted by who is busy.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, who publishes her list and is not asked.
        times: a hub has this many times the mean degree, as publicly guessed for a community of n.
        busy: a user counts as busy if her d* is at least this.
        away: the probability that a hub does not come back for the second question; her d* is still there.

    Example::

        reports = gl.HubCounts(epsilon=1.0).randomize(graphs, rng=7)  # plays both rounds
        reports.answers.asked, reports.answers.quiet_friends, reports.answers.busy_friends
    """

    noise: ClassVar[Noise] = "discrete"  # the argument needs noise on whole numbers
    times: float = field(default=HUB_TIMES, kw_only=True)
    busy: float = field(default=float(BUSY_FROM), kw_only=True)
    away: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.times, "times", "HubCounts", "a number ≥ 0", lambda times: 0.0 <= times < np.inf)
        check_number(self.busy, "busy", "HubCounts", "a number", np.isfinite)
        check_number(self.away, "away", "HubCounts", "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0)

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the degree; a hub's two counts are paid by the same noise."""
        return degree_alone(self.epsilon)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Play both rounds, with honest users and a server that tells the truth."""
        rows, epsilon = UserRows.of(graphs), np.asarray(budget.degree)
        first = self.first_round(rows, epsilon, key)
        busy = first.noisy_degree >= self.busy
        gone = to_uniform(backend.first_words(rows, Stream.AWAY, key)[:, 0]) < self.away
        quiet_friends, busy_friends = (np.where(gone, np.nan, each) for each in answers(graphs, first, busy))
        return DrawnLists(
            *public_lists(rows, epsilon),
            noisy_degree=first.noisy_degree,
            answers=HubAnswers(first.asked, busy, quiet_friends, busy_friends),
        )

    def first_round(self, rows: UserRows, epsilon: Floats, key: Key) -> FirstRound:
        """Every user's d*, and whether she looks like a hub."""
        one = noise_of(rows, epsilon, "discrete", Stream.DEGREE, key)
        two = noise_of(rows, epsilon, "discrete", Stream.SECOND, key)
        return self.told(rows, epsilon, one, two)

    def told(self, rows: UserRows, epsilon: Floats, one: Floats, two: Floats) -> FirstRound:
        """Round 1, with N₁ and N₂ drawn."""
        rough = rows.degrees + one + two
        threshold = hub_threshold(rows.n, self.times)
        asked = np.isfinite(epsilon) & (rows.n > 1) & (threshold <= rows.n - 1) & (rough >= threshold)
        return FirstRound(np.where(asked, rough, rows.degrees + one), asked, one, two)


def answers(graphs: GraphSet, first: FirstRound, busy: Flags) -> tuple[Floats, Floats]:
    """Round 2: u₁ and u₂ of those who are asked, NaN for everybody else.

    Args:
        graphs: the true lists, each on its user's device.
        first: what the devices hold.
        busy: who is busy, as the server publishes it. It may say what it likes.
    """
    hubs = np.flatnonzero(first.asked)
    entries, ends = gather_ranges(graphs.indptr, hubs)
    start = np.repeat(graphs.graph_ptr[graphs.graph_of_user[hubs]], np.diff(ends))
    counted = np.concatenate(([0], np.cumsum(busy[graphs.indices[entries] + start])))
    busy_friends = np.diff(counted[ends]).astype(np.float64)
    one, two = np.full(graphs.num_users, np.nan), np.full(graphs.num_users, np.nan)
    one[hubs] = graphs.degrees[hubs] - busy_friends + first.first[hubs]
    two[hubs] = busy_friends + first.second[hubs]
    return one, two

"""What most users of a graph say: all but the busiest, with low claims all alike.

A liar gains most where honest users are rare: as a hub, or with a d* far below 0. Here neither helps her. The busiest
share of the users is left out, so who claims to be a hub takes the place of somebody who is left out. Claims below −2
count as −2, as those of many honest users do. What remains is a change of a few ranks, and of a share of users by the
share of liars. So a learner hardly learns anything else from training graphs in which 1 % lie, whatever they send, and
one liar hardly changes what it says of a graph.

Two judges read graphs in this way. The *many* are all but the busiest 4 %. The *quiet* are all but the busiest fifth:
they know less than the many, but liars need to be more to mislead them, so they are a witness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, Self

import numpy as np

from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.robust.level_profile import NEARNESS, NOBODY, Codes, level_rows
from graphldp.learn.tables.robust.levels import Floats, Levelled
from graphldp.learn.tables.tabular import Model, chances_of

Crowd = Literal["quiet", "many"]

LEFT_OUT: Mapping[Crowd, float] = MappingProxyType({"quiet": 0.2, "many": 0.04})
"""The share of a graph's users that is left out, the busiest first; at least one user."""

_LEAST = -2.0  # every lower claim counts as this one


@dataclass(frozen=True, eq=False)
class Many:
    """A pair of learners that reads most users of a graph.

    Args:
        left_out: the share of users that it does not read.
        judge: the learners.
    """

    left_out: float
    judge: Model

    @classmethod
    def fit(cls, graphs: Levelled, codes: Codes, crowd: Crowd, seed: int) -> Self:
        """Learn from training graphs of these classes."""
        left_out = LEFT_OUT[crowd]
        return cls(left_out, Pair(seed, NEARNESS).fit(_rows(graphs, left_out), codes))

    def chances(self, graphs: Levelled, classes: int) -> Floats:
        """The chance of each class, [graphs, classes]."""
        return chances_of(self.judge, _rows(graphs, self.left_out), classes)


def without_busiest(graphs: Levelled, share: float) -> Levelled:
    """Graphs without the busiest share of their users, at least one, and with low claims all alike."""
    above = np.cumsum(graphs.present[:, ::-1], axis=1)[:, ::-1]
    gone = np.ceil(share * graphs.n)[:, None]
    left = np.clip(above - gone, 0.0, graphs.present)
    lowest = int(np.searchsorted(graphs.levels, _LEAST, side="right")) - 1
    left[:, lowest] = left[:, : lowest + 1].sum(axis=1)
    left[:, :lowest] = 0.0
    return replace(graphs, present=left, private=left)


def _rows(graphs: Levelled, left_out: float) -> Floats:
    nobody = np.full(len(graphs.n), NOBODY)
    most = without_busiest(graphs, left_out)
    return level_rows(most, np.arange(len(nobody)), np.stack((nobody, nobody), axis=1), nobody).astype(np.float64)

"""The two ends of the scale: everybody publishes, and only the public users take part.

NonPriv-Full is the accuracy that privacy is measured against; NonPriv-Part is what is left when private users stay
away: the subgraph induced by the public users.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import ParameterError
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism
from graphldp.mechanisms.drawing.streams import Key
from graphldp.privacy import Budget


@dataclass(frozen=True, eq=False, repr=False)
class NonPrivFull(Mechanism):
    """No noise at all: every list is public."""

    epsilon: float | NDArray[np.float64] = field(default=math.inf, init=False)

    def at(self, epsilon: float | NDArray[np.float64]) -> Self:
        """Itself: it has no ε."""
        return self

    def budget(self, n_max: int | None = None) -> Budget:
        """Nothing is held back."""
        return Budget(math.inf, math.inf)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """The lists as they are."""
        return DrawnLists(graphs.indptr, graphs.indices)


@dataclass(frozen=True, eq=False, repr=False)
class NonPrivPart(Mechanism):
    """Only public users take part; private ones send nothing and count as missing.

    Args:
        epsilon: one per user; ``inf`` is a public user, any other number a private one.
    """

    def budget(self, n_max: int | None = None) -> Budget:
        """A private user spends nothing."""
        spent = np.where(np.isinf(self.epsilon), np.inf, 0.0)[()]
        return Budget(spent, spent)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """The subgraph induced by the public users."""
        public = np.isinf(budget.edges)
        if not public.any() and graphs.num_users:
            raise ParameterError(
                "NonPrivPart needs public users: pass one epsilon per user, inf for the public ones "
                "(graphldp.customized draws them)."
            )
        start = np.repeat(graphs.graph_ptr[:-1], graphs.sizes)
        owner = np.repeat(np.arange(graphs.num_users), graphs.degrees)
        kept = public[owner] & public[graphs.indices + start[owner]]
        lengths = np.concatenate(([0], np.cumsum(kept)))
        return DrawnLists(lengths[graphs.indptr], graphs.indices[kept], missing=~public)

"""LapGraph (Wu et al. 2022) under **central** edge DP; LocalLap is its local version.

A server that everybody trusts holds the whole graph, and releases

    T = ⌊m + Lap(1/ε₁)⌋ edges: the T pairs with the largest a_ij + Lap(1/ε₂),   ε₁ = ε/10, ε₂ = 9ε/10.

One edge moves m by 1 and one entry by 1, so what is *released* is ε-edge-DP. Nothing is promised against the server
itself: every user hands over her true list, and the reports say so (each user counts as public). It is here to show
what the local model costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import check_number
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism
from graphldp.mechanisms.degrees.noise import noise_of
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream
from graphldp.mechanisms.local_lap import top_lists
from graphldp.privacy import Budget, allocate


@dataclass(frozen=True, eq=False, repr=False)
class LapGraph(Mechanism):
    """Central edge DP by a trusted server: a baseline, no local randomizer, and so not in the table of mechanisms.

    Args:
        central: ε of the released graph. Users are promised nothing, and ``reports.guarantee`` says so.

    Example::

        reports = gl.LapGraph(central=1.0).randomize(graphs, rng=7)
    """

    epsilon: float | NDArray[np.float64] = field(default=math.inf, init=False)
    central: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.central, "central", "LapGraph", "a positive number", lambda spent: 0 < spent < math.inf)

    def budget(self, n_max: int | None = None) -> Budget:
        """What users keep from the server: nothing."""
        return Budget(math.inf, math.inf)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw each graph's T, then its T largest pairs."""
        split = allocate(self.central, "fixed", alpha=0.9, n_max=2, owner="LapGraph")
        spent = np.full(graphs.num_users, float(split.degree))
        noise = np.zeros(graphs.num_graphs)
        some = graphs.sizes > 0
        first = graphs.graph_ptr[:-1][some]  # a graph's one draw is that of its first user
        noise[some] = noise_of(UserRows.of(graphs), spent, "laplace", Stream.DEGREE, key)[first]
        entries = np.bincount(graphs.graph_of_user, graphs.degrees, graphs.num_graphs)
        count = noise + entries / (1.0 if graphs.directed else 2.0)
        everyone = np.ones(graphs.num_users, bool)
        return DrawnLists(*top_lists(graphs, everyone, count, float(split.edges), key))

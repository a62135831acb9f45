"""LocalLap: the local version of LapGraph (Wu et al. 2022; Section 5.1 of the paper); and LapGraph under central DP.

Every user sends d* = d + Lap(1/ε₁) and her part of the adjacency matrix with Lap(1/ε₂) on every entry; the server takes

    T = ⌊Σ d*/2⌋ edges: the T pairs with the largest noisy values.

The definition needs n(n−1)/2 noisy values. The T largest can be drawn without the rest, exactly. On the scale of
v(x) = −log(1 − Pr(Lap(1/ε₂) > x)) the noise of the pairs that are no edges is standard exponential, so its order
statistics from the top are, by Rényi, v_(k) = Σ_{i≤k} E_i/(m₀−i+1) with independent E_i. The edges' own noise is
drawn one by one, the two sorted sequences are merged until T pairs are taken, and *which* of the other pairs were
taken is a uniform draw without replacement. Time and memory are linear in edges in and out.

A public user's row is exact. In an undirected graph so is every pair that touches a public user, and T = ⌊Σ d*/2⌋
over private users counts pairs of private ones; in a directed graph T = ⌊Σ d*⌋ over the private rows. T is clipped to
what there is.

LapGraph is under **central** edge DP: a server that everybody trusts holds the whole graph, and releases

    T = ⌊m + Lap(1/ε₁)⌋ edges: the T pairs with the largest a_ij + Lap(1/ε₂),   ε₁ = ε/10, ε₂ = 9ε/10.

One edge moves m by 1 and one entry by 1, so what is *released* is ε-edge-DP. Nothing is promised against the server
itself: every user hands over her true list, and the reports say so (each user counts as public). It is here to show
what the local model costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphldp.errors import Described, bad_parameter, check_number
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism
from graphldp.mechanisms.degrees.noise import Noise, noise_of, noisy_degrees
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream
from graphldp.privacy import Budget, allocate

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class LocalLap(Mechanism):
    """Noisy degrees decide how many edges there are, and noisy entries decide which.

    ε₁ = ε/10 and ε₂ = 9ε/10, as in the paper. The server compares one user's noisy entries with another's, so all
    private users share one ε.

    Args:
        epsilon: ε of every user, or one per user, each ``inf`` (public) or one common number.
    """

    noise: ClassVar[Noise] = "laplace"  # the paper's

    def __post_init__(self) -> None:
        super().__post_init__()
        values = np.unique(np.asarray(self.epsilon))
        if len(values[np.isfinite(values)]) > 1:
            raise bad_parameter(
                "epsilon", "LocalLap", "the same number for every private user", Described("several numbers")
            )

    def budget(self, n_max: int | None = None) -> Budget:
        """ε/10 and 9ε/10."""
        return allocate(self.epsilon, "fixed", alpha=0.9, n_max=2, owner="LocalLap")

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw d*, then the T largest pairs of each graph, then lay the exact pairs beside them."""
        degree, edges = np.asarray(budget.degree), np.asarray(budget.edges)
        noisy = noisy_degrees(UserRows.of(graphs), degree, "laplace", key)
        private = ~np.isinf(edges)
        claimed = np.bincount(graphs.graph_of_user, np.where(private, noisy, 0.0), graphs.num_graphs)
        count = claimed / (1.0 if graphs.directed else 2.0)
        indptr, indices = top_lists(graphs, private, count, edges[private].max(initial=0.0), key)
        return DrawnLists(indptr, indices, noisy_degree=noisy)


def top_lists(
    graphs: GraphSet, private: NDArray[np.bool_], count: NDArray[np.float64], epsilon2: float, key: Key
) -> tuple[Ints, NDArray[np.int32]]:
    """Lists of the so many noisiest pairs of each graph, with the exact pairs beside them.

    Args:
        graphs: the raw graphs.
        private: whose pairs are noisy; what touches another user is exact (in a directed graph, what leaves her).
        count: how many noisy pairs each graph keeps; cut to a whole number and to what there is.
        epsilon2: the noise of a pair is Lap(1/ε₂).
        key: of the draw.
    """
    space = _PairSpace(graphs, private)
    owner, target = space.entries()
    hidden = private[owner] if graphs.directed else private[owner] & private[target]
    coded = hidden if graphs.directed else hidden & (owner < target)
    codes = space.code(owner[coded], target[coded])
    wanted = np.clip(np.floor(count), 0, space.pairs).astype(np.int64)
    per_graph = np.bincount(graphs.graph_of_user[owner[coded]], minlength=graphs.num_graphs)
    edge_ptr = np.concatenate(([0], np.cumsum(per_graph)))
    noise = np.full(graphs.num_graphs, epsilon2)
    loops = backend.loops(20 * graphs.num_graphs + len(codes) + int(wanted.sum()))
    top = loops.top_pairs(noise, space.pairs, edge_ptr, codes, graphs.graph_ids, wanted, key)
    one, two = space.decode(top, np.repeat(np.arange(graphs.num_graphs), wanted))
    rows, columns = [owner[~hidden], one], [target[~hidden], two]
    if not graphs.directed:
        rows, columns = [*rows, two], [*columns, one]
    return _sorted_lists(graphs, np.concatenate(rows), np.concatenate(columns))


class _PairSpace:
    """The pairs whose noise is drawn, numbered 0, 1, 2, … within each graph in row order.

    Undirected: pairs r < s of private users, code r(2m−r−1)/2 + s−r−1 for m private users, numbered among themselves.
    Directed: private rows, code r(n−1) + s − [s > own], for the r-th private user.
    """

    def __init__(self, graphs: GraphSet, private: NDArray[np.bool_]) -> None:
        self.graphs, self.private = graphs, private
        self.start = np.repeat(graphs.graph_ptr[:-1], graphs.sizes)
        before = np.concatenate(([0], np.cumsum(private)))
        self.first = before[graphs.graph_ptr[:-1]]  # private users of earlier graphs
        self.rank = before[:-1] - np.repeat(self.first, graphs.sizes)
        self.members = np.diff(before[graphs.graph_ptr])
        self.private_users = np.flatnonzero(private)
        width = graphs.sizes - 1 if graphs.directed else (self.members - 1) / 2
        self.pairs: Ints = np.maximum(self.members * width, 0).astype(np.int64)

    def entries(self) -> tuple[Ints, Ints]:
        """Owner and target of every entry, by their numbers in the whole set."""
        owner = np.repeat(np.arange(self.graphs.num_users), self.graphs.degrees)
        return owner, self.graphs.indices + self.start[owner]

    def code(self, owner: Ints, target: Ints) -> Ints:
        graph = self.graphs.graph_of_user[owner]
        row = self.rank[owner]
        if self.graphs.directed:
            return np.asarray(row * (self.graphs.sizes[graph] - 1) + target - self.start[owner] - (target > owner))
        return np.asarray(_row_start(row, self.members[graph]) + self.rank[target] - row - 1)

    def decode(self, codes: Ints, graph: Ints) -> tuple[Ints, Ints]:
        if self.graphs.directed:
            row, column = np.divmod(codes, np.maximum(self.graphs.sizes[graph] - 1, 1))
            owner = self.private_users[self.first[graph] + row]
            local = owner - self.start[owner]
            return owner, column + (column >= local) + self.start[owner]
        m = self.members[graph]
        row = np.floor(m - 0.5 - np.sqrt(np.maximum((m - 0.5) ** 2 - 2.0 * codes, 0.0))).astype(np.int64)
        row -= _row_start(row, m) > codes  # the square root may be off by one at a row's first pair
        row += _row_start(row + 1, m) <= codes
        column = codes - _row_start(row, m) + row + 1
        return self.private_users[self.first[graph] + row], self.private_users[self.first[graph] + column]


def _row_start(row: Ints, members: Ints) -> Ints:
    return row * (2 * members - row - 1) // 2


def _sorted_lists(graphs: GraphSet, rows: Ints, columns: Ints) -> tuple[Ints, NDArray[np.int32]]:
    shape = (graphs.num_users, graphs.num_users)
    matrix = sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=shape)
    matrix.sort_indices()
    start = np.repeat(np.repeat(graphs.graph_ptr[:-1], graphs.sizes), np.diff(matrix.indptr))
    return matrix.indptr.astype(np.int64), (matrix.indices - start).astype(np.int32)


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

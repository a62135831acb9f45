"""FriendCounts: how many of her friends are in each public group, with noise.

    z_l = (friends in group l) + N_l,   Pr(N_l = k) ∝ e^(−ε|k|),   for every group l

A friend is in one group, so one friendship more or less changes one count by one: the whole vector costs ε,
however many groups there are. A list under randomized response costs the same ε and tells each friend apart from n
strangers; a count tells them apart from noise of 1/ε. The proof is in ``docs/mechanisms/friend-counts.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism, public_lists
from graphldp.mechanisms.degrees.noise import Noise
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, first_words, to_uniform
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget, degree_alone
from graphldp.reports import Origin
from graphldp.wire.deal import check_dealt, deal

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class FriendCounts(Mechanism):
    """Friends counted by the public group they are in.

    Groups are whatever is public and partitions the users: an attribute, the server a user is on, or a class that the
    collector predicted from public features and published.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, who publishes her list and true counts.
        dealt: instead of groups that the graphs have, deal the users of each graph into so many at random. What others
            say of a user's group is then a witness to how many friends she has; see
            :class:`graphldp.learn.tables.witness_classifier.WitnessClassifier`.

    Example::

        graphs = graphs.with_groups(servers)
        reports = gl.FriendCounts(epsilon=1.0).randomize(graphs, rng=7)
        reports.friend_counts  # [users, groups]
    """

    noise: ClassVar[Noise] = "discrete"  # counts are whole numbers
    dealt: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dealt is not None:
            check_dealt(self.dealt, "FriendCounts", "dealt")

    @property
    def origin(self) -> Origin:
        """Beside the parameters, the smallest ε on offer where users were dealt: it bounds what one report can say."""
        told = super().origin
        private = np.ravel(self.epsilon)[np.isfinite(np.ravel(self.epsilon))]
        if self.dealt is None or not len(private):
            return told
        return Origin(told.name, {**told.parameters, "least": float(private.min())})

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the counts, which are a degree by parts; no list."""
        return degree_alone(self.epsilon)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Count every user's friends and add the noise."""
        if self.dealt is not None:
            graphs = self._dealt(graphs, key)
            counts = self._drawn(graphs, budget, key)
            return replace(counts, groups=graphs.attributes)
        if graphs.groups is None:
            raise DataError("FriendCounts needs public groups: graphs.with_groups(groups).")
        if graphs.num_groups > (most := int(graphs.sizes.max(initial=2))):
            raise DataError(
                f"FriendCounts takes at most {most} groups, one for each user of the largest graph; few large ones "
                f"tell most. Got {graphs.num_groups} instead."
            )
        return self._drawn(graphs, budget, key)

    def _dealt(self, graphs: GraphSet, key: Key) -> GraphSet:
        """The graphs with groups that depend on the seed and the graph's id alone."""
        assert self.dealt is not None  # noqa: S101
        if graphs.groups is not None:
            raise DataError(
                "FriendCounts(dealt=…) deals users into groups, and these graphs have some: counts by both cost 2ε."
            )
        known = zip(graphs.graph_ids.tolist(), graphs.sizes.tolist(), strict=True)
        seed = key.astype("<u8").tobytes()
        parts = [deal(sha256(seed + graph.to_bytes(8, "big")).digest(), n, self.dealt) for graph, n in known]
        groups = np.array([group for part in parts for group in part], np.int64)
        columns = replace(graphs.attributes or Attributes(), groups=groups, num_groups=self.dealt)
        return replace(graphs, attributes=columns, trusted=True)

    def _drawn(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        return self.draw_counts(UserRows.of(graphs), _groups_of_friends(graphs), graphs.num_groups, budget, key)

    def draw_counts(
        self, rows: UserRows, of_friends: NDArray[np.integer[Any]], num_groups: int, budget: Budget, key: Key
    ) -> DrawnLists:
        """Count some users' friends, of whom each entry of their lists has a group, and add the noise."""
        if num_groups < 2:
            raise DataError("FriendCounts needs two groups or more; with one its count is the degree: NoisyDegrees.")
        epsilon = np.asarray(budget.degree)
        counts = _counted(rows.degrees, of_friends, num_groups) + count_noise(rows, epsilon, num_groups, key)
        return DrawnLists(*public_lists(rows, epsilon), friend_counts=counts)


def true_counts(graphs: GraphSet) -> Floats:
    """How many friends of each user are in each group, [users, groups]."""
    return _counted(graphs.degrees, _groups_of_friends(graphs), graphs.num_groups)


def _groups_of_friends(graphs: GraphSet) -> NDArray[np.int64]:
    friend = graphs.indices + np.repeat(graphs.graph_ptr[graphs.graph_of_user], graphs.degrees)
    return np.asarray(graphs.groups)[friend]


def _counted(degrees: NDArray[np.int64], of_friends: NDArray[np.integer[Any]], num_groups: int) -> Floats:
    owner = np.repeat(np.arange(len(degrees)), degrees)
    counts = np.bincount(owner * num_groups + of_friends, minlength=len(degrees) * num_groups)
    return counts.reshape(len(degrees), num_groups).astype(np.float64)


def count_noise(rows: UserRows, epsilon: Floats, groups: int, key: Key) -> Floats:
    """Independent discrete Laplace noise of ε for every user and group, as differences of two geometric draws."""
    graph, user = (each.astype(np.uint64) for each in (rows.graph, rows.user))
    words = first_words(key, Stream.COUNTS, graph, user, 2 * groups)
    size = np.floor(-np.log(to_uniform(words)) / epsilon[:, None])
    return np.asarray(size[:, :groups] - size[:, groups:])

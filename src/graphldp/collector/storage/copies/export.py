"""From the store to :class:`~graphldp.reports.Reports`: what simulation and the live service share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graphldp import wire
from graphldp.attributes import Attributes
from graphldp.collector.communities.community import Community
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.labels import NO_LABEL
from graphldp.privacy.hubs import HUB_TIMES, LIST_SHARE, LIST_TIMES, LISTS_ABOVE
from graphldp.reports import Origin, Reports

BATCH = 50_000
"""Users whose reports are held at a time where communities are read one batch after the other."""


def export(store: Store, communities: Sequence[Community]) -> Reports:
    """The reports of some communities, one graph each, with everyone marked who has not reported.

    Args:
        store: where the reports are.
        communities: in the order in which their graphs are to stand; their keys become the graph ids.

    Returns:
        The reports, with the labels that there are: ``NO_LABEL`` stands for those of other communities.
    """
    if not communities:
        raise ParameterError("An export must have one community or more.")
    return _Shared.of(communities).gather(store, communities)


def export_in_batches(store: Store, communities: Sequence[Community], users: int = BATCH) -> Iterator[Reports]:
    """The same, some communities at a time: no more is in memory than the reports of so many users.

    What a batch says of the mechanism is said of all communities, so that each graph is what it is in the whole.

    Args:
        store: where the reports are.
        communities: as above.
        users: of one batch. A community with more users is a batch by itself.
    """
    shared = _Shared.of(communities)
    for batch in batches(communities, users):
        yield shared.gather(store, batch)


def batches(communities: Sequence[Community], users: int = BATCH) -> Iterator[Sequence[Community]]:
    """Communities in their order, so many at a time that they have at most so many users, or one that has more."""
    first, held = 0, 0
    for place, community in enumerate(communities):
        if held and held + community.n > users:
            yield communities[first:place]
            first, held = place, 0
        held += community.n
    if held:
        yield communities[first:]


@dataclass(frozen=True)
class _Shared:
    """What all communities of an export have in common.

    Args:
        origin: how their reports were drawn.
        noisy: whether all of them release d*.
        second: whether hubs are asked a second question.
        groups: how many groups friends are counted by; 0 where they are not.
    """

    origin: Origin
    noisy: bool
    second: bool
    groups: int

    @classmethod
    def of(cls, communities: Sequence[Community]) -> Self:
        """Of communities that may share an export."""
        mechanisms = sorted({community.mechanism for community in communities})
        names = {community.group_names for community in communities}
        if len(names) > 1:
            raise ParameterError("Communities that count by different groups, or not at all, cannot share an export.")
        noisy = all(name in wire.WITH_DEGREE for name in mechanisms)
        origin = Origin("+".join(mechanisms), _parameters(mechanisms, communities))
        return cls(origin, noisy, mechanisms == ["hub-counts"], len(next(iter(names), ())))

    def gather(self, store: Store, communities: Sequence[Community]) -> Reports:
        """The reports of these communities."""
        graph_ptr = np.concatenate(([0], np.cumsum([community.n for community in communities])))
        total = int(graph_ptr[-1])
        missing, lengths = np.ones(total, np.bool_), np.zeros(total, np.int64)
        epsilon1, epsilon2, degrees = (np.zeros(total) for _ in range(3))
        asked, lists = np.zeros(total, np.bool_), {}
        counted = _Counted.of(store, communities, self.groups) if self.groups else None
        sent = store.stored(*communities)
        place = {community.key: place for place, community in enumerate(communities)}
        graph = np.array([place[each.community] for each in sent], np.int64)
        users = graph_ptr[graph] + np.array([each.user for each in sent], np.int64)
        plain = wire.read_plain([each.body for each in sent], np.diff(graph_ptr)[graph])
        missing[users], epsilon1[users], degrees[users] = False, plain.epsilon1, plain.noisy_degree
        asked[users] = plain.asked
        for at in np.flatnonzero(~plain.read).tolist():
            start, user = int(graph_ptr[graph[at]]), int(users[at])
            report = wire.decode(sent[at].body, n=communities[graph[at]].n)
            lists[user], lengths[user] = report.neighbours, len(report.neighbours)
            epsilon1[user], epsilon2[user] = report.epsilon1, report.epsilon2
            # a public user's degree is the length of her list
            degrees[user] = len(report.neighbours) if report.noisy_degree is None else report.noisy_degree
            asked[user] = bool(report.asked)
            if counted is not None:
                counted.add(user, report, start)
        labels = np.array([NO_LABEL if community.label is None else community.label for community in communities])
        about = None if counted is None else Attributes(groups=counted.groups, num_groups=self.groups)
        return Reports(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([np.zeros(0, np.int32), *(lists[user] for user in sorted(lists))]),
            graph_ptr,
            labels if (labels != NO_LABEL).any() else None,
            name="collected",
            graph_ids=np.array([community.key for community in communities]),
            epsilon1=epsilon1,
            epsilon2=epsilon2,
            noisy_degree=degrees if self.noisy else None,
            missing=missing if missing.any() else None,
            friend_counts=None if counted is None else counted.counts,
            attributes=about,
            **(_second_round(store, communities, graph_ptr, asked, degrees) if self.second else {}),
            origin=self.origin,
            noise="discrete" if self.noisy or counted is not None else None,
            collected=True,
        )


class _Counted:
    """Friends counted by group: what each user said, or what her public list says.

    Args:
        groups: the number of each user's group.
        count: how many groups there are.
    """

    def __init__(self, groups: NDArray[np.int64], count: int) -> None:
        self.groups, self.counts = groups, np.zeros((len(groups), count))

    @staticmethod
    def of(store: Store, communities: Sequence[Community], count: int) -> _Counted:
        """Of communities by friend-counts, which all have the same groups."""
        return _Counted(np.concatenate([np.array(store.groups(each), np.int64) for each in communities]), count)

    def add(self, user: int, report: wire.Report, start: int) -> None:
        """Take a user's report; ``start`` is where her community's users begin."""
        if report.counts is None:  # a public list: her counts follow from it
            friends = self.groups[report.neighbours + start]
            self.counts[user] = np.bincount(friends, minlength=self.counts.shape[1])
        else:
            self.counts[user] = report.counts


def _parameters(mechanisms: Sequence[str], communities: Sequence[Community]) -> dict[str, Any]:
    """What is known of how they were drawn; of several cuts between busy and quiet users none is the export's."""
    if mechanisms == ["hub-counts"]:
        cuts = {community.busy_from for community in communities if community.busy_from is not None}
        return {"times": HUB_TIMES} | ({"busy": float(*cuts)} if len(cuts) == 1 else {})
    if mechanisms == ["hub-lists"]:
        return {"share": LIST_SHARE, "times": LIST_TIMES, "least": LISTS_ABOVE, "noise": "discrete"}
    return {"noise": "discrete"} if all(name in wire.WITH_DEGREE for name in mechanisms) else {}


def _second_round(
    store: Store,
    communities: Sequence[Community],
    graph_ptr: NDArray[np.int64],
    asked: NDArray[np.bool_],
    degrees: NDArray[np.float64],
) -> dict[str, Any]:
    """Who was asked, who was said to be busy, and what hubs answered; nobody is busy where nothing was asked yet."""
    busy, busy_friends = np.zeros(len(asked), np.bool_), np.full(len(asked), np.nan)
    for start, community in zip(graph_ptr[:-1].tolist(), communities, strict=True):
        question = store.second_round.busy(community)
        if question is not None:
            busy[start : start + community.n] = question.busy
        for answer in store.second_round.answers(community):
            busy_friends[start + answer.user] = answer.busy_friends
    busy_friends[~asked] = np.nan  # of reports that came in since they were read
    quiet_friends = degrees - busy_friends  # the two add up to d*
    return {"asked": asked, "busy": busy, "quiet_friends": quiet_friends, "busy_friends": busy_friends}

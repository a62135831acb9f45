"""Exports of reports: as :class:`~graphldp.reports.Reports`, as simulation has them too, or as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graphldp import wire
from graphldp.collector.community import Community
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.files.text import as_text, csv_line
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.privacy import Budget
from graphldp.privacy.hubs import HUB_TIMES, LIST_SHARE, LIST_TIMES, LISTS_ABOVE
from graphldp.privacy.pairs import LIST_PART, PAIR_SLACK, wrong_bits
from graphldp.reports import HubAnswers, Origin, PairAnswers, Reports
from graphldp.wire.bulk import read_plain

BATCH = 50_000
"""Users whose reports are held at a time where communities are read one batch after the other."""


def export(store: Store, communities: Sequence[Community]) -> Reports:
    """The reports of some communities, one graph each, with everyone marked who has not reported."""
    if not communities:
        raise ParameterError("An export must have one community or more.")
    return _Shared.of(communities).gather(store, communities)


def export_in_batches(store: Store, communities: Sequence[Community], users: int = BATCH) -> Iterator[Reports]:
    """The reports of some communities at a time: no more is in memory than those of so many users.

    What a batch says of the mechanism is said of all communities, so that each graph is what it is in the whole.
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
    """The facts that all communities of an export have in common."""

    origin: Origin
    noisy: bool
    asks: str
    groups: int

    @classmethod
    def of(cls, communities: Sequence[Community]) -> Self:
        """The facts that communities have in common that may share an export."""
        mechanisms = sorted({community.mechanism for community in communities})
        names = {community.group_names for community in communities}
        if len(names) > 1 or len({community.dealt for community in communities}) > 1:
            raise ParameterError("Communities that count by different groups, or not at all, cannot share an export.")
        noisy = all(name in wire.WITH_DEGREE for name in mechanisms)
        origin = Origin("+".join(mechanisms), _parameters(mechanisms, communities))
        asks = mechanisms[0] if len(mechanisms) == 1 and mechanisms[0] in wire.WITH_SECOND else ""
        return cls(origin, noisy, asks, len(next(iter(names), ())))

    def gather(self, store: Store, communities: Sequence[Community]) -> Reports:
        """The reports of these communities."""
        graph_ptr = np.concatenate(([0], np.cumsum([community.n for community in communities])))
        total = int(graph_ptr[-1])
        missing, lengths = np.ones(total, np.bool_), np.zeros(total, np.int64)
        epsilon1, epsilon2, answer, degrees = (np.zeros(total) for _ in range(4))
        asked, lists = np.zeros(total, np.bool_), {}
        counts, about = np.zeros((total, self.groups)), None
        if self.groups:
            groups = np.concatenate([np.array(store.groups(each), np.int64) for each in communities])
            about = Attributes(groups=groups, num_groups=self.groups)
        sent = store.stored(*communities)
        place = {community.key: place for place, community in enumerate(communities)}
        graph = np.array([place[each.community] for each in sent], np.int64)
        users = graph_ptr[graph] + np.array([each.user for each in sent], np.int64)
        plain = read_plain([each.body for each in sent], np.diff(graph_ptr)[graph])
        missing[users], epsilon1[users], degrees[users] = False, plain.epsilon1, plain.noisy_degree
        asked[users] = plain.asked
        for at in np.flatnonzero(~plain.read).tolist():
            start, user = int(graph_ptr[graph[at]]), int(users[at])
            report = wire.decode(sent[at].body, n=communities[graph[at]].n)
            lists[user], lengths[user] = np.asarray(report.neighbours), len(report.neighbours)
            epsilon1[user], epsilon2[user] = report.epsilon1, report.epsilon2
            if report.mechanism == "closed-pairs":
                epsilon2[user] = report.epsilon2 * float(LIST_PART)
                answer[user] = report.epsilon2 - epsilon2[user]
            # a public user's degree is the length of her list
            degrees[user] = len(report.neighbours) if report.noisy_degree is None else report.noisy_degree
            asked[user] = bool(report.asked)
            if report.counts is not None:
                counts[user] = report.counts
            elif self.groups:  # a public list: her counts follow from it
                counts[user] = np.bincount(groups[lists[user] + start], minlength=self.groups)
        labels = np.array([NO_LABEL if community.label is None else community.label for community in communities])
        return Reports(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([np.zeros(0, np.int32), *(lists[user] for user in sorted(lists))]),
            graph_ptr,
            labels if (labels != NO_LABEL).any() else None,
            name="collected",
            graph_ids=np.array([community.key for community in communities]),
            budget=Budget(epsilon1, epsilon2, answer=answer),
            noisy_degree=degrees if self.noisy else None,
            missing=missing if missing.any() else None,
            friend_counts=counts if self.groups else None,
            attributes=about,
            answers=_hub_answers(store, communities, graph_ptr, asked, degrees) if self.asks == "hub-counts" else None,
            pair_answers=_pair_answers(store, communities, ~missing) if self.asks == "closed-pairs" else None,
            origin=self.origin,
            noise="discrete" if self.noisy or self.groups else None,
            collected=True,
        )


def _parameters(mechanisms: Sequence[str], communities: Sequence[Community]) -> dict[str, Any]:
    """The parameters of how they were drawn; of several cuts between busy and quiet users none is the export's."""
    if mechanisms == ["hub-counts"]:
        cuts = {community.busy_from for community in communities if community.busy_from is not None}
        return {"times": HUB_TIMES} | ({"busy": float(*cuts)} if len(cuts) == 1 else {})
    if mechanisms == ["hub-lists"]:
        return {"share": LIST_SHARE, "times": LIST_TIMES, "least": LISTS_ABOVE, "noise": "discrete"}
    if mechanisms == ["closed-pairs"]:
        return {"slack": PAIR_SLACK}
    if communities[0].dealt:
        return {"dealt": len(communities[0].group_names)} | _least(communities)
    return {"noise": "discrete"} if all(name in wire.WITH_DEGREE for name in mechanisms) else {}


def _least(communities: Sequence[Community]) -> dict[str, float]:
    """The smallest ε that anybody could choose, who came or not: a liar takes it, as it lets a report say the most."""
    offered = [each.epsilon1 for community in communities for each in community.choices if not each.public]
    return {"least": min(offered)} if offered else {}


def _pair_answers(store: Store, communities: Sequence[Community], reported: NDArray[np.bool_]) -> PairAnswers:
    """The answers of users, whose list was published, and how often a published bit is wrong."""
    told, flip, listed = [], [], []
    for community in communities:
        said = np.full(community.n, np.nan)
        for answer in store.second_round.answers(community):
            said[answer.user] = answer.count
        told.append(said)
        flip.append(np.full(community.n, wrong_bits(community.choices[0].epsilon2)))
        listed.append(store.second_round.listed(community))
    answers = np.concatenate(told)
    answers[~reported] = np.nan  # of reports that came in since they were read
    return PairAnswers(answers, np.concatenate(flip), np.concatenate(listed))


def _hub_answers(
    store: Store,
    communities: Sequence[Community],
    graph_ptr: NDArray[np.int64],
    asked: NDArray[np.bool_],
    degrees: NDArray[np.float64],
) -> HubAnswers:
    """The answers of hubs, who was asked, and who was said to be busy; nobody is where nothing was asked yet."""
    busy, busy_friends = np.zeros(len(asked), np.bool_), np.full(len(asked), np.nan)
    for start, community in zip(graph_ptr[:-1].tolist(), communities, strict=True):
        question = store.second_round.busy(community)
        if question is not None:
            busy[start : start + community.n] = question.busy
        for answer in store.second_round.answers(community):
            busy_friends[start + answer.user] = answer.count
    busy_friends[~asked] = np.nan  # of reports that came in since they were read
    return HubAnswers(asked, busy, degrees - busy_friends, busy_friends)  # the two counts add up to d*


COLUMNS = ("community", "epoch", "label", "slot", "epsilon1", "epsilon2", "noisy_degree", "friends", "counts", "asked")


def csv_rows(store: Store, communities: Sequence[Community], classes: Mapping[int, str]) -> Iterator[str]:
    """The lines, one at a time: a header, then report after report.

    ``friends`` are the slots that a report names, with spaces between them, and ``counts`` those of friends by group.
    An ε of a public list is ``inf``.
    """
    yield csv_line(COLUMNS)
    for community in communities:
        label = None if community.label is None else as_text(classes.get(community.label, str(community.label)))
        for stored in store.stored(community):
            report = wire.decode(stored.body, n=community.n)
            listed = " ".join(map(str, report.neighbours.tolist()))
            counts = "" if report.counts is None else " ".join(map(str, report.counts))
            about = (community.id, community.epoch, label, stored.user, report.epsilon1, report.epsilon2)
            yield csv_line((*about, report.noisy_degree, listed, counts, "yes" if report.asked else ""))

"""From the store to :class:`~graphldp.reports.Reports`: what simulation and the live service share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphldp import wire
from graphldp.collector.community import Community
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.labels import NO_LABEL
from graphldp.reports import Origin, Reports


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
    graph_ptr = np.concatenate(([0], np.cumsum([community.n for community in communities])))
    total = int(graph_ptr[-1])
    missing, lengths = np.ones(total, np.bool_), np.zeros(total, np.int64)
    epsilon1, epsilon2, degrees = (np.zeros(total) for _ in range(3))
    lists = [np.zeros(0, np.int32)]
    for start, community in zip(graph_ptr[:-1].tolist(), communities, strict=True):
        for stored in store.stored(community):
            report, user = wire.decode(stored.body, n=community.n), start + stored.user
            lists.append(report.neighbours)
            missing[user], lengths[user] = False, len(report.neighbours)
            epsilon1[user], epsilon2[user] = report.epsilon1, report.epsilon2
            # a public user's degree is the length of her list
            degrees[user] = len(report.neighbours) if report.noisy_degree is None else report.noisy_degree
    mechanisms = sorted({community.mechanism for community in communities})
    noisy = all(name in wire.WITH_DEGREE for name in mechanisms)
    labels = np.array([NO_LABEL if community.label is None else community.label for community in communities])
    return Reports(
        np.concatenate(([0], np.cumsum(lengths))),
        np.concatenate(lists),
        graph_ptr,
        labels if (labels != NO_LABEL).any() else None,
        name="collected",
        graph_ids=np.array([community.key for community in communities]),
        epsilon1=epsilon1,
        epsilon2=epsilon2,
        noisy_degree=degrees if noisy else None,
        missing=missing if missing.any() else None,
        origin=Origin("+".join(mechanisms), {"noise": "discrete"} if noisy else {}),
        noise="discrete" if noisy else None,
        collected=True,
    )

"""How many friends users have in each public group: means of what a community by friend-counts holds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select

from graphldp import wire
from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import enough
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store

MOST = 10_000  # reports that are read for it: a page must not wait for millions
_DEVIATIONS = 1.96  # 95 % of a sum of many noises


@dataclass(frozen=True)
class GroupMean:
    """One group.

    Args:
        name: what it is called.
        mean: how many friends a user has in it, by the noisy counts.
        margin: how far the noise alone puts the mean off, at 95 %.
    """

    name: str
    mean: float
    margin: float


@dataclass(frozen=True)
class FriendsByGroup:
    """All groups, in the order of their names, and how many reports were read."""

    groups: tuple[GroupMean, ...]
    reports: int


def friends_by_group(store: Store, community: Community, min_reports: int) -> FriendsByGroup | None:
    """The mean of each count; None where friends are not counted by group, or too few have reported.

    Args:
        store: where the reports are.
        community: which one. Of many reports every second one is read, or every third, and so on, by slot.
        min_reports: below so many, nothing is shown.
    """
    groups = store.groups(community)
    if groups is None:
        return None
    table, width = schema.reports, len(community.group_names)
    held = (table.c.community == community.key, table.c.body.is_not(None))
    with transaction(store.engine, snapshot=True) as connection:
        count = int(connection.execute(select(func.count()).where(*held)).scalar_one())
        every = max(1, math.ceil(count / MOST))
        bodies = connection.execute(select(table.c.body).where(*held, table.c.user % every == 0)).scalars().all()
    if not enough(len(bodies), min_reports):
        return None
    total, variance, group_of = np.zeros(width), 0.0, np.array(groups)
    for body in bodies:
        report = wire.decode(body, n=community.n)
        if report.counts is None:  # a public list, without noise
            total += np.bincount(group_of[report.neighbours], minlength=width)
        else:
            total += report.counts
            variance += 2 * math.exp(-report.epsilon1) / math.expm1(-report.epsilon1) ** 2
    margin = _DEVIATIONS * math.sqrt(variance) / len(bodies)
    means = (total / len(bodies)).tolist()
    return FriendsByGroup(
        tuple(GroupMean(name, mean, margin) for name, mean in zip(community.group_names, means, strict=True)),
        len(bodies),
    )

"""One community at a glance: what is public about it, and what is counted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy import func, select

from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import enough
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.second_round import shown_progress
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store


@dataclass(frozen=True)
class EpochCounts:
    """How far one epoch is, or was.

    Args:
        epoch: which one.
        invited: users who have a token.
        reported: users whose report is held.
        deleted: users whose report was deleted or withdrawn.
    """

    epoch: int
    invited: int
    reported: int
    deleted: int


@dataclass(frozen=True)
class Overview:
    """A community at a glance.

    Args:
        community: in its latest epoch.
        epochs: the counts of all, the latest last.
        prediction: its label by a model, where enough had reported.
        flagged: how many users a defense flagged.
        hubs: how many are asked a second question, and have answered, where enough have reported.
    """

    community: Community
    epochs: tuple[EpochCounts, ...]
    prediction: Prediction | None
    flagged: int
    hubs: tuple[int, int] | None


def overview(store: Store, id: str, min_reports: int) -> Overview:
    """What there is to see of a community without looking at any report.

    Args:
        store: where it is.
        id: which one.
        min_reports: below so many, nothing is shown that was computed from them.
    """
    found = store.community(id)
    epochs = _epochs(store, id)
    label = store.results.predictions([found.key]).get(found.key)
    asks = found.mechanism == "hub-counts"
    return Overview(
        found,
        epochs,
        label if label is not None and enough(label.reported, min_reports) else None,
        len(store.results.flags(found.key)),
        shown_progress(store.second_round.progress(found), epochs[-1].reported, min_reports) if asks else None,
    )


def at_most(prior: float, epsilon: float) -> float:
    """What the probability of one friendship becomes at most for somebody who sees a report drawn with ε."""
    factor = math.exp(epsilon)
    return prior * factor / (prior * factor + 1 - prior)


def _epochs(store: Store, id: str) -> tuple[EpochCounts, ...]:
    table, slots, reports = schema.communities, schema.slots, schema.reports
    query = select(
        table.c.epoch,
        select(func.count()).where(slots.c.community == table.c.key).scalar_subquery(),
        select(func.count(reports.c.body)).where(reports.c.community == table.c.key).scalar_subquery(),
        select(func.count(reports.c.deleted_at)).where(reports.c.community == table.c.key).scalar_subquery(),
    )
    with transaction(store.engine) as connection:
        rows = connection.execute(query.where(table.c.id == id).order_by(table.c.epoch))
        return tuple(EpochCounts(*row) for row in rows)

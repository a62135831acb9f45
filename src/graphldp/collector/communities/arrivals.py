"""When reports came in: by day, since nothing finer is kept."""

from __future__ import annotations

from datetime import date

from sqlalchemy import func, select

from graphldp.collector.communities.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store


def arrivals(store: Store, community: Community) -> dict[date, int]:
    """How many of the reports that are held came in on each day; days without any are left out."""
    table = schema.reports
    query = (
        select(table.c.received_on, func.count())
        .where(table.c.community == community.key, table.c.deleted_at.is_(None))
        .group_by(table.c.received_on)
        .order_by(table.c.received_on)
    )
    with transaction(store.engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}

"""Communities as the database has them: one row for each epoch, the latest of which counts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, Select, bindparam, func, select

from graphldp.collector.community import Choice, Community
from graphldp.collector.storage import schema


def _latest() -> Select[Any]:
    table, newer = schema.communities, schema.communities.alias()
    columns = [column for column in table.c if column.name != "roster"]
    newest = select(func.max(newer.c.epoch)).where(newer.c.id == table.c.id).scalar_subquery()
    return select(*columns).where(table.c.epoch == newest).order_by(table.c.key)


LATEST = _latest()
FIND = LATEST.where(schema.communities.c.id.in_(bindparam("ids", expanding=True)))


def to_community(row: Row[Any]) -> Community:
    """A community from its row."""
    fields = dict(row._mapping)
    return Community(**(fields | {"choices": tuple(Choice.from_json(each) for each in fields["choices"])}))

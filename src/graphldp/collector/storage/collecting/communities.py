"""Communities as the database has them: one row for each epoch, the latest of which counts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select

from graphldp.collector.communities.community import Community
from graphldp.collector.storage import schema
from graphldp.errors import ChangedError, bad_parameter
from graphldp.wire import Choice

_OPERATORS_LOCK = 0x6772_6F70  # the first half of PostgreSQL's advisory locks of this kind; a community is the second

_LONG = ("roster", "groups", "question")  # read where they are needed


def without_rosters() -> Select[Any]:
    """All that makes a community, from every row: of each epoch."""
    return select(*(column for column in schema.communities.c if column.name not in _LONG))


def _latest() -> Select[Any]:
    table, newer = schema.communities, schema.communities.alias()
    newest = select(func.max(newer.c.epoch)).where(newer.c.id == table.c.id).scalar_subquery()
    return without_rosters().where(table.c.epoch == newest).order_by(table.c.key)


LATEST = _latest()
FIND = LATEST.where(schema.communities.c.id.in_(bindparam("ids", expanding=True)))


def to_community(row: Row[Any]) -> Community:
    """A community from its row."""
    fields = {name: value for name, value in row._mapping.items() if name not in _LONG}
    choices = tuple(Choice.from_json(each, fields["mechanism"]) for each in fields["choices"])
    names = tuple(fields["group_names"] or ())
    return Community(**(fields | {"choices": choices, "group_names": names}))


def lock(connection: Connection, id: str, seen: str | None = None) -> Community:
    """A community in its latest epoch, for a writing transaction: until it ends, no other operator changes it.

    SQLite's writing transactions exclude each other anyway. PostgreSQL's begin by waiting for this lock, and look up
    the latest epoch only then.

    Args:
        connection: of the transaction.
        id: the community.
        seen: its version when the operator looked at it; by default she means it as it is now.

    Raises:
        ChangedError: where somebody else has changed it since.
    """
    hold(connection, id)
    row = connection.execute(FIND, {"ids": [id]}).one_or_none()
    if row is None:
        raise bad_parameter("community", "the collector", "the id of a community", id)
    found = to_community(row)
    if seen not in (None, found.version):
        raise ChangedError(
            f"Somebody else changed the community '{id}' since you looked at it. Nothing was done: look again."
        )
    return found


def hold(connection: Connection, id: str) -> None:
    """Keep other operators from an id until a writing transaction ends, whether a community has it or not."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_OPERATORS_LOCK, func.hashtext(id))))


def new_key(connection: Connection) -> dict[str, int]:
    """The key of a new row, where the database would give one again.

    SQLite gives a row that is added after the last one was deleted the same key. A server may still know it as the
    deleted community's, and what it has in memory is another roster.
    """
    if connection.dialect.name == "postgresql":
        return {}
    return {"key": highest_key(connection) + 1}


def highest_key(connection: Connection) -> int:
    """The highest key that a community has or had."""
    tables = (schema.communities, schema.gone)
    return max(int(connection.execute(select(func.max(table.c.key))).scalar() or 0) for table in tables)

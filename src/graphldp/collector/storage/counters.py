"""Numbers that are given once, whatever is deleted or restored meanwhile.

A server that still knows a community by its key would show its roster to the members of another one with that key, and
the model of a job has the job's number in its name.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, case, func, literal, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import upsert

RESTORES = "restores"


def next_key(connection: Connection, table: Table) -> int:
    """The key of a table's next row, inside a writing transaction."""
    highest = connection.execute(select(func.max(table.c.key))).scalar() or 0
    return count(connection, table.name, highest + 1)


def count(connection: Connection, name: str, least: int = 1) -> int:
    """The next number by a counter, and ``least`` at least. Others who count by it wait until the transaction ends."""
    counters = schema.counters
    following = case((counters.c.last >= least, counters.c.last + 1), else_=literal(least))
    new = upsert(connection, counters).values(name=name, last=least)
    query = new.on_conflict_do_update(index_elements=[counters.c.name], set_={"last": following})
    return int(connection.execute(query.returning(counters.c.last)).scalar_one())


def last(connection: Connection, name: str) -> int:
    """The number that a counter gave last; 0 for none."""
    query = select(schema.counters.c.last).where(schema.counters.c.name == name)
    return int(connection.execute(query).scalar() or 0)


def raise_to(connection: Connection, name: str, least: int) -> None:
    """Let a counter give no number up to ``least`` any more."""
    if last(connection, name) < least:
        count(connection, name, least)

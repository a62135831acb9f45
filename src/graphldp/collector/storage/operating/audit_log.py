"""What operators did: entries that are only ever added, each with a digest over itself and all before it.

An entry says who did what to which community or operator, and when. It names no member and repeats nothing of a report.
The database refuses to change or to delete one. Whoever has all rights on the database can get around that, and then
the digests tell: an entry that was changed, taken out, put in or moved breaks the chain from there on. Only what was
cut off at the end leaves a whole chain, as does a log that was written anew. Against both there is the *head*, the last
entry's number and digest: whoever kept one elsewhere can ask whether the log still holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, insert, select

from graphldp.collector.roles import Actor
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.errors import DamagedError, bad_parameter

_BEFORE_ALL = "0" * 64
_LOG_LOCK = 0x6772_6C6F  # one of PostgreSQL's advisory locks: "graphldp writes its log"
_HEAD = re.compile(r"([0-9]{1,9}):([0-9a-f]{64})")
_ROWS = 1000


@dataclass(frozen=True)
class LogEntry:
    """One entry.

    Args:
        number: its place in the log, from 1 on.
        at: when, by the clock of the machine that wrote it.
        actor: who.
        role: hers at the time.
        way: by which she came.
        action: what she did, such as ``"community.close"``.
        about: the id of a community or the name of an operator, where it is about one; of a restore, with which entry
            the backup's log ends.
        outcome: ``"begun"``, ``"failed"`` or ``"forbidden"``; of a restore, ``"begun"``, or ``"other log"`` where
            the backup's log tells another story.
        digest: SHA-256 over the digest before and all of the above.
    """

    number: int
    at: datetime
    actor: str
    role: str
    way: str
    action: str
    about: str | None
    outcome: str
    digest: str

    @property
    def head(self) -> str:
        """What to keep elsewhere: from it the log up to this entry can be recognised."""
        return f"{self.number}:{self.digest}"


class AuditLog:
    """The log.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def add(self, actor: Actor, action: str, about: str | None = None, outcome: str = "begun") -> LogEntry:
        """Add an entry; it is on disk when this returns."""
        with transaction(self.engine, writes=True) as connection:
            return append(connection, actor, action, about, outcome)

    def entries(self, last: int | None = None) -> list[LogEntry]:
        """The entries in their order, or only the last so many."""
        table = schema.audit_log
        query = select(table).order_by(table.c.number.desc()).limit(last)
        with transaction(self.engine) as connection:
            return [to_entry(row) for row in connection.execute(query)][::-1]

    def head(self) -> str:
        """The last entry's number and digest; of an empty log those before the first."""
        with transaction(self.engine) as connection:
            return "{}:{}".format(*_last(connection))

    def problem(self, head: str | None = None) -> str | None:
        """What is wrong with the log, beginning with its first broken entry, or None.

        Args:
            head: one that was kept; the log has to hold it.
        """
        with transaction(self.engine, snapshot=True) as connection:
            return broken(connection, head)


def append(connection: Connection, actor: Actor, action: str, about: str | None, outcome: str) -> LogEntry:
    """Add an entry inside a writing transaction."""
    if connection.dialect.name == "postgresql":  # SQLite's writing transactions exclude each other anyway
        connection.execute(select(func.pg_advisory_xact_lock(_LOG_LOCK)))
    number, before = _last(connection)
    values = (number + 1, datetime.now(UTC), actor.name, actor.role.title, actor.way, action, about, outcome)
    entry = LogEntry(*values, digest=_digest(before, values))
    connection.execute(insert(schema.audit_log).values(**vars(entry)))
    return entry


def broken(connection: Connection, head: str | None = None) -> str | None:
    """The first thing that is wrong with a log, or None."""
    kept = _read_head(head) if head is not None else None
    number, before, held = 0, _BEFORE_ALL, kept is None or kept == (0, _BEFORE_ALL)
    changed = "is broken: it, or its place, was changed after it was written."
    try:
        with closing(_rows(connection)) as rows:
            for row in rows:
                if row.number != number + 1:
                    return f"Entry {number + 1} is missing."
                *values, digest = _entry_values(row)
                if _digest(before, values) != digest:
                    return f"Entry {row.number} {changed}"
                number, before = row.number, digest
                held = held or kept == (number, before)
    except (DamagedError, TypeError):  # SQLite takes any value: a time that is none, or bytes for a name
        return f"Entry {number + 1} {changed}"
    if kept is not None and not held:
        if kept[0] > number:
            return f"The log ends with entry {number}, and the head that you kept is of entry {kept[0]}: cut off."
        return f"Entry {kept[0]} is not the one of the head that you kept: the log was written anew."
    return None


def carry_on(source: Connection, target: Connection) -> bool:
    """Add to a log what another one holds beyond it. A log that tells another story is left as it is.

    Returns:
        Whether one of the two logs goes on where the other one ends.
    """
    here, there = last_entry(target), last_entry(source)
    shorter = min(here, there)
    if _digest_of(source, shorter) != _digest_of(target, shorter):
        return False
    rows: list[dict[str, Any]] = [dict(row._mapping) for row in _rows(source, after=here)]
    for start in range(0, len(rows), _ROWS):
        target.execute(insert(schema.audit_log), rows[start : start + _ROWS])
    return True


def last_entry(connection: Connection) -> int:
    """The number of the last entry; 0 for an empty log."""
    return _last(connection)[0]


def _last(connection: Connection) -> tuple[int, str]:
    table = schema.audit_log
    query = select(table.c.number, table.c.digest).order_by(table.c.number.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return (0, _BEFORE_ALL) if row is None else (row.number, row.digest)


def _digest_of(connection: Connection, number: int) -> str | None:
    table = schema.audit_log
    query = select(table.c.digest).where(table.c.number == number)
    return _BEFORE_ALL if number == 0 else connection.execute(query).scalar()


def _rows(connection: Connection, after: int = 0) -> Generator[Row[Any]]:
    table = schema.audit_log
    query = select(table).where(table.c.number > after).order_by(table.c.number)
    with connection.execute(query, execution_options={"yield_per": _ROWS}) as found:
        yield from found


def _entry_values(row: Row[Any]) -> list[Any]:
    return [getattr(row, column.name) for column in schema.audit_log.c]


def to_entry(row: Row[Any]) -> LogEntry:
    """A row as an entry."""
    return LogEntry(*_entry_values(row))


def _digest(before: str, values: Sequence[Any]) -> str:
    number, at, *rest = values
    said = [before, number, at.astimezone(UTC).isoformat(), *rest]
    return sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()


def _read_head(text: str) -> tuple[int, str]:
    match = _HEAD.fullmatch(text.strip())
    if match is None:
        raise bad_parameter("head", "audit-log verify", "a number, a colon and 64 hexadecimal digits", text[:80])
    return int(match[1]), match[2]

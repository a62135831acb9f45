"""The log of what operators did: entries that are only ever added, each with a digest over itself and all before it.

An entry says who did what to which community or operator, and when. It names no member and repeats nothing of a report.
The database refuses to change or to delete one. Whoever has all rights on the database can get around that, and then
the digests tell: an entry that was changed, taken out, put in or moved breaks the chain from there on. Only what was
cut off at the end leaves a whole chain, as does a log that was written anew. Against both there is the *head*, the last
entry's number and digest: whoever kept one elsewhere can ask whether the log still holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select

from graphldp.collector.roles import Actor
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import StorePart, transaction
from graphldp.errors import DamagedError, bad_parameter

_BEFORE_ALL = "0" * 64
_LOG_LOCK = 0x6772_6C6F  # one of PostgreSQL's advisory locks: "graphldp writes its log"
_HEAD = re.compile(r"([0-9]{1,9}):([0-9a-f]{64})")
_ROWS = 1000
PER_PAGE = 100
_LONGEST = 200
_RECENT = 10_000  # entries in which the last action of each operator is looked for
_TABLE = schema.audit_log


@dataclass(frozen=True)
class LogEntry:
    """One entry.

    Args:
        number: its place in the log, from 1 on.
        at: when, by the clock of the machine that wrote it.
        way: by which the actor came.
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
        """The text to keep elsewhere: from it the log up to this entry can be recognised."""
        return f"{self.number}:{self.digest}"


@dataclass(frozen=True)
class LogSearch:
    """A search of the log: which entries to show.

    Args:
        actor: a part of the name of who acted; anybody by default.
        action: a part of what was done, such as ``"community."``; anything by default.
        about: a part of the community's id or the operator's name.
        before: only entries with a lower number, so that a page stays the same while entries are added.
    """

    actor: str = ""
    action: str = ""
    about: str = ""
    before: int | None = None

    def __post_init__(self) -> None:
        for name in ("actor", "action", "about"):
            text = getattr(self, name)
            if len(text) > _LONGEST or (text and not text.isprintable()):
                raise bad_parameter(name, "the audit log", f"at most {_LONGEST} printable characters", text[:40])

    def conditions(self) -> list[ColumnElement[bool]]:
        """The conditions of the entries."""
        asked = ((_TABLE.c.actor, self.actor), (_TABLE.c.action, self.action), (_TABLE.c.about, self.about))
        found = [column.contains(text.strip(), autoescape=True) for column, text in asked if text.strip()]
        return found if self.before is None else [*found, _TABLE.c.number < self.before]


@dataclass(frozen=True)
class LogPage:
    """A page of entries, the newest first, and what ``before`` has to be for the next one, if there is one."""

    entries: Sequence[LogEntry]
    older: int | None


class AuditLog(StorePart):
    """The log."""

    def add(self, actor: Actor, action: str, about: str | None = None, outcome: str = "begun") -> LogEntry:
        """Add an entry; it is on disk when this returns."""
        with transaction(self.engine, writes=True) as connection:
            return append(connection, actor, action, about, outcome)

    def entries(self, last: int | None = None) -> list[LogEntry]:
        """The entries in their order, or only the last so many."""
        query = select(_TABLE).order_by(_TABLE.c.number.desc()).limit(last)
        return [LogEntry(*row) for row in self.rows(query)][::-1]

    def head(self) -> str:
        """The last entry's number and digest; of an empty log those before the first."""
        with transaction(self.engine) as connection:
            return "{}:{}".format(*_last(connection))

    def problem(self, head: str | None = None) -> str | None:
        """The fault of the log, from its first broken entry on, or None. It has to hold a head that is given."""
        with transaction(self.engine, snapshot=True) as connection:
            return broken(connection, head)

    def page(self, wanted: LogSearch, most: int = PER_PAGE) -> LogPage:
        """A page of the log, of so many entries, the newest first."""
        query = select(_TABLE).where(*wanted.conditions()).order_by(_TABLE.c.number.desc()).limit(most + 1)
        found = [LogEntry(*row) for row in self.rows(query)]
        shown = found[:most]
        return LogPage(shown, shown[-1].number if len(found) > most else None)

    def whole(self) -> Iterator[LogEntry]:
        """Every entry that there is when this begins, in order, some at a time: no transaction waits for who reads."""
        last, number = int(self.head().partition(":")[0]), 0
        while number < last:
            query = select(_TABLE).where(_TABLE.c.number > number).order_by(_TABLE.c.number).limit(_ROWS)
            found = [LogEntry(*row) for row in self.rows(query)]
            yield from (entry for entry in found if entry.number <= last)
            number = found[-1].number if found else last

    def last_actions(self) -> dict[str, datetime]:
        """When each operator last did something, by name, in the newest entries of the log."""
        recent = select(_TABLE.c.actor, _TABLE.c.at).order_by(_TABLE.c.number.desc()).limit(_RECENT).subquery()
        return {
            row[0]: row[1] for row in self.rows(select(recent.c.actor, func.max(recent.c.at)).group_by(recent.c.actor))
        }


def append(connection: Connection, actor: Actor, action: str, about: str | None, outcome: str) -> LogEntry:
    """Add an entry inside a writing transaction."""
    if connection.dialect.name == "postgresql":  # SQLite's writing transactions exclude each other anyway
        connection.execute(select(func.pg_advisory_xact_lock(_LOG_LOCK)))
    number, before = _last(connection)
    values = (number + 1, datetime.now(UTC), actor.name, actor.role.title, actor.way, action, about, outcome)
    entry = LogEntry(*values, digest=_digest(before, values))
    connection.execute(insert(_TABLE).values(**vars(entry)))
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
                values, digest = row[:-1], row[-1]
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
        target.execute(insert(_TABLE), rows[start : start + _ROWS])
    return True


def goes_on(source: Connection, target: Connection) -> bool:
    """Whether the first log is the second one, or goes on where that ends."""
    here = last_entry(target)
    return _digest_of(source, here) == _digest_of(target, here)


def last_entry(connection: Connection) -> int:
    """The number of the last entry; 0 for an empty log."""
    return _last(connection)[0]


def _last(connection: Connection) -> tuple[int, str]:
    query = select(_TABLE.c.number, _TABLE.c.digest).order_by(_TABLE.c.number.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return (0, _BEFORE_ALL) if row is None else (row.number, row.digest)


def _digest_of(connection: Connection, number: int) -> str | None:
    query = select(_TABLE.c.digest).where(_TABLE.c.number == number)
    return _BEFORE_ALL if number == 0 else connection.execute(query).scalar()


def _rows(connection: Connection, after: int = 0) -> Generator[Row[Any]]:
    query = select(_TABLE).where(_TABLE.c.number > after).order_by(_TABLE.c.number)
    with connection.execute(query, execution_options={"yield_per": _ROWS}) as found:
        yield from found


def _digest(before: str, values: Sequence[Any]) -> str:
    number, at, *rest = values
    said = [before, number, at.astimezone(UTC).isoformat(), *rest]
    return sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()


def _read_head(text: str) -> tuple[int, str]:
    match = _HEAD.fullmatch(text.strip())
    if match is None:
        raise bad_parameter("head", "audit-log verify", "a number, a colon and 64 hexadecimal digits", text[:80])
    return int(match[1]), match[2]

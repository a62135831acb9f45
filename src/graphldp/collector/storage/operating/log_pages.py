"""The log of what operators did, read in parts: newest first, and searched. It is never read whole at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.audit_log import LogEntry, to_entry
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter

PER_PAGE = 100
LONGEST = 200
_AT_A_TIME = 1000
_RECENT = 10_000  # entries in which the last action of each operator is looked for
_TABLE = schema.audit_log


@dataclass(frozen=True)
class LogWanted:
    """Which entries to show.

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
            if len(text) > LONGEST or (text and not text.isprintable()):
                raise bad_parameter(name, "the audit log", f"at most {LONGEST} printable characters", text[:40])

    def conditions(self) -> list[ColumnElement[bool]]:
        """What is true of the entries."""
        asked = ((_TABLE.c.actor, self.actor), (_TABLE.c.action, self.action), (_TABLE.c.about, self.about))
        found = [column.contains(text.strip(), autoescape=True) for column, text in asked if text.strip()]
        return found if self.before is None else [*found, _TABLE.c.number < self.before]


@dataclass(frozen=True)
class LogPage:
    """Some entries, the newest first.

    Args:
        entries: as many as a page holds, or fewer.
        older: what ``before`` has to be for the next page; None where there is none.
    """

    entries: Sequence[LogEntry]
    older: int | None


def page_of_log(store: Store, wanted: LogWanted, most: int = PER_PAGE) -> LogPage:
    """A page of the log, of so many entries."""
    query = select(_TABLE).where(*wanted.conditions()).order_by(_TABLE.c.number.desc()).limit(most + 1)
    with transaction(store.engine) as connection:
        found = [to_entry(row) for row in connection.execute(query)]
    shown = found[:most]
    return LogPage(shown, shown[-1].number if len(found) > most else None)


def whole_log(store: Store) -> Iterator[LogEntry]:
    """Every entry that there is when this begins, in order, some at a time: no transaction waits for who reads."""
    last, number = int(store.audit_log.head().partition(":")[0]), 0
    while number < last:
        query = select(_TABLE).where(_TABLE.c.number > number).order_by(_TABLE.c.number).limit(_AT_A_TIME)
        with transaction(store.engine) as connection:
            found = [to_entry(row) for row in connection.execute(query)]
        yield from (entry for entry in found if entry.number <= last)
        number = found[-1].number if found else last


def last_actions(store: Store) -> dict[str, datetime]:
    """When each operator last did something, by name, in the newest entries of the log."""
    recent = select(_TABLE.c.actor, _TABLE.c.at).order_by(_TABLE.c.number.desc()).limit(_RECENT).subquery()
    query = select(recent.c.actor, func.max(recent.c.at)).group_by(recent.c.actor)
    with transaction(store.engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}

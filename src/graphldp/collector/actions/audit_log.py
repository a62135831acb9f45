"""Read the log of what operators did, check it, and take it out. This is for administrators."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from graphldp.collector.acting import acting, reading
from graphldp.collector.roles import Actor, Role
from graphldp.collector.spreadsheets import as_text
from graphldp.collector.storage.operating.audit_log import LogEntry
from graphldp.collector.storage.operating.log_pages import PER_PAGE, LogPage, LogWanted, page_of_log, whole_log
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter

LOG_FORMATS = ("json", "csv")


@dataclass(frozen=True)
class LogCheck:
    """What a check of the log found.

    Args:
        head: the last entry's number and digest: what to keep elsewhere.
        problem: what is wrong, beginning with the first broken entry, or None.
    """

    head: str
    problem: str | None

    @property
    def entries(self) -> int:
        """How many there are."""
        return int(self.head.partition(":")[0])


@reading("log.read", Role.ADMINISTRATOR)
def read_log(store: Store, actor: Actor, wanted: LogWanted, most: int = PER_PAGE) -> LogPage:
    """A page of the log, of so many entries, the newest first."""
    return page_of_log(store, wanted, most)


@reading("log.verify", Role.ADMINISTRATOR)
def verify(store: Store, actor: Actor, head: str | None = None) -> LogCheck:
    """Check each entry's digest, which covers it and all before it.

    Args:
        store: where the log is.
        actor: who looks.
        head: one that was kept; the log has to hold it.
    """
    now = store.audit_log.head()  # before: what is added meanwhile is checked too, and not claimed
    return LogCheck(now, store.audit_log.problem(head))


@acting("log.download", Role.ADMINISTRATOR)
def download(store: Store, actor: Actor, form: str) -> Iterator[str]:
    """The whole log as text, some entries at a time.

    Args:
        store: where it is.
        actor: who takes it.
        form: ``"json"``, a list of objects with all that a digest covers, or ``"csv"``.
    """
    if form not in LOG_FORMATS:
        raise bad_parameter("format", "the audit log", f"one of {', '.join(LOG_FORMATS)}", form)
    return _as_json(whole_log(store)) if form == "json" else _as_csv(whole_log(store))


def entry_values(entry: LogEntry) -> dict[str, Any]:
    """An entry as JSON has it."""
    return vars(entry) | {"at": entry.at.isoformat()}


def _as_json(entries: Iterator[LogEntry]) -> Iterator[str]:
    yield "["
    before = "\n"
    for entry in entries:
        yield before + json.dumps(entry_values(entry), ensure_ascii=False)
        before = ",\n"
    yield "\n]\n"


def _as_csv(entries: Iterator[LogEntry]) -> Iterator[str]:
    yield _line(LogEntry.__dataclass_fields__)
    for entry in entries:
        yield _line(as_text("" if value is None else str(value)) for value in entry_values(entry).values())


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()

"""Actions on the log of what operators did: read it, check it, and take it out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.storage.operating.audit_log import PER_PAGE, LogEntry, LogPage, LogSearch
from graphldp.collector.storage.store import Store
from graphldp.errors import bad_parameter
from graphldp.files.text import as_text, csv_line

LOG_FORMATS = ("json", "csv")
_PARTS = 100  # of a text, at a time


@dataclass(frozen=True)
class LogCheck:
    """The result of a check of the log: its head, to keep elsewhere, and what is wrong, if anything."""

    head: str
    problem: str | None

    @property
    def entries(self) -> int:
        """The number of entries."""
        return int(self.head.partition(":")[0])


@acting("log.read", Role.ADMINISTRATOR, noted=False)
def read_log(store: Store, actor: Actor, wanted: LogSearch, most: int = PER_PAGE) -> LogPage:
    """A page of the log, of so many entries, the newest first."""
    return store.audit_log.page(wanted, most)


@acting("log.verify", Role.ADMINISTRATOR, noted=False)
def verify(store: Store, actor: Actor, head: str | None = None) -> LogCheck:
    """Check each entry's digest, which covers it and all before it."""
    now = store.audit_log.head()  # before: what is added meanwhile is checked too, and not claimed
    return LogCheck(now, store.audit_log.problem(head))


@acting("log.download", Role.ADMINISTRATOR)
def download(store: Store, actor: Actor, form: str) -> Iterator[str]:
    """The text of the whole log, some entries at a time."""
    if form not in LOG_FORMATS:
        raise bad_parameter("format", "the audit log", f"one of {', '.join(LOG_FORMATS)}", form)
    entries = store.audit_log.whole()
    parts = _as_json(entries) if form == "json" else _as_csv(entries)
    return iter(lambda: "".join(islice(parts, _PARTS)), "")  # whoever sends them pays for each piece


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
    yield csv_line(LogEntry.__dataclass_fields__)
    for entry in entries:
        yield csv_line(as_text("" if value is None else str(value)) for value in entry_values(entry).values())

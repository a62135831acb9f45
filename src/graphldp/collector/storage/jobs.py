"""Trainings and labellings that operators start, as the store has them. One is under way at a time.

A job runs in a process of its own, which says every few seconds that it is alive and how far it is. A job that has not
been heard of for :data:`SILENT` seconds is *lost*: its process was killed, or its machine went down. It has then left
nothing behind, since a model and labels are written whole at the end, and the next one may begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.errors import BusyError, bad_parameter

Kind = Literal["train", "label"]
State = Literal["waiting", "running", "stopping", "done", "failed", "stopped", "lost"]

SILENT = 60.0  # seconds
_STARTS = 10  # times as long may a process take to begin: on a busy machine it loads its libraries slowly
_KEPT = 200  # jobs that are over; older ones go
_UNDER_WAY = ("waiting", "running", "stopping")
_LOST = "Its process ended without a word, or its machine did. Nothing of it was kept. Start it again."


@dataclass(frozen=True)
class BackgroundJob:
    """One job.

    Args:
        key: its number.
        kind: ``"train"`` or ``"label"``.
        settings: what it was asked to do.
        asked_by: the operator.
        asked_at: when.
        state: ``"waiting"`` until its process begins, ``"running"``, ``"stopping"`` once somebody asked it to stop;
            then ``"done"``, ``"failed"``, ``"stopped"`` or ``"lost"``.
        doing: what it does now.
        share: how much of it is done, from 0 to 1.
        heard_at: when its process last said that it is alive.
        ended_at: when it was over.
        result: what it found.
        note: why it is not done.
    """

    key: int
    kind: Kind
    settings: Mapping[str, Any]
    asked_by: str
    asked_at: datetime
    state: State
    doing: str
    share: float
    heard_at: datetime
    ended_at: datetime | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def under_way(self) -> bool:
        """Whether it is not over."""
        return self.state in _UNDER_WAY

    def to_json(self) -> dict[str, Any]:
        """All that is said of it, as JSON has it."""
        found = asdict(self)
        found["settings"] = {name: value for name, value in self.settings.items() if name != "folder"}
        for name in ("asked_at", "heard_at", "ended_at"):
            found[name] = None if found[name] is None else found[name].isoformat(timespec="seconds")
        return found


class Jobs:
    """The jobs of a collector.

    Args:
        engine: a migrated database.
        silent: after how many seconds without a word a job is lost.
    """

    def __init__(self, engine: Engine, silent: float = SILENT) -> None:
        self.engine, self.silent = engine, silent

    def add(self, kind: Kind, settings: Mapping[str, Any], asked_by: str) -> BackgroundJob:
        """A new job, which waits for its process.

        Raises:
            BusyError: where another one is under way.
        """
        now = datetime.now(UTC)
        row: dict[str, Any] = {
            "kind": kind,
            "settings": dict(settings),
            "asked_by": asked_by,
            "asked_at": now,
            "state": "waiting",
        }
        row |= {"active": 1, "doing": "waiting for its process", "share": 0.0, "heard_at": now, "note": ""}
        table = schema.jobs
        self.tidy()
        with transaction(self.engine, writes=True) as connection:
            if (other := _active(connection)) is not None:
                raise _busy(other)
            try:
                key = connection.execute(insert(table).values(**row).returning(table.c.key)).scalar_one()
            except IntegrityError:  # two operators at once: the other one was first
                raise BusyError("Another job began a moment ago. Wait until it is over, or stop it.") from None
            old = select(table.c.key).where(table.c.active.is_(None)).order_by(table.c.key.desc()).offset(_KEPT)
            connection.execute(delete(table).where(table.c.key.in_(old.limit(_KEPT))))
        return self.job(key)

    def job(self, key: int) -> BackgroundJob:
        """A job by its number."""
        with transaction(self.engine) as connection:
            row = connection.execute(select(schema.jobs).where(schema.jobs.c.key == key)).one_or_none()
        if row is None:
            raise bad_parameter("job", "the collector", "the number of a job", key)
        return _to_job(row)

    def latest(self, most: int = 50) -> list[BackgroundJob]:
        """The latest jobs, the last one first."""
        self.tidy()
        with transaction(self.engine) as connection:
            rows = connection.execute(select(schema.jobs).order_by(schema.jobs.c.key.desc()).limit(most))
            return [_to_job(row) for row in rows]

    def begin(self, key: int) -> bool:
        """Let a process take up a waiting job; False where the job does not wait any more."""
        return self._change(key, ("waiting",), state="running", doing="starting", heard_at=datetime.now(UTC))

    def tell(self, key: int, doing: str, share: float) -> bool:
        """Say how far a job is; False where it is not to go on."""
        values = {"doing": doing, "share": min(max(share, 0.0), 1.0), "heard_at": datetime.now(UTC)}
        return self._change(key, ("running",), **values)

    def stop(self, key: int) -> None:
        """Ask a job to stop. One that still waits for its process is over at once."""
        self.job(key)
        if not self._end(key, ("waiting",), "stopped", "It was stopped before it began."):
            self._change(key, ("running",), state="stopping", doing="stopping")

    def end(self, key: int, state: State, note: str = "", result: Mapping[str, Any] | None = None) -> bool:
        """Say that a job is over, unless that was said before."""
        return self._end(key, _UNDER_WAY, state, note, result)

    def tidy(self) -> None:
        """Give up jobs that have not been heard of for long."""
        now, table = datetime.now(UTC), schema.jobs
        since = {each: now - timedelta(seconds=self.silent) for each in _UNDER_WAY}
        since["waiting"] = now - timedelta(seconds=_STARTS * self.silent)
        with transaction(self.engine) as connection:
            active = connection.execute(select(table.c.key, table.c.state, table.c.heard_at).where(table.c.active == 1))
            lost = [(row.key, row.state) for row in active if row.heard_at < since[row.state]]
        for key, state in lost:
            self._end(key, (state,), "lost", _LOST, heard_before=since[state])

    def _end(
        self,
        key: int,
        states: tuple[str, ...],
        state: State,
        note: str,
        result: Mapping[str, Any] | None = None,
        heard_before: datetime | None = None,
    ) -> bool:
        values: dict[str, Any] = {"state": state, "active": None, "ended_at": datetime.now(UTC), "note": note}
        values["result"] = None if result is None else dict(result)
        if state == "done":
            values |= {"share": 1.0, "doing": "done"}
        return self._change(key, states, heard_before, **values)

    def _change(
        self, key: int, states: tuple[str, ...], heard_before: datetime | None = None, /, **values: Any
    ) -> bool:
        """Change a job that is in one of some states; False where it is not."""
        table = schema.jobs
        query = update(table).where(table.c.key == key, table.c.state.in_(states))
        if heard_before is not None:  # it may have said a word since it was looked at
            query = query.where(table.c.heard_at < heard_before)
        with transaction(self.engine, writes=True) as connection:
            return connection.execute(query.values(**values)).rowcount > 0


def _active(connection: Connection) -> BackgroundJob | None:
    row = connection.execute(select(schema.jobs).where(schema.jobs.c.active == 1)).one_or_none()
    return None if row is None else _to_job(row)


def _busy(other: BackgroundJob) -> BusyError:
    return BusyError(
        f"Job {other.key} ({other.kind}, asked for by {other.asked_by}) is under way, {other.share:.0%} done. "
        "Wait until it is over, or stop it."
    )


def _to_job(row: Row[Any]) -> BackgroundJob:
    fields = dict(row._mapping)
    del fields["active"]
    return BackgroundJob(**(fields | {"result": fields["result"] or {}}))

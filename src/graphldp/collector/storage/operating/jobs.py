"""Trainings and labellings that operators start, as the store has them. One is under way at a time.

A job runs in a process of its own, which says every few seconds that it is alive and how far it is. A job that has said
nothing for :data:`SILENT` seconds is *lost*: its process was killed, or its machine went down. It has then left nothing
behind, since a model and labels are written whole at the end, and the next one may begin.

Clocks jump, and those of two machines differ. So the time of a job's last sign of life only raises a doubt, whether it
is too long ago or still to come. Whoever doubts waits for :data:`WAITS` seconds by a clock that never jumps; a job that
gives no sign meanwhile is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector.storage import schema
from graphldp.collector.storage.counters import next_key
from graphldp.collector.storage.database import StorePart, transaction
from graphldp.errors import BusyError, bad_parameter

Kind = Literal["train", "label"]
State = Literal["waiting", "running", "stopping", "done", "failed", "stopped", "lost"]

SILENT = 60.0  # seconds
WAITS = 10.0  # seconds, in which a job gives several signs of life
_LOOKS_AGAIN = 0.2
_STARTS = 10  # times as long may a process take to begin: on a busy machine it loads its libraries slowly
_KEPT = 200  # jobs that are over; older ones go
_UNDER_WAY = ("waiting", "running", "stopping")
_LOST = "Its process or its machine stopped without notice. Nothing of it was kept. Start it again."


@dataclass(frozen=True)
class BackgroundJob:
    """One job, which an operator asked for.

    Args:
        state: ``"waiting"`` until its process begins, ``"running"``, ``"stopping"`` once somebody asked it to stop;
            then ``"done"``, ``"failed"``, ``"stopped"`` or ``"lost"``.
        doing: what it does now.
        share: how much of it is done, from 0 to 1.
        alive_at: when its process last said that it is alive.
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
    alive_at: datetime
    ended_at: datetime | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def under_way(self) -> bool:
        """Whether it is not over."""
        return self.state in _UNDER_WAY

    def to_json(self) -> dict[str, Any]:
        """The job as JSON."""
        found = asdict(self)
        found["settings"] = {name: value for name, value in self.settings.items() if name != "folder"}
        for name in ("asked_at", "alive_at", "ended_at"):
            found[name] = None if found[name] is None else found[name].isoformat(timespec="seconds")
        return found


class _Sign(NamedTuple):
    """The last sign of life of a job."""

    key: int
    state: str
    alive_at: datetime


def _wall() -> datetime:
    return datetime.now(UTC)


class Jobs(StorePart):
    """The jobs of a collector.

    Args:
        silent: after how many seconds without a sign of life, by the machine's clock, a job is in doubt.
        waits: how many seconds to wait for a sign of life from a job in doubt, before it is lost.
    """

    def __init__(
        self,
        engine: Engine,
        silent: float = SILENT,
        waits: float = WAITS,
        wall: Callable[[], datetime] = _wall,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(engine)
        self.silent, self.waits, self._wall, self._monotonic = silent, waits, wall, monotonic
        self._last: tuple[_Sign, float] | None = None  # sign of the job under way, and since when it is known

    def add(self, kind: Kind, settings: Mapping[str, Any], asked_by: str) -> BackgroundJob:
        """A new job, which waits for its process."""
        now = self._wall()
        row: dict[str, Any] = {"kind": kind, "settings": dict(settings), "asked_by": asked_by, "asked_at": now}
        row |= {"state": "waiting", "active": 1, "doing": "waiting for its process", "alive_at": now}
        row |= {"share": 0.0, "note": ""}
        table = schema.jobs
        self.settle()
        with transaction(self.engine, writes=True) as connection:
            if (other := _active(connection)) is not None:
                raise _busy(other)
            try:
                key = next_key(connection, table)
                connection.execute(insert(table).values(**row, key=key))
            except IntegrityError:  # two operators at once: the other one was first
                raise BusyError("Another job began a moment ago. Wait until it is over, or stop it.") from None
            old = select(table.c.key).where(table.c.active.is_(None)).order_by(table.c.key.desc()).offset(_KEPT)
            connection.execute(delete(table).where(table.c.key.in_(old.limit(_KEPT))))
        return self.job(key)

    def job(self, key: int) -> BackgroundJob:
        """A job by its number."""
        rows = self.rows(select(schema.jobs).where(schema.jobs.c.key == key))
        if not rows:
            raise bad_parameter("job", "the collector", "the number of a job", key)
        return _to_job(rows[0])

    def latest(self, most: int = 50) -> list[BackgroundJob]:
        """The latest jobs, the last one first."""
        self.tidy()
        return [_to_job(row) for row in self.rows(select(schema.jobs).order_by(schema.jobs.c.key.desc()).limit(most))]

    def begin(self, key: int) -> bool:
        """Let a process take up a waiting job; False where the job does not wait any more."""
        return self._change(key, ("waiting",), state="running", doing="starting", alive_at=self._wall())

    def tell(self, key: int, doing: str, share: float) -> bool:
        """Say how far a job is; False where it is not to go on."""
        values = {"doing": doing, "share": min(max(share, 0.0), 1.0), "alive_at": self._wall()}
        return self._change(key, ("running",), **values)

    def stop(self, key: int) -> None:
        """Ask a job to stop. One that still waits for its process is over at once."""
        self.job(key)
        if not self._end(key, ("waiting",), "stopped", "It was stopped before it began."):
            self._change(key, ("running",), state="stopping", doing="stopping")

    def end(self, key: int, state: State, note: str = "", result: Mapping[str, Any] | None = None) -> bool:
        """Say that a job is over, unless that was said before."""
        return self._end(key, _UNDER_WAY, state, note, result)

    def tidy(self) -> _Sign | None:
        """Give up a job that has said nothing for long; gives the last sign of one that is in doubt."""
        table = schema.jobs
        columns = (table.c.key, table.c.state, table.c.alive_at)
        rows = self.rows(select(*columns).where(table.c.active == 1))
        if not rows:
            return None
        sign, now = _Sign(*rows[0]), self._monotonic()
        known, since = self._last or (None, now)
        if known != sign:
            known, since = self._last = sign, now
        silent = self.silent * (_STARTS if sign.state == "waiting" else 1)
        if abs(self._wall() - sign.alive_at).total_seconds() < silent:
            return None
        if now - since < self.waits:
            return sign
        self._end(sign.key, (sign.state,), "lost", _LOST, alive_at=sign.alive_at)
        return None

    def settle(self) -> None:
        """Wait until a job that is in doubt gives a sign of life, or is given up."""
        doubted = sign = self.tidy()
        while sign is not None and sign == doubted:
            time.sleep(_LOOKS_AGAIN)
            sign = self.tidy()

    def _end(
        self,
        key: int,
        states: tuple[str, ...],
        state: State,
        note: str,
        result: Mapping[str, Any] | None = None,
        alive_at: datetime | None = None,
    ) -> bool:
        values: dict[str, Any] = {"state": state, "active": None, "ended_at": self._wall(), "note": note}
        values["result"] = None if result is None else dict(result)
        if state == "done":
            values |= {"share": 1.0, "doing": "done"}
        return self._change(key, states, alive_at, **values)

    def _change(self, key: int, states: tuple[str, ...], last_sign: datetime | None = None, /, **values: Any) -> bool:
        """Change a job that is in one of some states; False where it is not."""
        table = schema.jobs
        query = update(table).where(table.c.key == key, table.c.state.in_(states))
        if last_sign is not None:  # it may have given another one since it was looked at
            query = query.where(table.c.alive_at == last_sign)
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

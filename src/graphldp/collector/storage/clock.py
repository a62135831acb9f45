"""A clock for what cannot be undone.

The clock of a machine may be wrong, and then jump. The store keeps the time that it believes, which never goes back:

- A clock that went back is not followed: what had expired stays so, and the believed time goes on by the time that
  servers run. So what is to expire does, however wrong the clock was before.
- A clock that is ahead of the believed time by at most an hour more than the server has run since is believed.
- A clock that is further ahead may be wrong, or the server was off. It is believed once servers have run for a day
  while it stayed ahead; until then the believed time goes on by the time that they run. So a clock that jumps ahead
  deletes nothing at once, and nothing at all if it is put right within a day. After a long break, what is due is
  deleted a day later.

What expires and can be given anew (a key, a session, an invitation) goes by :meth:`Clock.now`, the later of both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection, Engine, insert, select, update

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import StorePart, transaction

_NEAR = timedelta(hours=1)
_DOUBT = timedelta(days=1)


def _wall() -> datetime:
    return datetime.now(UTC)


class Clock:
    """The time of a store, from this machine's clock and from seconds that never jump."""

    def __init__(
        self, engine: Engine, wall: Callable[[], datetime] = _wall, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.engine, self._wall, self._monotonic = engine, wall, monotonic
        self._ticked: float | None = None
        self._seen: datetime | None = None
        self.doubted = True
        """Whether the clock was too far ahead, when it was looked at last, to be believed."""

    def now(self) -> datetime:
        """This machine's time, and never before what the store has believed."""
        if self._seen is None:
            with transaction(self.engine) as connection:
                self._seen = connection.execute(select(schema.clock.c.believed)).scalar()
        here = self._wall()
        return here if self._seen is None else max(here, self._seen)

    def today(self) -> date:
        """The day of :meth:`now`."""
        return self.now().date()

    def tick(self) -> datetime:
        """Look at the clock; gives the time that is believed from now on."""
        here, at = self._wall(), self._monotonic()
        ran = timedelta(seconds=0.0 if self._ticked is None else at - self._ticked)
        with transaction(self.engine, writes=True) as connection:
            self._seen = _advance(connection, here, ran, self._seen)
        self._ticked, self.doubted = at, here > self._seen + _NEAR
        return self._seen


def _advance(connection: Connection, here: datetime, ran: timedelta, seen: datetime | None) -> datetime:
    table = schema.clock
    row = connection.execute(select(table.c.believed, table.c.ahead_seconds).with_for_update()).one_or_none()
    if row is None:
        connection.execute(insert(table).values(key=1, believed=here, ahead_seconds=0.0))
        return here
    believed: datetime = row.believed
    if believed != seen:  # another server counted this time already
        ran = timedelta(0)
    ahead = 0.0
    if here > believed + ran + _NEAR:
        ahead, believed = row.ahead_seconds + ran.total_seconds(), believed + ran
        if ahead >= _DOUBT.total_seconds():
            believed, ahead = here, 0.0
    elif here < believed + ran - _NEAR:
        believed += ran
    else:
        believed = max(believed, here)
    connection.execute(update(table).values(believed=believed, ahead_seconds=ahead))
    return believed


class TimedPart(StorePart):
    """A part of the store that goes by its clock."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        super().__init__(engine)
        self.clock = clock

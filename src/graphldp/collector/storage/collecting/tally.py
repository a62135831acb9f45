"""How many were invited and have reported, by community, also where counting takes seconds.

A count kept in a table would be one more row to write for every report, and PostgreSQL's transactions would wait for
each other's. So rows are counted when somebody asks. Few rows are counted each time. Where there are many, a thread
counts them, and nobody waits for it: the last count is shown until the new one is there.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, Connection, Engine, Table, func, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.errors import StoreError

FEW = 200_000  # rows that are counted in a moment
_SECONDS = 30.0  # between two counts of many
Counts = dict[int, tuple[int, int, int]]


class Tally:
    """Counts of a store.

    Args:
        engine: a migrated database.
        few: up to so many rows every count is new.
        clock: seconds, from anywhere.
    """

    def __init__(self, engine: Engine, few: int = FEW, clock: Callable[[], float] = time.monotonic) -> None:
        self.engine, self._few, self._clock = engine, few, clock
        self._last: Counts | None = None
        self._counted_at = -math.inf
        self._counting = threading.Lock()

    def all(self) -> Counts | None:
        """Of every community, by key: how many were invited, have reported and were deleted.

        Of many rows it may be half a minute old, and older by the time that counting takes. None while they are
        counted for the first time.
        """
        if self._most() <= self._few:
            return self.of()
        last = self._last
        if self._clock() - self._counted_at >= _SECONDS and self._counting.acquire(blocking=False):
            threading.Thread(target=self._renew, name="graphldp-tally", daemon=True).start()
        return last

    def of(self, keys: Sequence[int] | None = None) -> Counts:
        """The same of some communities, or of all, counted now: from indexes alone, since the tables are far larger."""
        gone = schema.reports.c.deleted_at.is_not(None)
        with transaction(self.engine, snapshot=True) as connection:
            invited = _count(connection, schema.slots, keys)
            taken = _count(connection, schema.reports, keys)
            deleted = _count(connection, schema.reports, keys, gone)
        return {
            key: (invited.get(key, 0), taken.get(key, 0) - deleted.get(key, 0), deleted.get(key, 0))
            for key in invited.keys() | taken.keys()
        }

    def _most(self) -> int:
        """How many rows there can be of slots: known from the communities alone."""
        with transaction(self.engine) as connection:
            return int(connection.execute(select(func.coalesce(func.sum(schema.communities.c.n), 0))).scalar_one())

    def _renew(self) -> None:
        try:
            self._last, self._counted_at = self.of(), self._clock()
        except StoreError:  # whoever asks next tries again
            pass
        finally:
            self._counting.release()


def _count(
    connection: Connection, table: Table, keys: Sequence[int] | None, *conditions: ColumnElement[bool]
) -> dict[int, int]:
    """A table's rows, by community."""
    query = select(table.c.community, func.count()).where(*conditions).group_by(table.c.community)
    if keys is not None:
        query = query.where(table.c.community.in_(keys))
    return {row[0]: row[1] for row in connection.execute(query)}

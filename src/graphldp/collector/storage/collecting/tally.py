"""Counts of who was invited and has reported, by community, also where counting takes seconds.

A count kept in a table would be one more row to write for every report, and PostgreSQL's transactions would wait for
each other's. So rows are counted when somebody asks. Few rows are counted each time. Where there are many, a thread
counts them, and nobody waits for it: the last count is shown until the new one is there.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date

from sqlalchemy import ColumnElement, Connection, Engine, Table, func, select

from graphldp.collector.community import Community, enough
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import StorePart, transaction
from graphldp.errors import StoreError

FEW = 200_000  # rows that are counted in a moment
_ONE_BY_ONE = 1000  # communities that a database is asked for by key; of more, all are counted
_SECONDS = 30.0  # between two counts of many
Counts = dict[int, tuple[int, int, int]]


class Tally(StorePart):
    """Counts of a store."""

    def __init__(self, engine: Engine, few: int = FEW, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(engine)
        self._few, self._clock = few, clock
        self._last: Counts | None = None
        self._counted_at = -math.inf
        self._counting = threading.Lock()

    def all(self) -> Counts | None:
        """Counts of every community, by key: how many were invited, have reported and were deleted.

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
        """Counts of some communities, or of all, taken now: from indexes alone, since the tables are far larger."""
        gone = schema.reports.c.deleted_on.is_not(None)
        with transaction(self.engine, snapshot=True) as connection:
            invited = _count(connection, schema.slots, keys)
            taken = _count(connection, schema.reports, keys)
            deleted = _count(connection, schema.reports, keys, gone)
        return {
            key: (invited.get(key, 0), taken.get(key, 0) - deleted.get(key, 0), deleted.get(key, 0))
            for key in invited.keys() | taken.keys()
        }

    def released(self, communities: Sequence[Community], min_reports: int) -> list[Community]:
        """Those of some communities that hold enough reports, in their order. They are counted now."""
        keys = [each.key for each in communities]
        counts = self.of(keys if len(keys) <= _ONE_BY_ONE else None)
        return [each for each in communities if enough(counts.get(each.key, (0, 0, 0))[1], min_reports)]

    def arrivals(self, community: Community) -> dict[date, int]:
        """How many of the reports that are held came in on each day; days without any are left out."""
        table = schema.reports
        here = (table.c.community == community.key, table.c.deleted_on.is_(None))
        query = select(table.c.received_on, func.count()).where(*here).group_by(table.c.received_on)
        return {row[0]: row[1] for row in self.rows(query.order_by(table.c.received_on))}

    def degrees(self, community: Community) -> dict[int, int]:
        """How many users reported each noisy degree, where the mechanism has them. The database counts them."""
        degree = schema.reports.c.noisy_degree
        query = select(degree, func.count()).where(schema.reports.c.community == community.key, degree.is_not(None))
        return {row[0]: row[1] for row in self.rows(query.group_by(degree).order_by(degree))}

    def _most(self) -> int:
        """How many rows there can be of slots: known from the communities alone."""
        return int(self.rows(select(func.coalesce(func.sum(schema.communities.c.n), 0)))[0][0])

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

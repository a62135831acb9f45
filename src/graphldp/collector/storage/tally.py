"""How many were invited and have reported, by community, also where counting takes seconds.

A count kept in a table would be one more row to write for every report, and PostgreSQL's transactions would wait for
each other's. So rows are counted when somebody asks. Few rows are counted each time. Where there are many, the last
count is shown while a thread counts anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sqlalchemy import Engine, func, select

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
        self._last: Counts = {}
        self._counted_at = 0.0
        self._many = False
        self._counting = threading.Lock()

    def all(self) -> Counts:
        """Of every community, by key: how many were invited, have reported and were deleted.

        Of many rows it may be half a minute old, and older by the time that counting takes.
        """
        if not self._many:
            self._keep(self.of())
        last = self._last
        if self._many and self._clock() - self._counted_at >= _SECONDS and self._counting.acquire(blocking=False):
            threading.Thread(target=self._renew, name="graphldp-tally", daemon=True).start()
        return last

    def of(self, keys: Sequence[int] | None = None) -> Counts:
        """The same of some communities, or of all, counted now."""
        slots, reports = schema.slots, schema.reports
        invited = select(slots.c.community, func.count())
        taken = select(reports.c.community, func.count(reports.c.body), func.count(reports.c.deleted_at))
        if keys is not None:
            invited, taken = invited.where(slots.c.community.in_(keys)), taken.where(reports.c.community.in_(keys))
        with transaction(self.engine) as connection:
            first = {row[0]: row[1] for row in connection.execute(invited.group_by(slots.c.community))}
            rows = connection.execute(taken.group_by(reports.c.community))
            second = {row[0]: (row[1], row[2]) for row in rows}
        return {key: (first.get(key, 0), *second.get(key, (0, 0))) for key in first.keys() | second.keys()}

    def _renew(self) -> None:
        try:
            self._keep(self.of())
        except StoreError:  # whoever asks next tries again
            pass
        finally:
            self._counting.release()

    def _keep(self, counts: Counts) -> None:
        self._last, self._counted_at = counts, self._clock()
        self._many = sum(map(sum, counts.values())) > self._few

"""Metrics and health: counts and times, never a name or a token; and whether reports can be stored now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from time import perf_counter

from anyio import CapacityLimiter, to_thread
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.errors import StoreError

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Accept = Callable[[Sequence[Submission]], list[Ruling]]


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests: dict[tuple[str, int], Counter] = {}
        self.requests = Counter("graphldp_requests", "Requests answered.", ["route", "status"], registry=self.registry)
        self.rulings = Counter(
            "graphldp_reports", "Reports decided on, by verdict.", ["verdict"], registry=self.registry
        )
        self.commit = Histogram(
            "graphldp_commit_seconds", "Time from the begin of a transaction to its commit.", registry=self.registry
        )
        self.size = Histogram(
            "graphldp_commit_reports",
            "Reports in one transaction.",
            registry=self.registry,
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
        )
        self.store_up = Gauge("graphldp_store_up", "1 while the database answers.", registry=self.registry)
        self.store_up.set(1)

    def count_request(self, route: str, status: int) -> None:
        """Count an answer."""
        counter = self._requests.get((route, status))
        if counter is None:
            counter = self._requests[route, status] = self.requests.labels(route, str(status))
        counter.inc()

    def watch(self, accept: Accept) -> Accept:
        """A function that accepts in the same way and measures its transactions."""

        def watched(submissions: Sequence[Submission]) -> list[Ruling]:
            start = perf_counter()
            try:
                rulings = accept(submissions)
            except StoreError:
                self.store_up.set(0)
                raise
            self.store_up.set(1)
            self.commit.observe(perf_counter() - start)
            self.size.observe(len(rulings))
            for kind in Ruling:
                if count := rulings.count(kind):
                    self.rulings.labels(kind.value).inc(count)
            return rulings

        return watched

    def page(self) -> bytes:
        """The page of all numbers, in Prometheus' text format."""
        return generate_latest(self.registry)


_EVERY = 2.0
_SECONDS = 3.0  # less than who asks waits for an answer


class Health:
    """The last look at the database, for a moment."""

    def __init__(
        self, ping: Callable[[], None], clock: Callable[[], float] = time.monotonic, seconds: float = _SECONDS
    ) -> None:
        self._ping, self._clock, self._seconds = ping, clock, seconds
        self._look: asyncio.Task[str | None] | None = None
        self._looked = 0.0

    async def check(self) -> None:
        """Look, unless somebody has just looked. A look that hangs is waited for no longer, and no other one begins."""
        if self._look is None or (self._look.done() and self._clock() - self._looked >= _EVERY):
            self._look = asyncio.create_task(self._once())
        await asyncio.wait([self._look], timeout=self._seconds)
        failure = self._look.result() if self._look.done() else "The database takes too long."
        if failure is not None:
            raise StoreError(failure)

    async def _once(self) -> str | None:
        """The fault, or None."""
        try:
            await to_thread.run_sync(self._ping, abandon_on_cancel=True, limiter=CapacityLimiter(1))
        except StoreError as error:
            return str(error)
        finally:
            self._looked = self._clock()
        return None

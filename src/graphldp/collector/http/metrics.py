"""What ``GET /metrics`` shows: counts and times, never a name, a token or a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from graphldp.collector.intake import Ruling, Submission
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
        """The same function, with its transactions measured."""

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
        """All numbers, in Prometheus' text format."""
        return generate_latest(self.registry)

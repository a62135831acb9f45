"""Traces by OpenTelemetry: one span for each request, and one for each transaction.

A span says which route was asked for, by which method and with which status, or how many reports a transaction decided
on. It has no address, token, community, user, header or body. Trace ids of callers are not taken over: a client that
chose one could find its own report among the operator's traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

import graphldp
from graphldp.collector.http.monitoring import Accept
from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.errors import MissingExtraError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_NAME = "graphldp-collector"


class Tracing:
    """Spans of one server."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind, Status, StatusCode

        self._provider, self._tracer = provider, provider.get_tracer("graphldp", graphldp.__version__)
        self._root, self._server = Context(), SpanKind.SERVER
        self._failed = Status(StatusCode.ERROR)

    @classmethod
    def to(cls, endpoint: str) -> Tracing:
        """Spans that go to an OpenTelemetry collector, by OTLP over HTTP, some seconds later and many at once."""
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ModuleNotFoundError:
            raise MissingExtraError("OpenTelemetry", "otel") from None
        provider = TracerProvider(resource=Resource({"service.name": _NAME}), shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        return cls(provider)

    def requests(self, app: ASGIApp) -> ASGIApp:
        """An application that does the same, with a span for each request."""

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            with self._tracer.start_as_current_span(
                scope["method"], self._root, kind=self._server, record_exception=False, set_status_on_exception=False
            ) as span:

                async def watched(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        route = getattr(scope.get("route"), "path", "other")
                        span.update_name(f"{scope['method']} {route}")
                        span.set_attribute("http.route", route)
                        span.set_attribute("http.request.method", scope["method"])
                        span.set_attribute("http.response.status_code", message["status"])
                        if message["status"] >= 500:
                            span.set_status(self._failed)
                    await send(message)

                await app(scope, receive, watched)

        return traced

    def transactions(self, accept: Accept) -> Accept:
        """A function that accepts in the same way, with a span for each transaction."""

        def traced(submissions: Sequence[Submission]) -> list[Ruling]:
            with self._tracer.start_as_current_span(
                "transaction", self._root, record_exception=False, set_status_on_exception=False
            ) as span:
                span.set_attribute("graphldp.reports", len(submissions))
                return accept(submissions)

        return traced

    def close(self) -> None:
        """Send what waits."""
        self._provider.shutdown()

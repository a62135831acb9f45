"""What stands around every request: the limit per address, headers for browsers, a count."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphldp.collector.limits import Limiter, network_of
from graphldp.collector.metrics import Metrics
from graphldp.collector.problems import ProblemError

_UNLIMITED = ("/healthz", "/metrics")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """ASGI middleware, plain, since it is on the way of every report.

    Args:
        app: what it stands around.
        limiter: by address.
        metrics: where answers are counted.
    """

    def __init__(self, app: ASGIApp, limiter: Limiter, metrics: Metrics) -> None:
        self.app, self.limiter, self.metrics = app, limiter, metrics
        self._raw = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = scope.get("route")
                self.metrics.count_request(getattr(route, "path", "other"), message["status"])
                headers = MutableHeaders(raw=message["headers"])
                message["headers"] = [*headers.raw, *(pair for pair in self._raw if pair[0].decode() not in headers)]
            await send(message)

        try:
            if scope["path"] not in _UNLIMITED:
                client = scope.get("client")
                self.limiter.take(network_of(client[0]) if client else "")
        except ProblemError as error:
            await error.response()(scope, receive, counted)
            return
        await self.app(scope, receive, counted)

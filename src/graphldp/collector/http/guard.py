"""What stands around every request: the limit per address, headers for browsers, a count."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.http.metrics import Metrics
from graphldp.collector.http.problems import Page, ProblemError, answer, wants_page

_UNLIMITED = ("/healthz", "/readyz", "/metrics")
_FOR_ALL = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
_FOR_PAGES = [
    *_FOR_ALL,
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"same-origin"),  # without a referrer at all, forms would have no origin to check
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """ASGI middleware, plain, since it is on the way of every report.

    Args:
        app: what it stands around.
        limiter: by address.
        metrics: where answers are counted.
        page: a problem for people.
    """

    def __init__(self, app: ASGIApp, limiter: Limiter, metrics: Metrics, page: Page) -> None:
        self.app, self.limiter, self.metrics, self.page = app, limiter, metrics, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = scope.get("route")
                self.metrics.count_request(getattr(route, "path", "other"), message["status"])
                message["headers"] = [*message["headers"], *_added(message["headers"])]
            await send(message)

        try:
            if scope["path"] not in _UNLIMITED:
                client = scope.get("client")
                self.limiter.take(network_of(client[0]) if client else "")
        except ProblemError as error:
            await answer(error, self.page if wants_page(Headers(scope=scope)) else None)(scope, receive, counted)
            return
        await self.app(scope, receive, counted)


def _added(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Nothing for an answer without content: each header costs a report's request as much as its own hash.

    A header that the answer brings itself stays as it is.
    """
    given = dict(headers)
    kind = given.get(b"content-type")
    if kind is None:
        return []
    return [each for each in (_FOR_PAGES if kind.startswith(b"text/") else _FOR_ALL) if each[0] not in given]

"""Middleware around every request: limits, headers for browsers, two addresses, and a page of another origin."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.http.monitoring import Metrics
from graphldp.collector.http.problems import Page, ProblemError, answer, wants_page
from graphldp.collector.http.route_table import MEMBERS_PATHS
from graphldp.collector.http.sending import AnswerBudget
from graphldp.collector.settings import Settings
from graphldp.errors import ParameterError

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_QUOTED_CONTROL = re.compile(rb"%(?:[01][0-9a-fA-F]|7[fF])")
_LONGEST_PATH, _LONGEST_QUERY = 1000, 8192  # of an address; a provider's answer to a sign-in is among the queries
_MAX_AGE = 600  # seconds for which a browser need not ask again whether it may
_UNLIMITED = ("/healthz", "/readyz", "/metrics")
_FOR_ALL = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_FOR_PAGES = [
    *_FOR_ALL,
    (b"content-security-policy", PAGE_POLICY.encode()),
    (b"referrer-policy", b"same-origin"),  # without a referrer at all, forms would have no origin to check
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class LimitsAndHeaders:
    """ASGI middleware for limits by address and headers of answers; plain, since every report passes it."""

    def __init__(self, app: ASGIApp, limiter: Limiter, metrics: Metrics, page: Page, budget: AnswerBudget) -> None:
        self.app, self.limiter, self.metrics, self.page, self.budget = app, limiter, metrics, page, budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # answered like GET; the server leaves out the body
            scope = {**scope, "method": "GET"}

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
            path, query = scope["path"], scope["query_string"]
            if len(path) > _LONGEST_PATH or len(query) > _LONGEST_QUERY:  # to look for a file in 30,000 folders is work
                raise ProblemError("bad-request", "The address is too long.")
            if _CONTROL.search(path) or _QUOTED_CONTROL.search(query):
                raise ProblemError("bad-request", "An address has no control characters.")
        except ProblemError as error:
            await answer(error, self.page if wants_page(Headers(scope=scope)) else None)(scope, receive, counted)
            return
        await self.app(scope, receive, self.budget.in_pieces(counted))


def _added(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Nothing for an answer without content: each header costs a report's request as much as its own hash.

    A header that the answer brings itself stays as it is.
    """
    given = dict(headers)
    kind = given.get(b"content-type")
    if kind is None:
        return []
    return [each for each in (_FOR_PAGES if kind.startswith(b"text/") else _FOR_ALL) if each[0] not in given]


def members_address(settings: Settings, scope: Scope, server: str) -> str:
    """The address that members are to be given.

    Raises:
        ParameterError: where that is the operators' address, at which members would find nothing.
    """
    came_by = (scope.get("server") or (None, None))[1]
    try:
        meant = urlsplit(server).port
    except ValueError:  # no address at all, as whoever reads it next will say
        meant = None
    if settings.admin_listen and meant is not None and meant == came_by:
        raise ParameterError("This is the operators' address, and members find nothing there. Give the members' one.")
    return server


class TwoAddresses:
    """ASGI middleware that serves operators and monitoring at an address of their own, and members at both.

    Args:
        app: the application.
        port: of the operators' address. To which address a request came is known from its connection, never from what
            the request says.
        page: a problem for people.
    """

    def __init__(self, app: ASGIApp, port: int, page: Page) -> None:
        self.app, self.port, self.page = app, port, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and not MEMBERS_PATHS.fullmatch(scope["path"]):
            server = scope.get("server")
            if server is None or server[1] != self.port:
                page = self.page if wants_page(Headers(scope=scope)) else None
                await answer(ProblemError("not-found"), page)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class CorsForOnePage(CORSMiddleware):
    """ASGI middleware that lets a page of one other origin ask the API for members, and read its answers.

    No cookie goes along: who may do what is decided by the token that the page sends itself. The pages of operators are
    outside of it.
    """

    def __init__(self, app: ASGIApp, origin: str) -> None:
        super().__init__(
            app,
            allow_origins=[origin],
            allow_methods=["DELETE", "GET", "PUT"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Retry-After"],
            max_age=_MAX_AGE,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        for_api = scope["type"] == "http" and scope["path"].startswith("/v1/")
        await (super().__call__ if for_api else self.app)(scope, receive, send)

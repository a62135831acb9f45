"""Lets a page that somebody else hosts talk to this collector: the one origin that is configured, and the API alone.

No cookie goes along: who may do what is decided by the token that the page sends itself. The pages of operators are
outside of it.
"""

from __future__ import annotations

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_MINUTES = 600  # seconds for which a browser need not ask again


class ForOnePage:
    """ASGI: answers a browser's question whether it may, and marks the answers that the page may read.

    Args:
        app: what it stands around.
        origin: of the page; without one, no page from elsewhere may.
    """

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self.app = app
        self.api = CORSMiddleware(
            app,
            allow_origins=[origin],
            allow_methods=["DELETE", "GET", "PUT"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Retry-After"],
            max_age=_MINUTES,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        for_api = scope["type"] == "http" and scope["path"].startswith("/v1/")
        await (self.api if for_api else self.app)(scope, receive, send)

"""Two addresses: one for members and relays, and one for operators and monitoring.

Where ``admin_listen`` names a second address, the dashboard, the operators' API and the metrics are served there only.
The routes that are for anybody are listed here, so a new page or route is for operators unless it is added to the list.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from graphldp.collector.http.problems import Page, ProblemError, answer, wants_page
from graphldp.collector.settings import Settings
from graphldp.errors import ParameterError

_FOR_ANYBODY = re.compile(
    r"/(?:how|play|join(?:/.*)?|static/.*|healthz|livez|readyz|openapi\.json|v1/communities/.*|v1/reports:batch)?"
)


def members_door(settings: Settings, scope: Scope, server: str) -> str:
    """The address that members are to be given, unless it is the operators' door, where they would find nothing.

    Args:
        settings: whether there are two doors.
        scope: of an operator's request, which came through her door.
        server: what she says that the members' address is.

    Raises:
        ParameterError: where that is her own door.
    """
    came_by = (scope.get("server") or (None, None))[1]
    try:
        meant = urlsplit(server).port
    except ValueError:  # no address at all, as whoever reads it next will say
        meant = None
    if settings.admin_listen and meant is not None and meant == came_by:
        raise ParameterError("This is the operators' address, and members find nothing there. Give the members' one.")
    return server


class TwoDoors:
    """ASGI middleware.

    Args:
        app: what is behind the doors.
        port: of the operators' door. Which door a request came through is known from its connection, never from what
            the request says.
        page: a problem for people.
    """

    def __init__(self, app: ASGIApp, port: int, page: Page) -> None:
        self.app, self.port, self.page = app, port, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and not _FOR_ANYBODY.fullmatch(scope["path"]):
            server = scope.get("server")
            if server is None or server[1] != self.port:
                page = self.page if wants_page(Headers(scope=scope)) else None
                await answer(ProblemError("not-found"), page)(scope, receive, send)
                return
        await self.app(scope, receive, send)

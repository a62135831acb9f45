"""A shortcut for reports: from the server to the reception, without the framework.

Routing, dependencies and layers of the framework cost as much as everything that a report needs. So its address is
recognised here in its plain form; whatever looks different goes to the framework, whose route for it ends at the same
reception or says what is wrong.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from graphldp.collector.http import problems
from graphldp.collector.http.members.reception import Reception

REPORT_PATH = "/v1/communities/{community}/reports/{user}"
_ADDRESS = re.compile(r"/v1/communities/([a-z0-9-]{1,64})/reports/(0|[1-9][0-9]{0,7})")
_EPOCH = re.compile(rb"(?:epoch=([1-9][0-9]{0,8}))?")


class _Route(NamedTuple):
    path: str


class Front:
    """ASGI: reports to the reception, the rest to the application.

    Args:
        app: the application.
        reception: where reports go.
    """

    def __init__(self, app: ASGIApp, reception: Reception) -> None:
        self.app, self.reception = app, reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "PUT":
            return await self.app(scope, receive, send)
        address, epoch = _ADDRESS.fullmatch(scope["path"]), _EPOCH.fullmatch(scope["query_string"])
        if address is None or epoch is None:
            return await self.app(scope, receive, send)
        scope["route"] = _Route(REPORT_PATH)
        try:
            status = await self.reception.take(
                Headers(scope=scope), receive, address[1], int(address[2]), int(epoch[1]) if epoch[1] else None
            )
        except Exception as error:
            await problems.answer(error)(scope, receive, send)
            if not isinstance(error, problems.EXPECTED):
                raise
            return None
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
        return None

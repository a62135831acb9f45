"""What all routes for operators' programs share: whose key it is, what was sent, and how an error is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from graphldp.collector import tokens
from graphldp.collector.http.limits import Held, read_body
from graphldp.collector.http.operators.messages import CommunityBody, Message
from graphldp.collector.http.problems import ProblemError, responses
from graphldp.collector.roles import Actor
from graphldp.collector.settings import Settings
from graphldp.collector.storage.collecting.listing import line_of
from graphldp.collector.storage.store import Store
from graphldp.errors import ChangedError, DataError, ParameterError

_SECURITY: dict[str, Any] = {"security": [{"operator": []}]}
_LARGEST = 48_000_000
_ALWAYS = (401, 403, 404, 422, 429, 503)
_BODY = (408, 413, 415)
Made = TypeVar("Made")
Given = TypeVar("Given", bound=Message)


class Office:
    """Checks the requests of operators' programs.

    Args:
        settings: the limits.
        store: where all is.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._held = Held(settings.held_bytes)

    async def enter(self, request: Request) -> Actor:
        """Who a request's key belongs to."""
        key = tokens.bearer(request.headers.get("authorization"))
        actor = None if key is None else await run_in_threadpool(self.store.operators.keyed, key)
        if actor is None:
            raise ProblemError("no-operator")
        return actor

    async def read(self, request: Request, kind: type[Given]) -> Given:
        """A request's body; only an operator's is read."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise ProblemError("wrong-type")
        with self._held.share() as hold:
            seconds = self.settings.body_seconds
            body = await read_body(request.headers, request.receive, _LARGEST, seconds, hold)
            try:
                return await run_in_threadpool(kind.model_validate_json, body)
            except ValidationError as error:
                places = sorted({str(each["loc"][0]) if each["loc"] else "body" for each in error.errors()})
                known = [place if place in kind.model_fields else "body" for place in places]
                raise ProblemError("bad-request", f"Look at: {', '.join(sorted({*known}))}.") from None

    async def do(self, id: str | None, action: Callable[[], Made]) -> Made:
        """Do something about a community, which has to be there."""
        if id is not None and not await run_in_threadpool(self.store.find, id):
            raise ProblemError("not-found")
        try:
            return await run_in_threadpool(action)
        except ChangedError:
            raise ProblemError("changed") from None
        except (ParameterError, DataError) as error:
            # the sentence before says what must be; the last one repeats what was sent
            raise ProblemError("refused", str(error).partition(" Got ")[0]) from None

    async def shown(self, id: str, status: int = 200) -> Response:
        """A community as it is now, with its version."""

        def look() -> CommunityBody:
            return CommunityBody.of(line_of(self.store, id), self.store.classes.names(), self.settings.min_reports)

        body = await self.do(id, look)
        return JSONResponse(body.model_dump(mode="json"), status, headers={"ETag": f'"{body.version}"'})


def described(*statuses: int, body: type[Message] | None = None, **more: Any) -> dict[str, Any]:
    """What a route's description says besides its answer."""
    extra = dict(_SECURITY)
    if body is not None:
        schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        statuses = (*statuses, *_BODY)
    return {"responses": responses(*sorted({*_ALWAYS, *statuses})), "openapi_extra": extra} | more

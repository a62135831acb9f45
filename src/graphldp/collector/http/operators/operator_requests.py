"""Requests of operators' programs: whose key it is, what was sent, and how an error is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from graphldp.collector import tokens
from graphldp.collector.http.limits import BodyBudget, media_type, parse_json, read_body
from graphldp.collector.http.operators.messages import CommunityBody, Message
from graphldp.collector.http.problems import ProblemError, responses
from graphldp.collector.http.route_table import route_of
from graphldp.collector.roles import Actor, Role, check_role
from graphldp.collector.settings import Settings
from graphldp.collector.storage.community_list import listed
from graphldp.collector.storage.store import Store
from graphldp.errors import ChangedError, DataError, ParameterError

_SECURITY: dict[str, Any] = {"security": [{"operator": []}]}
_MOST_VALUES, _MOST_CONTAINERS, _MOST_KEYS = 4_000_000, 1_000_000, 1000  # of a roster whose names hold such signs too
_ALWAYS = (401, 403, 404, 422, 429, 503)
_BODY = (408, 413, 415)
Made = TypeVar("Made")
Given = TypeVar("Given", bound=Message)


class OperatorRequests:
    """Checks the requests of operators' programs, and answers them."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._held = BodyBudget(settings.held_bytes)

    async def enter(self, request: Request) -> Actor:
        """The actor whose key a request has, where her role is not below the route's."""
        key, route = tokens.bearer(request.headers.get("authorization")), route_of(request.scope)
        actor = None if key is None else await run_in_threadpool(self.store.operators.keyed, key)
        if actor is None:
            raise ProblemError("no-operator")
        if isinstance(route.caller, Role) and route.caller > Role.VIEWER:
            about = next(iter(request.path_params.values()), None)
            await run_in_threadpool(check_role, self.store, actor, route.action, route.caller, about)
        return actor

    @asynccontextmanager
    async def receive(self, request: Request, kind: type[Given]) -> AsyncIterator[tuple[Actor, Given]]:
        """The actor and what she sent: her role first, then her body, which counts as held until the block ends."""
        actor, cost = await self.enter(request), route_of(request.scope).cost
        if media_type(request.headers) not in cost.types:
            raise ProblemError("wrong-type")
        with self._held.share() as hold:
            seconds, most = self.settings.body_seconds, cost.known(self.settings)
            body = await read_body(request.headers, request.receive, most, seconds, hold)
            given = await run_in_threadpool(_parsed, body, kind)
            del body
            yield actor, given

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

    async def act(self, request: Request, action: Callable[[Actor], Made], id: str | None = None) -> Made:
        """Do something for whoever asks, about a community where one is meant."""
        actor = await self.enter(request)
        return await self.do(id, lambda: action(actor))

    async def act_on(
        self, request: Request, kind: type[Given], action: Callable[[Actor, Given], Made], id: str | None = None
    ) -> Made:
        """Do what somebody sent, about a community where one is meant."""
        async with self.receive(request, kind) as (actor, given):
            return await self.do(id, lambda: action(actor, given))

    async def shown(self, id: str, status: int = 200) -> Response:
        """A community as it is now, with its version."""

        def look() -> CommunityBody:
            return CommunityBody.of(listed(self.store, id), self.store.classes.names(), self.settings.min_reports)

        body = await self.do(id, look)
        return JSONResponse(body.model_dump(mode="json"), status, headers={"ETag": f'"{body.version}"'})


def _parsed(body: bytes, kind: type[Given]) -> Given:
    if b"\\u0000" in body:  # what no database keeps in a text
        raise ProblemError("bad-request", "Nothing in the body is a control character.")
    sent = parse_json(body, values=_MOST_VALUES, containers=_MOST_CONTAINERS, keys=_MOST_KEYS)
    try:
        return kind.model_validate(sent)  # apart: each error of both in one keeps a copy of what is wrong
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        places = {str(each["loc"][0]) if each["loc"] else "body" for each in errors}
        known = {place if place in kind.model_fields else "body" for place in places}
        raise ProblemError("bad-request", f"Look at: {', '.join(sorted(known))}.") from None


def described(
    *statuses: int, body: type[Message] | None = None, content: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What a route's description says besides its answer: what goes wrong, its body, and the kinds of a file."""
    extra = dict(_SECURITY)
    if body is not None:
        schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        statuses = (*statuses, *_BODY)
    answers = responses(*sorted({*_ALWAYS, *statuses}))
    return {"responses": answers if content is None else {200: {"content": content}} | answers, "openapi_extra": extra}

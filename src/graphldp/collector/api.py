"""The API for clients and relays: thin routes. What they promise is in ``docs/api.md`` and ``/openapi.json``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.address import COMMUNITY_PATTERN, PARAMETERS, address_of
from graphldp.collector.batch import REQUEST_BODY, BatchResults, read_batch, results
from graphldp.collector.catalogue import Catalogue
from graphldp.collector.community import Community
from graphldp.collector.intake import Verdict
from graphldp.collector.limits import Limiter, read_body
from graphldp.collector.problems import REFUSALS, SUCCESSES, ProblemError, responses
from graphldp.collector.scan import Incoming
from graphldp.collector.settings import Settings
from graphldp.collector.store import Store
from graphldp.collector.writer import Writer

CommunityId = Annotated[str, Path(description="The community's id.", pattern=COMMUNITY_PATTERN)]
_BEARER: dict[str, Any] = {"security": [{"token": []}]}


class ChoiceBody(BaseModel):
    """An offer of ε. Null stands for an infinite ε: the list is published as it is."""

    name: str
    epsilon1: float | None
    epsilon2: float | None


class CommunityBody(BaseModel):
    """A community as the holder of one of its slots sees it."""

    id: str
    name: str
    n: int = Field(description="How many users the roster names.")
    user: int = Field(description="The slot that the token opens.")
    mechanism: str = Field(description="dprr, rr or noisy-degrees.")
    choices: list[ChoiceBody]
    epoch: int = Field(description="Which collection this is of the same people.")
    roster_digest: str = Field(description="SHA-256 of the roster's names, joined by line feeds.")
    roster: list[str] = Field(description="The users' names, in the order of their numbers.")


def make_router(settings: Settings, store: Store, writer: Writer) -> APIRouter:
    """The routes, over a store."""
    router = APIRouter(prefix="/v1", tags=["reports"])
    catalogue = Catalogue(store)
    limiter = Limiter(settings.token_per_minute)

    async def read(id: str) -> Community:
        found = (await run_in_threadpool(catalogue.read, id)).get(id)
        if found is None:  # the same answer as for a wrong token: which communities there are is nobody's business
            raise ProblemError("unauthorized")
        return found

    def token_of(request: Request) -> tuple[str, bytes]:
        token = tokens.bearer(request.headers.get("authorization"))
        if token is None:
            raise ProblemError("unauthorized")
        token_hash = tokens.hashed(token)
        limiter.take(token_hash)
        return token, token_hash

    async def holder(community: Community, token: str) -> int:
        user = await run_in_threadpool(store.holder, community, token)
        if user is None:
            raise ProblemError("unauthorized")
        return user

    @router.get(
        "/communities/{community}",
        response_model=CommunityBody,
        responses=responses(401, 422, 429, 503),
        openapi_extra=_BEARER,
    )
    async def read_community(request: Request, community: CommunityId) -> Response:
        """What a community publishes: its roster, its mechanism and its choices of ε."""
        token, _ = token_of(request)
        found = await read(community)
        user = await holder(found, token)
        body = await run_in_threadpool(catalogue.published, found, user)
        return Response(body, media_type="application/json")

    @router.put(
        "/communities/{community}/reports/{user}",
        status_code=201,
        response_class=Response,
        responses={
            201: {"description": "Stored: it is on disk."},
            200: {"description": "The same bytes were stored before."},
            **responses(401, 408, 409, 410, 413, 415, 422, 429, 503),
        },
        openapi_extra=_BEARER
        | {
            "parameters": PARAMETERS,
            "requestBody": {
                "required": True,
                "content": {wire.MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
            },
        },
    )
    async def put_report(request: Request) -> Response:
        """Send a slot's report. Sending the same bytes again is a success; other bytes are refused."""
        id, user, epoch = address_of(request)
        token, token_hash = token_of(request)
        if request.headers.get("content-type") != wire.MEDIA_TYPE:
            raise ProblemError("wrong-type")
        found = catalogue.known(id) or await read(id)
        if epoch not in (None, found.epoch):
            found = await read(id)
            if epoch != found.epoch:
                await holder(found, token)
                raise ProblemError("epoch-over")
        body = await read_body(request, wire.max_size(found.n), settings.body_seconds)
        (decision,) = await writer.submit([Incoming(found, user, token_hash, body)])
        if decision.verdict is Verdict.OUTDATED and epoch is None:
            (decision,) = await writer.submit([Incoming(await read(id), user, token_hash, body)])
        if decision.verdict in REFUSALS:
            raise ProblemError(REFUSALS[decision.verdict], decision.wrong)
        return Response(status_code=SUCCESSES[decision.verdict])

    @router.post(
        "/reports:batch",
        response_model=BatchResults,
        responses=responses(408, 413, 415, 422, 429, 503),
        openapi_extra=REQUEST_BODY,
    )
    async def post_batch(request: Request) -> Response:
        """Send many users' reports at once, as a relay does. Each is decided on by itself."""
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise ProblemError("wrong-type")
        body = await read_body(request, settings.batch_bytes, settings.body_seconds)
        items = await run_in_threadpool(read_batch, body, settings.batch_items, catalogue, limiter)
        decisions = await writer.submit([item for item in items if isinstance(item, Incoming)])
        return JSONResponse({"results": results(items, decisions)})

    return router

"""Routes for clients and relays. ``docs/reference/wire.md`` and ``/openapi.json`` say what they promise."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BeforeValidator

from graphldp import wire
from graphldp.collector.http.member_requests import MemberRequests
from graphldp.collector.http.problems import responses
from graphldp.collector.http.route_table import REPORT_PATH


def _plain(text: Any) -> Any:
    """Refuse 01, +1 and 1.0: a report has one address."""
    if isinstance(text, str) and not (text.isascii() and text.isdigit() and str(int(text)) == text):
        raise ValueError
    return text


CommunityId = Annotated[str, Path(description="The community's id.", pattern=wire.ID_PATTERN)]
User = Annotated[
    int, Path(description="The user's number in the roster.", ge=0, lt=wire.MAX_USERS), BeforeValidator(_plain)
]
Epoch = Annotated[
    int | None,
    Query(description="Refuse the report where the community is in another epoch.", ge=1, lt=1 << 31),
    BeforeValidator(_plain),
]
UpTo = Annotated[
    int | None,
    Query(description="The latest epoch to withdraw from; by default the community's own.", ge=1, lt=1 << 31),
    BeforeValidator(_plain),
]
_BEARER: dict[str, Any] = {"security": [{"token": []}]}
_TAKEN = {
    201: {"description": "Stored: it is on disk."},
    200: {"description": "The same bytes were stored before."},
    **responses(401, 408, 409, 410, 413, 415, 422, 429, 503),
}


def _json(schema: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}


def _bytes(media_type: str) -> dict[str, Any]:
    return {media_type: {"schema": {"type": "string", "format": "binary"}}}


def make_router(requests: MemberRequests) -> APIRouter:
    """The routes, over what answers them."""
    router = APIRouter(tags=["reports"])

    @router.get(
        "/v1/communities/{community}",
        response_class=Response,
        responses={200: _json("community"), **responses(401, 422, 429, 503)},
        openapi_extra=_BEARER,
    )
    async def read_community(request: Request, community: CommunityId) -> Response:
        """What a community publishes: its roster, its mechanism and its choices of ε."""
        return await requests.show(request.headers, community)

    @router.put(
        REPORT_PATH,
        status_code=201,
        response_class=Response,
        responses=_TAKEN,
        openapi_extra=_BEARER | {"requestBody": {"required": True, "content": _bytes(wire.MEDIA_TYPE)}},
    )
    async def put_report(request: Request, community: CommunityId, user: User, epoch: Epoch = None) -> Response:
        """Send a slot's report. Sending the same bytes again is a success; other bytes are refused."""
        return Response(status_code=await requests.take(request.headers, request.receive, community, user, epoch))

    @router.delete(
        REPORT_PATH,
        status_code=204,
        response_class=Response,
        responses={204: {"description": "Nothing that this slot sent is held."}, **responses(401, 422, 429, 503)},
        openapi_extra=_BEARER,
    )
    async def delete_report(request: Request, community: CommunityId, user: User, epoch: UpTo = None) -> Response:
        """Withdraw: delete what a slot has sent, for good. It takes no other report of this epoch, nor the same one."""
        await requests.withdraw(request.headers, community, user, epoch)
        return Response(status_code=204)

    @router.get(
        "/v1/communities/{community}/question",
        response_class=Response,
        responses={200: {"content": _bytes(wire.QUESTION_TYPE)}, **responses(401, 409, 422, 429, 503)},
        openapi_extra=_BEARER,
    )
    async def read_question(request: Request, community: CommunityId, epoch: Epoch = None) -> Response:
        """The second question, for a slot whose report is asked it. It never changes."""
        return Response(await requests.ask(request.headers, community, epoch), media_type=wire.QUESTION_TYPE)

    @router.put(
        "/v1/communities/{community}/answers/{user}",
        status_code=201,
        response_class=Response,
        responses=_TAKEN,
        openapi_extra=_BEARER | {"requestBody": {"required": True, "content": _bytes(wire.ANSWER_TYPE)}},
    )
    async def put_answer(request: Request, community: CommunityId, user: User, epoch: Epoch = None) -> Response:
        """Send a slot's answer to the second question. Sending the same bytes again is a success."""
        status = await requests.take_answer(request.headers, request.receive, community, user, epoch)
        return Response(status_code=status)

    @router.post(
        "/v1/reports:batch",
        response_class=Response,
        responses={200: _json("batch-results"), **responses(408, 413, 415, 422, 429, 503)},
        openapi_extra={"requestBody": {"required": True, **_json("batch")}},
    )
    async def post_batch(request: Request) -> Response:
        """Send many users' reports at once, as a relay does. Each is decided on by itself."""
        return JSONResponse({"results": await requests.take_batch(request.headers, request.receive)})

    return router

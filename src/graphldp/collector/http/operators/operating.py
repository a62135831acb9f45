"""The API for operators' programs: what the dashboard does, by an operator's key. Thin routes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response

from graphldp.collector.actions import communities as actions
from graphldp.collector.actions.collected import delete_report
from graphldp.collector.actions.inviting import Invited, invite
from graphldp.collector.communities.arrivals import arrivals
from graphldp.collector.communities.offers import Split
from graphldp.collector.communities.rosters import Roster
from graphldp.collector.http.listeners import members_door
from graphldp.collector.http.members.api import CommunityId, Epoch, User
from graphldp.collector.http.operators.downloads import MEDIA_TYPES, export_response
from graphldp.collector.http.operators.messages import (
    ArrivalsBody,
    ChangeBody,
    ClassBody,
    ClassesBody,
    CommunityBody,
    DeletedBody,
    InvitationBody,
    InvitationsBody,
    InviteBody,
    ListBody,
    NameBody,
    NewBody,
)
from graphldp.collector.http.operators.office import Office, described
from graphldp.collector.storage.collecting.listing import Wanted, class_sizes, list_communities

_AT = "/v1/operator/communities"
_ONE = _AT + "/{community}"
IfMatch = Annotated[str, Header(description="The version that you saw, in quotes; 412 where it is another by now.")]
State = Literal["all", "open", "closed", "labelled", "unlabelled"]
Sort = Literal["newest", "oldest", "name", "largest", "smallest", "most-reported", "least-reported"]
Format = Annotated[
    Literal["csv", "npz", "parquet"], Query(description="A table to read, reports for graphldp, or Parquet.")
]


def _seen(version: str) -> str | None:
    return version.strip().strip('"') or None


def make_router(office: Office) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["operators"])
    _many(router, office)
    _classes(router, office)
    _one(router, office)
    _collected(router, office)
    return router


def _many(router: APIRouter, office: Office) -> None:
    store = office.store

    @router.get(_AT, response_model=ListBody, **described())
    async def list_(
        request: Request,
        search: Annotated[str, Query(max_length=200, description="A part of the name or the id.")] = "",
        state: Annotated[State, Query(description="Which communities.")] = "all",
        sort: Annotated[Sort, Query(description="Their order.")] = "newest",
        page: Annotated[int, Query(ge=1, lt=1 << 31, description="Which part of a long list.")] = 1,
    ) -> ListBody:
        """A page of communities, fifty at a time."""
        await office.enter(request)

        def look() -> ListBody:
            found, classes = list_communities(store, Wanted(search, state, sort, page)), store.classes.names()
            lines = [CommunityBody.of(line, classes, office.settings.min_reports) for line in found.lines]
            return ListBody(communities=lines, found=found.found, users=found.users, page=page, pages=found.pages)

        return await office.do(None, look)

    @router.post(_AT, status_code=201, response_model=CommunityBody, **described(409, body=NewBody))
    async def create(request: Request) -> Response:
        """Open a community. Its roster, mechanism, groups and offers of ε are frozen from then on."""
        actor = await office.enter(request)
        given = await office.read(request, NewBody)

        def open_it() -> None:
            split = Split(given.allocation, given.alpha, given.n_max)
            roster = Roster(given.roster, given.groups)
            choice = (given.mechanism, given.public, split, given.name, given.label)
            kept = (given.retention_days, given.keeps_models)
            actions.create(store, actor, given.id, actions.NewCommunity(roster, given.epsilons, *choice, *kept))

        await office.do(None, open_it)
        return await office.shown(given.id, 201)


def _classes(router: APIRouter, office: Office) -> None:
    store = office.store

    def look() -> ClassesBody:
        names, counts = store.classes.names(), class_sizes(store)
        rows = [
            ClassBody(number=each, name=names.get(each), communities=counts.get(each, 0))
            for each in sorted(names | counts)
        ]
        return ClassesBody(classes=rows)

    @router.get("/v1/operator/classes", response_model=ClassesBody, **described())
    async def list_classes(request: Request) -> ClassesBody:
        """The classes that labels stand for."""
        await office.enter(request)
        return await office.do(None, look)

    @router.put("/v1/operator/classes/{number}", response_model=ClassesBody, **described(409, body=NameBody))
    async def name_class(
        request: Request, number: Annotated[int, Path(ge=0, lt=1 << 31, description="The class.")]
    ) -> ClassesBody:
        """Rename a class. Its number stays."""
        actor = await office.enter(request)
        given = await office.read(request, NameBody)
        await office.do(None, lambda: actions.name_class(store, actor, given.name, number))
        return await office.do(None, look)


def _one(router: APIRouter, office: Office) -> None:
    store = office.store

    @router.get(_ONE, response_model=CommunityBody, **described())
    async def show(request: Request, community: CommunityId) -> Response:
        """A community, and how far it is."""
        await office.enter(request)
        return await office.shown(community)

    @router.patch(_ONE, response_model=CommunityBody, **described(409, 412, body=ChangeBody))
    async def change(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Rename a community, label it, or both. What the body does not name stays."""
        actor = await office.enter(request)
        given, seen = await office.read(request, ChangeBody), _seen(if_match)

        def act() -> None:
            version = seen
            if "name" in given.model_fields_set:
                version = actions.rename(store, actor, community, given.name, seen=version).version
            if "label" in given.model_fields_set:
                actions.label(store, actor, community, given.label, seen=version)

        await office.do(community, act)
        return await office.shown(community)

    @router.delete(_ONE, response_model=DeletedBody, **described(409, 412))
    async def delete(request: Request, community: CommunityId, if_match: IfMatch = "") -> DeletedBody:
        """Delete a community for good, in all epochs. Nobody is asked again."""
        actor = await office.enter(request)
        gone = await office.do(community, lambda: actions.delete(store, actor, community, seen=_seen(if_match)))
        return DeletedBody(deleted=asdict(gone))

    @router.post(f"{_ONE}/close", response_model=CommunityBody, **described(409, 412))
    async def close(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Close a community for good: it takes no more reports."""
        actor = await office.enter(request)
        await office.do(community, lambda: actions.close(store, actor, community, seen=_seen(if_match)))
        return await office.shown(community)

    @router.post(f"{_ONE}/renew", response_model=CommunityBody, **described(409, 412))
    async def renew(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Open the next epoch: one more report from each user, at its full ε."""
        actor = await office.enter(request)
        await office.do(community, lambda: actions.renew(store, actor, community, seen=_seen(if_match)))
        return await office.shown(community)

    @router.post(f"{_ONE}/ask", response_model=CommunityBody, **described(409, 412))
    async def ask(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Ask the hubs of a community by hub-counts their second question, once and for good."""
        actor = await office.enter(request)
        seen, least = _seen(if_match), office.settings.min_reports
        await office.do(community, lambda: actions.ask(store, actor, community, seen=seen, min_reports=least))
        return await office.shown(community)


def _collected(router: APIRouter, office: Office) -> None:
    store = office.store

    @router.post(f"{_ONE}/invitations", response_model=InvitationsBody, **described(409, body=InviteBody))
    async def send_out(request: Request, community: CommunityId) -> InvitationsBody:
        """Invite everybody who has no invitation, or some slots anew. The links are told once."""
        actor = await office.enter(request)
        given = await office.read(request, InviteBody)

        def make() -> list[Invited]:
            where = members_door(office.settings, request.scope, given.server)
            return invite(*(store, actor, community), server=where, users=given.users, page=given.page, days=given.days)

        made = await office.do(community, make)
        return InvitationsBody(
            invitations=[
                InvitationBody(user=each.user, name=each.name, link=each.link, token=each.invitation.token)
                for each in made
            ]
        )

    @router.get(f"{_ONE}/arrivals", response_model=ArrivalsBody, **described())
    async def read_arrivals(request: Request, community: CommunityId) -> ArrivalsBody:
        """How many reports came in on each day, in the latest epoch."""
        await office.enter(request)
        found = await office.do(community, lambda: arrivals(store, store.community(community)))
        return ArrivalsBody(arrivals={str(day): count for day, count in found.items()})

    whole: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
    files: dict[int | str, dict[str, Any]] = {200: {"content": dict.fromkeys(MEDIA_TYPES, whole)}}
    about = described(409, 507)

    @router.get(
        f"{_ONE}/export",
        response_class=Response,
        responses=files | about["responses"],
        openapi_extra=about["openapi_extra"],
    )
    async def export(request: Request, community: CommunityId, format: Format = "csv") -> Response:
        """The reports of a community as a file."""
        actor = await office.enter(request)
        least = office.settings.min_reports
        return await office.do(community, lambda: export_response(store, actor, community, format, least))

    @router.delete(f"{_ONE}/reports/{{user}}", response_model=DeletedBody, **described(409))
    async def delete_one(request: Request, community: CommunityId, user: User, epoch: Epoch = None) -> DeletedBody:
        """Delete a user's reports for good, in all epochs or in one. Her slots stay taken."""
        actor = await office.enter(request)
        gone = await office.do(community, lambda: delete_report(store, actor, community, user, epoch))
        return DeletedBody(deleted=gone)

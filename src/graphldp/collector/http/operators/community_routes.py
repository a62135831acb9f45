"""The API for operators' programs: what the dashboard does, by an operator's key. Thin routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response

from graphldp.collector.actions import communities as actions
from graphldp.collector.actions.inviting import MOST, Invited, invite
from graphldp.collector.actions.reports import delete_report
from graphldp.collector.http.member_routes import CommunityId, Epoch, User
from graphldp.collector.http.middleware import members_address
from graphldp.collector.http.operators.downloads import MEDIA_TYPES, export_response
from graphldp.collector.http.operators.messages import (
    NO_CONTROL,
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
from graphldp.collector.http.operators.operator_requests import OperatorRequests, described
from graphldp.collector.offers import Split
from graphldp.collector.roles import Actor
from graphldp.collector.rosters import Roster
from graphldp.collector.storage.community_list import CommunitySearch, class_sizes, list_communities

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


def make_router(requests: OperatorRequests) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["operators"])
    _add_lists(router, requests)
    _add_changes(router, requests)
    _add_collected(router, requests)
    return router


def _add_lists(router: APIRouter, requests: OperatorRequests) -> None:
    store = requests.store

    @router.get(_AT, response_model=ListBody, **described())
    async def list_(
        request: Request,
        search: Annotated[
            str, Query(max_length=200, pattern=NO_CONTROL, description="A part of the name or the id.")
        ] = "",
        state: Annotated[State, Query(description="Which communities.")] = "all",
        sort: Annotated[Sort, Query(description="Their order.")] = "newest",
        page: Annotated[int, Query(ge=1, lt=1 << 31, description="Which part of a long list.")] = 1,
    ) -> ListBody:
        """A page of communities, fifty at a time."""

        def look(_actor: Actor) -> ListBody:
            found, classes = list_communities(store, CommunitySearch(search, state, sort, page)), store.classes.names()
            shown = [CommunityBody.of(each, classes, requests.settings.min_reports) for each in found.communities]
            return ListBody(communities=shown, found=found.found, users=found.users, page=page, pages=found.pages)

        return await requests.act(request, look)

    @router.post(_AT, status_code=201, response_model=CommunityBody, **described(409, body=NewBody))
    async def create(request: Request) -> Response:
        """Open a community. Its roster, mechanism, groups and offers of ε are frozen from then on."""

        def open_it(actor: Actor, given: NewBody) -> str:
            apart = {"id", "roster", "groups", "allocation", "alpha", "n_max", "purpose", "operator", "contact"}
            inquiry = actions.asked_by(requests.settings, given.purpose, given.operator, given.contact)
            split = Split(given.allocation, given.alpha, given.n_max)
            about = given.model_dump(exclude=apart) | {"roster": Roster(given.roster, given.groups), "split": split}
            return actions.create(store, actor, given.id, actions.NewCommunity(inquiry=inquiry, **about)).id

        return await requests.shown(await requests.act_on(request, NewBody, open_it), 201)

    def classes(_actor: Actor) -> ClassesBody:
        names, counts = store.classes.names(), class_sizes(store)
        rows = [
            ClassBody(number=each, name=names.get(each), communities=counts.get(each, 0))
            for each in sorted(names | counts)
        ]
        return ClassesBody(classes=rows)

    @router.get("/v1/operator/classes", response_model=ClassesBody, **described())
    async def list_classes(request: Request) -> ClassesBody:
        """The classes that labels stand for."""
        return await requests.act(request, classes)

    @router.put("/v1/operator/classes/{number}", response_model=ClassesBody, **described(409, body=NameBody))
    async def name_class(
        request: Request, number: Annotated[int, Path(ge=0, lt=1 << 31, description="The class.")]
    ) -> ClassesBody:
        """Rename a class. Its number stays."""

        def rename(actor: Actor, given: NameBody) -> ClassesBody:
            actions.name_class(store, actor, given.name, number)
            return classes(actor)

        return await requests.act_on(request, NameBody, rename)


def _add_changes(router: APIRouter, requests: OperatorRequests) -> None:
    store, least = requests.store, requests.settings.min_reports

    async def changed(request: Request, id: str, if_match: str, action: Callable[..., object]) -> Response:
        """Do something about a community that somebody saw, and show it as it is then."""
        await requests.act(request, lambda who: action(store, who, id, seen=_seen(if_match)), id)
        return await requests.shown(id)

    @router.get(_ONE, response_model=CommunityBody, **described())
    async def show(request: Request, community: CommunityId) -> Response:
        """A community, and how far it is."""
        await requests.enter(request)
        return await requests.shown(community)

    @router.patch(_ONE, response_model=CommunityBody, **described(409, 412, body=ChangeBody))
    async def change(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Rename a community, label it, or say whether it is trusted. What the body does not name stays."""

        def act(actor: Actor, given: ChangeBody) -> None:
            version = _seen(if_match)
            if "name" in given.model_fields_set:
                version = actions.rename(store, actor, community, given.name, seen=version).version
            if "label" in given.model_fields_set:
                version = actions.label(store, actor, community, given.label, seen=version).version
            if "trusted" in given.model_fields_set:
                actions.trust(store, actor, community, trusted=given.trusted, seen=version)

        await requests.act_on(request, ChangeBody, act, community)
        return await requests.shown(community)

    @router.delete(_ONE, response_model=DeletedBody, **described(409, 412))
    async def delete(request: Request, community: CommunityId, if_match: IfMatch = "") -> DeletedBody:
        """Delete a community for good, in all epochs. Nobody is asked again."""
        seen = _seen(if_match)
        gone = await requests.act(request, lambda who: actions.delete(store, who, community, seen=seen), community)
        return DeletedBody(deleted=asdict(gone))

    @router.post(f"{_ONE}/close", response_model=CommunityBody, **described(409, 412))
    async def close(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Close a community for good: it takes no more reports."""
        return await changed(request, community, if_match, actions.close)

    @router.post(f"{_ONE}/renew", response_model=CommunityBody, **described(409, 412))
    async def renew(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Open the next epoch: one more report from each user, at its full ε."""
        return await changed(request, community, if_match, actions.renew)

    @router.post(f"{_ONE}/ask", response_model=CommunityBody, **described(409, 412))
    async def ask(request: Request, community: CommunityId, if_match: IfMatch = "") -> Response:
        """Ask a community's second question, once and for good."""
        return await changed(request, community, if_match, partial(actions.ask, min_reports=least))


def _add_collected(router: APIRouter, requests: OperatorRequests) -> None:
    store, least = requests.store, requests.settings.min_reports

    @router.post(f"{_ONE}/invitations", response_model=InvitationsBody, **described(409, body=InviteBody))
    async def send_out(request: Request, community: CommunityId) -> InvitationsBody:
        """Invite those without an invitation, the first 20,000, or some slots anew. The links are told once."""

        def make(actor: Actor, given: InviteBody) -> list[Invited]:
            where = members_address(requests.settings, request.scope, given.server)
            about: dict[str, Any] = given.model_dump(include={"users", "page", "days"}) | {"most": MOST}
            return invite(*(store, actor, community), server=where, **about)

        made = await requests.act_on(request, InviteBody, make, community)
        return InvitationsBody(
            invitations=[
                InvitationBody(user=each.user, name=each.name, link=each.link, token=each.invitation.token)
                for each in made
            ]
        )

    @router.get(f"{_ONE}/arrivals", response_model=ArrivalsBody, **described())
    async def read_arrivals(request: Request, community: CommunityId) -> ArrivalsBody:
        """How many reports came in on each day, in the latest epoch."""
        found = await requests.act(request, lambda _: store.tally.arrivals(store.community(community)), community)
        return ArrivalsBody(arrivals={str(day): count for day, count in found.items()})

    files = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in MEDIA_TYPES}

    @router.get(f"{_ONE}/export", response_class=Response, **described(409, 507, content=files))
    async def export(request: Request, community: CommunityId, format: Format = "csv") -> Response:
        """The reports of a community as a file."""
        return await requests.act(request, lambda who: export_response(store, who, community, format, least), community)

    @router.delete(f"{_ONE}/reports/{{user}}", response_model=DeletedBody, **described(409))
    async def delete_one(request: Request, community: CommunityId, user: User, epoch: Epoch = None) -> DeletedBody:
        """Delete a user's reports for good, in all epochs or in one. Her slots stay taken."""
        gone = await requests.act(request, lambda who: delete_report(store, who, community, user, epoch), community)
        return DeletedBody(deleted=gone)

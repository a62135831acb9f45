"""The pages on which operators do their work: thin. Each form ends in one function of ``collector.actions``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from graphldp.collector.actions import communities as actions
from graphldp.collector.actions.inviting import invite, mail_merge, parse_slots, silent
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.doors import Doors
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.dashboard.opening import id_from, opening_of
from graphldp.collector.http.listeners import members_door
from graphldp.collector.http.operators.downloads import export_response, saved_as
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.operators import Session
from graphldp.collector.qr import svg
from graphldp.collector.roles import Actor
from graphldp.collector.settings import Settings
from graphldp.collector.storage.collecting.listing import Wanted
from graphldp.collector.storage.store import Store
from graphldp.errors import ChangedError, DataError, ParameterError

_ROSTER_BYTES = 48_000_000
_REFUSED = (ParameterError, DataError)
Change = Callable[[Actor, Form], object]
Made = TypeVar("Made")


def add_routes(router: APIRouter, doors: Doors, settings: Settings, store: Store) -> None:
    """Add the pages, over a store."""
    _lists(router, doors, settings, store)
    _opening(router, doors, store)
    _one(router, doors, settings, store)
    _inviting(router, doors, settings, store)


def _lists(router: APIRouter, doors: Doors, settings: Settings, store: Store) -> None:
    @router.get("/dashboard")
    def communities(
        request: Request,
        search: Annotated[str, Query(max_length=200)] = "",
        state: str = "all",
        sort: str = "newest",
        page: Annotated[int, Query(ge=1, lt=1 << 31)] = 1,
    ) -> Response:
        def make() -> dict[str, Any]:
            return views.communities(store, Wanted(search, state, sort, page), settings.min_reports)

        return doors.show(request, "communities.html", make)

    @router.get("/dashboard/runs")
    def runs(request: Request) -> Response:
        return doors.show(request, "runs.html", lambda: views.runs(store))

    @router.get("/dashboard/classes")
    def classes(request: Request) -> Response:
        return doors.show(request, "classes.html", lambda: views.classes(store))

    @router.post("/dashboard/classes/{number}")
    async def name_class(request: Request, number: int) -> Response:
        session, form = await doors.enter(request)
        try:
            await run_in_threadpool(actions.name_class, store, session.actor, form.get("name"), number)
        except _REFUSED as error:
            made = await run_in_threadpool(views.classes, store)
            return doors.page("classes.html", session, _status(error), alert=str(error), **made)
        return RedirectResponse("/dashboard/classes", 303)


def _opening(router: APIRouter, doors: Doors, store: Store) -> None:
    @router.get("/dashboard/new")
    def new(request: Request) -> Response:
        return doors.show(request, "new.html", views.new)

    @router.post("/dashboard/new")
    async def create(request: Request) -> Response:
        session, form = await doors.enter(request, _ROSTER_BYTES)

        def open_it() -> str:
            given = opening_of(form)
            id = form.get("id") or id_from(form.get("name"))
            return actions.create(store, session.actor, id, given).id

        try:
            id = await run_in_threadpool(open_it)
        except _REFUSED as error:
            return doors.page("new.html", session, _status(error), alert=str(error), **views.new(form))
        return RedirectResponse(f"/dashboard/communities/{id}", 303)


def _one(router: APIRouter, doors: Doors, settings: Settings, store: Store) -> None:
    here = "/dashboard/communities/{id}"

    async def change(request: Request, id: str, action: Change) -> Response:
        """Do what a form asks for, and show the community again: with what is wrong, where something is."""
        session, form = await doors.enter(request)
        try:
            await run_in_threadpool(action, session.actor, form)
        except _REFUSED as error:
            made = await run_in_threadpool(_there, lambda: views.community(store, id, settings.min_reports))
            return doors.page("community.html", session, _status(error), alert=str(error), **made)
        return RedirectResponse(f"/dashboard/communities/{id}", 303)

    @router.get(here)
    def community(request: Request, id: str) -> Response:
        return doors.show(request, "community.html", lambda: views.community(store, id, settings.min_reports))

    @router.post(f"{here}/ask")
    async def ask(request: Request, id: str) -> Response:
        def ask_once(actor: Actor, form: Form) -> None:
            if store.community(id).asked_at is None:  # who pressed twice is shown that it was asked
                actions.ask(store, actor, id, seen=_seen(form), min_reports=settings.min_reports)

        return await change(request, id, ask_once)

    @router.post(f"{here}/close")
    async def close(request: Request, id: str) -> Response:
        return await change(request, id, lambda actor, form: actions.close(store, actor, id, seen=_seen(form)))

    @router.post(f"{here}/renew")
    async def renew(request: Request, id: str) -> Response:
        return await change(request, id, lambda actor, form: actions.renew(store, actor, id, seen=_seen(form)))

    @router.post(f"{here}/rename")
    async def rename(request: Request, id: str) -> Response:
        def call(actor: Actor, form: Form) -> None:
            actions.rename(store, actor, id, form.get("name"), seen=_seen(form))

        return await change(request, id, call)

    @router.post(f"{here}/label")
    async def label(request: Request, id: str) -> Response:
        def say(actor: Actor, form: Form) -> None:
            actions.label(store, actor, id, form.get("label"), seen=_seen(form))

        return await change(request, id, say)

    @router.get(f"{here}/delete")
    def ask_whether(request: Request, id: str) -> Response:
        return doors.show(request, "delete.html", lambda: views.delete(store, id))

    @router.post(f"{here}/delete")
    async def delete(request: Request, id: str) -> Response:
        session, form = await doors.enter(request)
        try:
            if form.get("typed") != id:
                raise ParameterError("What you typed is not the community's id. Nothing was deleted.")
            await run_in_threadpool(actions.delete, store, session.actor, id, seen=_seen(form))
        except _REFUSED as error:
            made = await run_in_threadpool(_there, lambda: views.delete(store, id))
            return doors.page("delete.html", session, _status(error), alert=str(error), **made)
        return RedirectResponse("/dashboard", 303)

    @router.get(f"{here}/export")
    def export(request: Request, id: str, format: str = "csv") -> Response:
        session = doors.session(request)
        if session is None:
            return RedirectResponse("/login", 303)
        least = settings.min_reports
        try:
            return export_response(store, session.actor, id, format, least)
        except ParameterError as error:
            made = _there(lambda: views.community(store, id, least))
            return doors.page("community.html", session, _status(error), alert=str(error), **made)


def _inviting(router: APIRouter, doors: Doors, settings: Settings, store: Store) -> None:
    here = "/dashboard/communities/{id}/invite"

    def page(request: Request, session: Session, id: str, form: Form | None, wrong: Exception | None) -> Response:
        made = _there(lambda: views.invite(store, id))
        # with a door of their own, operators are at an address that members cannot use
        here = "" if settings.admin_listen else str(request.base_url).rstrip("/")
        given = form or Form({"who": ["new"], "as": ["csv"], "server": [here]}, {})
        alert = None if wrong is None else str(wrong)
        return doors.page(
            "invite.html", session, 200 if wrong is None else _status(wrong), given=given, alert=alert, **made
        )

    @router.get(here)
    def ask_whom(request: Request, id: str) -> Response:
        session = doors.session(request)
        return RedirectResponse("/login", 303) if session is None else page(request, session, id, None, None)

    @router.post(here)
    async def send_out(request: Request, id: str) -> Response:
        session, form = await doors.enter(request)

        def make() -> Response:
            whom = {"silent": lambda: silent(store, id), "slots": lambda: _slots(store, id, form)}
            users = whom.get(form.get("who"), lambda: None)()
            sheet = form.get("as") == "sheet"
            most = views.SHEET if form.get("as") != "csv" else None
            where = members_door(settings, request.scope, form.get("server"))
            hosted = settings.page_origin or None
            invited = invite(
                *(store, session.actor, id), server=where, users=users, page=hosted, most=most, days=form.number("days")
            )
            if not invited:
                raise ParameterError("There is nobody to invite: choose others above.")
            if most is None:
                return saved_as(mail_merge(invited).encode(), "text/csv; charset=utf-8", f"{id}-invitations.csv")
            codes = [(each, svg(each.link, sized=False) if sheet else "") for each in invited]
            more = views.invite(store, id)["without"] if users is None else max(0, len(users) - len(invited))
            return doors.page("invited.html", session, codes=codes, sheet=sheet, more=more, **views.invite(store, id))

        try:
            return await run_in_threadpool(make)
        except _REFUSED as error:
            return await run_in_threadpool(page, request, session, id, form, error)


def _there(make: Callable[[], Made]) -> Made:
    """What is made for a community, or 404 where there is none."""
    try:
        return make()
    except ParameterError:
        raise ProblemError("not-found") from None


def _status(error: Exception) -> int:
    return 409 if isinstance(error, ChangedError) else 422


def _seen(form: Form) -> str:
    """The version that the form was made for; one without is out of date."""
    return form.get("seen") or "none"


def _slots(store: Store, id: str, form: Form) -> list[int]:
    return parse_slots(form.get("slots"), store.community(id).n)

"""The pages on which operators do their work: thin. Each form ends in one function of ``collector.actions``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from graphldp.collector.actions import communities as actions
from graphldp.collector.actions.inviting import MOST, invite, mail_merge, parse_slots, silent, svg
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.forms import Form, id_from, opening_of
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.middleware import members_address
from graphldp.collector.http.operators.downloads import export_response, saved_as
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.roles import Actor
from graphldp.collector.settings import Settings
from graphldp.collector.storage.community_list import CommunitySearch
from graphldp.collector.storage.operating.operators import Session
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_ALL, _ONE = "/dashboard", "/dashboard/communities/{id}"
Made = TypeVar("Made")


def add_routes(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    """Add the pages, over a store."""
    _add_lists(router, pages, settings, store)
    _add_changes(router, pages, settings, store)
    _add_export(router, pages, settings, store)
    _add_invitations(router, pages, settings, store)


def _add_lists(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    @router.get(_ALL)
    def communities(
        request: Request,
        search: Annotated[str, Query(max_length=200)] = "",
        state: str = "all",
        sort: str = "newest",
        page: Annotated[int, Query(ge=1, lt=1 << 31)] = 1,
    ) -> Response:
        def make(_actor: Actor) -> dict[str, Any]:
            return views.communities(store, CommunitySearch(search, state, sort, page), settings.min_reports)

        return pages.show(request, "communities.html", make)

    @router.get(f"{_ALL}/runs")
    def runs(request: Request) -> Response:
        return pages.show(request, "runs.html", lambda _: views.runs(store))

    @router.get(f"{_ALL}/classes")
    def classes(request: Request) -> Response:
        return pages.show(request, "classes.html", lambda _: views.classes(store))

    @router.post(f"{_ALL}/classes/{{number}}")
    async def name_class(request: Request, number: int) -> Response:
        def name(session: Session, form: Form) -> None:
            actions.name_class(store, session.actor, form.get("name"), number)

        return await pages.act(request, name, lambda *_: ("classes.html", views.classes(store)), f"{_ALL}/classes")

    @router.get(f"{_ALL}/new")
    def new(request: Request) -> Response:
        return pages.show(request, "new.html", lambda _: views.new(settings.min_reports))

    @router.get(f"{_ALL}/plan")
    def plan(
        request: Request,
        users: Annotated[int, Query(ge=2, lt=1 << 31)] = 2,
        groups: Annotated[int, Query(ge=1, lt=1 << 31)] = 1,
        epsilon: Annotated[float, Query(ge=1e-6, le=100)] = 1.0,
        mechanism: Annotated[str, Query(max_length=32)] = "",
    ) -> Response:
        return pages.show(request, "_plan.html", lambda _: views.planned(users, groups, epsilon, mechanism))

    @router.post(f"{_ALL}/new")
    async def create(request: Request) -> Response:
        def open_it(session: Session, form: Form) -> Response:
            opening, id = opening_of(form, settings), form.get("id") or id_from(form.get("name"))
            return _to(actions.create(store, session.actor, id, opening).id)

        return await pages.act(
            request, open_it, lambda _, form: ("new.html", views.new(settings.min_reports, form)), _ALL
        )


def _add_changes(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    least = settings.min_reports

    @router.get(_ONE)
    def community(request: Request, id: str) -> Response:
        return pages.show(request, "community.html", lambda _: views.community(store, id, least))

    def ask(actor: Actor, id: str, form: Form) -> None:
        if store.community(id).asked_at is None:  # who pressed twice is shown that it was asked
            actions.ask(store, actor, id, seen=_seen(form), min_reports=least)

    def renew(actor: Actor, id: str, form: Form) -> None:
        asks = actions.asked_by(settings, form.get("purpose"), form.get("operator"), form.get("contact"))
        actions.renew(store, actor, id, seen=_seen(form), inquiry=asks)

    changes: dict[str, Callable[[Actor, str, Form], object]] = {
        "ask": ask,
        "close": lambda actor, id, form: actions.close(store, actor, id, seen=_seen(form)),
        "renew": renew,
        "rename": lambda actor, id, form: actions.rename(store, actor, id, form.get("name"), seen=_seen(form)),
        "label": lambda actor, id, form: actions.label(store, actor, id, form.get("label"), seen=_seen(form)),
        "trust": lambda actor, id, form: actions.trust(store, actor, id, trusted=form.has("trusted"), seen=_seen(form)),
    }

    def add(name: str, change: Callable[[Actor, str, Form], object]) -> None:
        @router.post(f"{_ONE}/{name}")
        async def do(request: Request, id: str) -> Response:
            def act(session: Session, form: Form) -> Response:
                change(session.actor, id, form)
                return _to(id)

            def again(*_: object) -> tuple[str, dict[str, Any]]:
                return "community.html", _there(lambda: views.community(store, id, least))

            return await pages.act(request, act, again, _ALL)

    for name, change in changes.items():
        add(name, change)

    @router.get(f"{_ONE}/delete")
    def ask_whether(request: Request, id: str) -> Response:
        return pages.show(request, "delete.html", lambda _: views.delete(store, id))

    @router.post(f"{_ONE}/delete")
    async def delete(request: Request, id: str) -> Response:
        def delete_it(session: Session, form: Form) -> None:
            if form.get("typed") != id:
                raise ParameterError("What you typed is not the community's id. Nothing was deleted.")
            actions.delete(store, session.actor, id, seen=_seen(form))

        def again(*_: object) -> tuple[str, dict[str, Any]]:
            return "delete.html", _there(lambda: views.delete(store, id))

        return await pages.act(request, delete_it, again, _ALL)


def _add_export(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    @router.get(f"{_ONE}/export")
    def export(request: Request, id: str, format: str = "csv") -> Response:
        session, least = pages.session(request), settings.min_reports
        if session is None:
            return RedirectResponse("/login", 303)
        try:
            return export_response(store, session.actor, id, format, least)
        except ParameterError as error:
            made = _there(lambda: views.community(store, id, least))
            return pages.page("community.html", session, 422, alert=str(error), **made)


def _add_invitations(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    @router.get(f"{_ONE}/invite")
    def ask_whom(request: Request, id: str) -> Response:
        # where operators have an address of their own, members cannot use it
        here = "" if settings.admin_listen else str(request.base_url).rstrip("/")
        given = Form({"who": ["new"], "as": ["csv"], "server": [here]}, {})
        return pages.show(request, "invite.html", lambda _: views.invite(store, id) | {"given": given})

    @router.post(f"{_ONE}/invite")
    async def send_out(request: Request, id: str) -> Response:
        def make(session: Session, form: Form) -> Response:
            whom = {"silent": lambda: silent(store, id), "slots": lambda: _slots(store, id, form)}
            users = whom.get(form.get("who"), lambda: None)()
            sheet = form.get("as") == "sheet"
            most = views.SHEET if form.get("as") != "csv" else MOST
            where = members_address(settings, request.scope, form.get("server"))
            about: dict[str, Any] = {"page": settings.page_origin or None, "days": form.number("days")}
            invited = invite(*(store, session.actor, id), server=where, users=users, most=most, **about)
            if not invited:
                raise ParameterError("There is nobody to invite: choose others above.")
            if most == MOST:
                return saved_as(mail_merge(invited).encode(), "text/csv; charset=utf-8", f"{id}-invitations.csv")
            codes = [(each, svg(each.link, sized=False) if sheet else "") for each in invited]
            more = views.invite(store, id)["without"] if users is None else max(0, len(users) - len(invited))
            return pages.page("invited.html", session, codes=codes, sheet=sheet, more=more, **views.invite(store, id))

        def again(_: Session, form: Form) -> tuple[str, dict[str, Any]]:
            return "invite.html", _there(lambda: views.invite(store, id)) | {"given": form}

        return await pages.act(request, make, again, _ALL)


def _to(id: str) -> Response:
    return RedirectResponse(f"/dashboard/communities/{id}", 303)


def _there(make: Callable[[], Made]) -> Made:
    """The values made for a community, or 404 where there is none."""
    try:
        return make()
    except ParameterError:
        raise ProblemError("not-found") from None


def _seen(form: Form) -> str:
    """The version that the form was made for; one without is out of date."""
    return form.get("seen") or "none"


def _slots(store: Store, id: str, form: Form) -> list[int]:
    return parse_slots(form.get("slots"), store.community(id).n)

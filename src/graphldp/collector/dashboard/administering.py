"""The pages for administrators: who may do what, and who did what. Thin: all of it is in ``collector.actions``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from graphldp.collector.actions import audit_log, operators
from graphldp.collector.dashboard.doors import Doors
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.http.operators.downloads import log_response
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.operators import Session
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating.log_pages import LogWanted
from graphldp.collector.storage.operating.sign_ins import KINDS
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_STAFF, _LOG = "/dashboard/operators", "/dashboard/log"
_NEW_KEY = "operator_key.html"
Text = Annotated[str, Query(max_length=200)]


def add_routes(router: APIRouter, doors: Doors, store: Store) -> None:
    """Add the pages, over a store."""
    _people(router, doors, store)
    _keys(router, doors, store)
    _log(router, doors, store)


def _shown_staff(store: Store, actor: Actor) -> dict[str, Any]:
    roles = [each.title for each in Role]
    return {"here": "operators", "staff": operators.staff(store, actor), "roles": roles, "kinds": KINDS}


async def _done(
    doors: Doors, store: Store, request: Request, action: Callable[[Session, Form], Response | None]
) -> Response:
    """Do what a form asks for, and show who may do what: with what is wrong, where something is."""
    session, form = await doors.enter(request)
    try:
        answer = await run_in_threadpool(action, session, form)
    except ParameterError as error:
        made = await run_in_threadpool(_shown_staff, store, session.actor)
        return doors.page("operators.html", session, 422, alert=str(error), **made)
    return answer or RedirectResponse(_STAFF, 303)


def _people(router: APIRouter, doors: Doors, store: Store) -> None:
    @router.get(_STAFF)
    def staff(request: Request) -> Response:
        return doors.show_to(request, "operators.html", lambda actor: _shown_staff(store, actor))

    @router.post(f"{_STAFF}/role")
    async def set_role(request: Request) -> Response:
        def change(session: Session, form: Form) -> None:
            operators.set_role(store, session.actor, form.get("name"), Role.named(form.get("role")))

        return await _done(doors, store, request, change)

    @router.get(f"{_STAFF}/remove")
    def ask_whether(request: Request, name: Text = "") -> Response:
        def make(actor: Actor) -> dict[str, Any]:
            found = [each for each in operators.staff(store, actor).holders if each.name == name]
            if not found:
                raise ParameterError("There is no such operator.")
            return {"here": "operators", "holder": found[0]}

        return doors.show_to(request, "operator_remove.html", make)

    @router.post(f"{_STAFF}/remove")
    async def remove(request: Request) -> Response:
        def end(session: Session, form: Form) -> None:
            operators.remove(store, session.actor, form.get("name"))

        return await _done(doors, store, request, end)

    @router.post(f"{_STAFF}/allow")
    async def allow(request: Request) -> Response:
        def let_in(session: Session, form: Form) -> None:
            role = Role.named(form.get("role"))
            operators.allow(store, session.actor, form.get("value"), form.get("kind"), role)

        return await _done(doors, store, request, let_in)

    @router.post(f"{_STAFF}/disallow")
    async def disallow(request: Request) -> Response:
        def keep_out(session: Session, form: Form) -> None:
            operators.disallow(store, session.actor, form.get("value"), form.get("kind"))

        return await _done(doors, store, request, keep_out)


def _keys(router: APIRouter, doors: Doors, store: Store) -> None:
    @router.post(_STAFF)
    async def add(request: Request) -> Response:
        def make(session: Session, form: Form) -> Response:
            name, role, days = form.get("name"), Role.named(form.get("role")), form.number("days")
            key = operators.add(store, session.actor, name, role, days)
            return doors.page(_NEW_KEY, session, here="operators", whose=name, key=key)

        return await _done(doors, store, request, make)

    @router.post(f"{_STAFF}/rotate")
    async def rotate(request: Request) -> Response:
        def make(session: Session, form: Form) -> Response:
            name = form.get("name")
            key = operators.rotate(store, session.actor, name, form.number("days"))
            return doors.page(_NEW_KEY, session, here="operators", whose=name, key=key, replaced=True)

        return await _done(doors, store, request, make)


def _shown_log(store: Store, actor: Actor, wanted: LogWanted) -> dict[str, Any]:
    asked = {name: value for name, value in asdict(wanted).items() if value and name != "before"}
    found = audit_log.read_log(store, actor, wanted)
    older = None if found.older is None else "?" + urlencode(asked | {"before": found.older})
    newest = "?" + urlencode(asked) if wanted.before is not None else None
    return {"here": "log", "wanted": wanted, "page": found, "searched": bool(asked), "older": older, "newest": newest}


def _log(router: APIRouter, doors: Doors, store: Store) -> None:
    @router.get(_LOG)
    def log(
        request: Request,
        actor: Text = "",
        action: Text = "",
        about: Text = "",
        before: Annotated[int | None, Query(ge=1, lt=1 << 31)] = None,
    ) -> Response:
        try:
            wanted = LogWanted(actor, action, about, before)
        except ParameterError:
            raise ProblemError("bad-request") from None
        return doors.show_to(request, "log.html", lambda who: _shown_log(store, who, wanted))

    @router.post(f"{_LOG}/verify")
    async def verify(request: Request) -> Response:
        session, form = await doors.enter(request)

        def check() -> Response:
            values: dict[str, Any] = {"status": 200}
            try:
                values["verified"] = audit_log.verify(store, session.actor, form.get("head") or None)
            except ParameterError as error:
                values = {"status": 422, "alert": str(error)}
            shown = _shown_log(store, session.actor, LogWanted())
            return doors.page("log.html", session, head=form.get("head"), **values, **shown)

        return await run_in_threadpool(check)

    @router.get(f"{_LOG}/download")
    def download(request: Request, format: str = "json") -> Response:
        session = doors.session(request)
        return RedirectResponse("/login", 303) if session is None else log_response(store, session.actor, format)

"""The pages for administrators: who may do what, and who did what. Thin: all of it is in ``collector.actions``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from graphldp.collector.actions import administration as operators
from graphldp.collector.actions import log_reading as audit_log
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.operators.downloads import log_response
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating.audit_log import LogSearch
from graphldp.collector.storage.operating.operators import Session
from graphldp.collector.storage.operating.sign_ins import KINDS
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_STAFF, _LOG = "/dashboard/operators", "/dashboard/log"
_NEW_KEY = "operator_key.html"
Text = Annotated[str, Query(max_length=200)]


def add_routes(router: APIRouter, pages: Pages, store: Store) -> None:
    """Add the pages, over a store."""
    _add_people(router, pages, store)
    _add_log(router, pages, store)


def _add_people(router: APIRouter, pages: Pages, store: Store) -> None:
    def shown(actor: Actor) -> dict[str, Any]:
        roles = [each.title for each in Role]
        return {"here": "operators", "staff": operators.staff(store, actor), "roles": roles, "kinds": KINDS}

    @router.get(_STAFF)
    def staff(request: Request) -> Response:
        return pages.show(request, "operators.html", shown)

    @router.get(f"{_STAFF}/remove")
    def ask_whether(request: Request, name: Text = "") -> Response:
        def make(actor: Actor) -> dict[str, Any]:
            found = [each for each in operators.staff(store, actor).holders if each.name == name]
            if not found:
                raise ParameterError("There is no such operator.")
            return {"here": "operators", "holder": found[0]}

        return pages.show(request, "operator_remove.html", make)

    def set_role(session: Session, form: Form) -> None:
        operators.set_role(store, session.actor, form.get("name"), Role.named(form.get("role")))

    def remove(session: Session, form: Form) -> None:
        operators.remove(store, session.actor, form.get("name"))

    def allow(session: Session, form: Form) -> None:
        role = Role.named(form.get("role"))
        operators.allow(store, session.actor, form.get("value"), form.get("kind"), role)

    def disallow(session: Session, form: Form) -> None:
        operators.disallow(store, session.actor, form.get("value"), form.get("kind"))

    def add(session: Session, form: Form) -> Response:
        name, role, days = form.get("name"), Role.named(form.get("role")), form.number("days")
        key = operators.add(store, session.actor, name, role, days)
        return pages.page(_NEW_KEY, session, here="operators", whose=name, key=key)

    def rotate(session: Session, form: Form) -> Response:
        name = form.get("name")
        key = operators.rotate(store, session.actor, name, form.number("days"))
        return pages.page(_NEW_KEY, session, here="operators", whose=name, key=key, replaced=True)

    def add_form(path: str, action: Callable[[Session, Form], Response | None]) -> None:
        @router.post(path)
        async def do(request: Request) -> Response:
            """Do what a form asks for, and show who may do what: with what is wrong, where something is."""
            return await pages.act(request, action, lambda who, _: ("operators.html", shown(who.actor)), _STAFF)

    add_form(_STAFF, add)
    for name, action in (("role", set_role), ("remove", remove), ("allow", allow), ("disallow", disallow)):
        add_form(f"{_STAFF}/{name}", action)
    add_form(f"{_STAFF}/rotate", rotate)


def _shown_log(store: Store, actor: Actor, wanted: LogSearch) -> dict[str, Any]:
    asked = {name: value for name, value in asdict(wanted).items() if value and name != "before"}
    found = audit_log.read_log(store, actor, wanted)
    older = None if found.older is None else "?" + urlencode(asked | {"before": found.older})
    newest = "?" + urlencode(asked) if wanted.before is not None else None
    return {"here": "log", "wanted": wanted, "page": found, "searched": bool(asked), "older": older, "newest": newest}


def _add_log(router: APIRouter, pages: Pages, store: Store) -> None:
    @router.get(_LOG)
    def log(
        request: Request,
        actor: Text = "",
        action: Text = "",
        about: Text = "",
        before: Annotated[int | None, Query(ge=1, lt=1 << 31)] = None,
    ) -> Response:
        try:
            wanted = LogSearch(actor, action, about, before)
        except ParameterError:
            raise ProblemError("bad-request") from None
        return pages.show(request, "log.html", lambda who: _shown_log(store, who, wanted))

    @router.post(f"{_LOG}/verify")
    async def verify(request: Request) -> Response:
        def check(session: Session, form: Form) -> Response:
            found = audit_log.verify(store, session.actor, form.get("head") or None)
            return pages.page("log.html", session, verified=found, **again(session, form)[1])

        def again(session: Session, form: Form) -> tuple[str, dict[str, Any]]:
            return "log.html", _shown_log(store, session.actor, LogSearch()) | {"head": form.get("head")}

        return await pages.act(request, check, again, _LOG)

    @router.get(f"{_LOG}/download")
    def download(request: Request, format: str = "json") -> Response:
        session = pages.session(request)
        return RedirectResponse("/login", 303) if session is None else log_response(store, session.actor, format)

"""Pages from templates, for whoever is logged in, and what their forms bring."""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.datastructures import Headers

from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.forms import Form, parse_form
from graphldp.collector.http.limits import BodyBudget, Check, declared, media_type, read_body
from graphldp.collector.http.middleware import PAGE_POLICY
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.http.route_table import FORM, FORM_BYTES, route_of
from graphldp.collector.roles import Actor, Role, check_role
from graphldp.collector.settings import Settings
from graphldp.collector.storage.operating.operators import Session
from graphldp.collector.storage.store import Store
from graphldp.errors import BusyError, ChangedError, DataError, FormatError, ParameterError
from graphldp.neighbour_lists.labels import promise

_TEMPLATES = Path(__file__).with_name("templates")
_MAIL = re.compile(r"[^\s@/:]+@[^\s@/:]+")
_WHAT_TO_DO = {
    401: "Open the link of your invitation, whole, or ask who invited you for a new one.",
    403: "Go back, load the page again, and try once more.",
    404: "The address may be mistyped. If you were invited, open the link that you were sent.",
    405: "Go back to the start and take the way from there.",
    429: "Wait a minute, then load this page again.",
}
_BY_KIND = {"not-allowed": "Ask an administrator to do it, or to give you that role."}
_LATER = "This is not your fault. Try again in a few minutes."


class Templates:
    """All templates, and what stands on each page."""

    def __init__(self, settings: Settings) -> None:
        self._environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=select_autoescape())
        self._environment.filters |= {"percent": views.percent, "fine": views.fine, "counted": views.counted}
        self._environment.filters |= {"moment": views.moment, "promise": promise}
        contact = settings.contact.strip()
        link = f"mailto:{contact}" if _MAIL.fullmatch(contact) else contact if contact.startswith("https://") else None
        self._host: dict[str, Any] = {"run_by": settings.run_by.strip(), "contact": contact, "contact_link": link}
        self._host["asks"] = {"purpose": settings.purpose, "operator": settings.run_by, "contact": settings.contact}

    def render(self, name: str, session: Session | None = None, **values: Any) -> str:
        """A page."""
        role = 0 if session is None else session.actor.role  # nobody is shown what her role does not let her press
        may = {"may_act": role >= Role.OPERATOR, "may_administer": role >= Role.ADMINISTRATOR}
        return self._environment.get_template(name).render(session=session, **may, **self._host, **values)

    def problem(self, body: Mapping[str, Any], session: Session | None = None) -> str:
        """A problem, for people."""
        status, kind = body["status"], body["type"].rpartition(":")[2]
        todo = _BY_KIND.get(kind) or _WHAT_TO_DO.get(status, _LATER if status >= 500 else "Go back and try again.")
        back = "/" if session is None else "/dashboard"
        about = {"title": body["title"], "detail": body.get("detail"), "status": status}
        return self.render("problem.html", session, todo=todo, back=back, **about)


COOKIE = "graphldp_session"


class Pages:
    """Shows pages to operators who are logged in."""

    def __init__(self, settings: Settings, store: Store, templates: Templates) -> None:
        self._settings, self._store, self._templates = settings, store, templates
        self._held = BodyBudget(settings.held_bytes)

    def page(self, name: str, session: Session | None = None, status: int = 200, **values: Any) -> Response:
        """An answer with a page. None but that of a new community asks the server for anything while it is read."""
        asks = {"content-security-policy": f"{PAGE_POLICY}; connect-src 'self'"} if name == "new.html" else None
        return HTMLResponse(self._templates.render(name, session, **values), status, asks)

    def session(self, request: Request) -> Session | None:
        """The session of whoever is logged in. The request remembers it, for the page of whatever goes wrong."""
        secret, route = request.cookies.get(COOKIE), route_of(request.scope)
        request.state.session = session = self._store.operators.session(secret) if secret else None
        if session is not None and isinstance(route.caller, Role):
            about = next(iter(request.path_params.values()), None)
            check_role(self._store, session.actor, route.action, route.caller, about)
        return session

    def show(self, request: Request, name: str, make: Callable[[Actor], dict[str, Any]]) -> Response:
        """A page that is made for who asks, or the way to the login."""
        session = self.session(request)
        if session is None:
            return RedirectResponse("/login", 303)
        try:
            return self.page(name, session, **make(session.actor))
        except ParameterError:
            raise ProblemError("not-found") from None

    @asynccontextmanager
    async def form(self, request: Request, check: Callable[[Form], None] | None = None) -> AsyncIterator[Form]:
        """The form that one of these pages brings; its bytes count as held until the block ends."""
        cost, kind = route_of(request.scope).cost, media_type(request.headers)
        if not _from_here(request.headers):
            raise ProblemError("forbidden")
        if declared(request.headers) and kind not in cost.types:
            raise ProblemError("wrong-type")
        most, written = cost.known(self._settings), request.headers.get("content-type", "")
        early = Check(FORM_BYTES, lambda head: check(_parsed(head, written, whole=False))) if check else None
        with self._held.share() as hold:
            body = await read_body(
                request.headers,
                request.receive,
                FORM_BYTES if kind == FORM else most,
                self._settings.body_seconds,
                hold,
                early if most > FORM_BYTES else None,
            )
            form = await run_in_threadpool(_parsed, body, written, whole=True)
            if check is not None:
                check(form)
            yield form

    @asynccontextmanager
    async def enter(self, request: Request) -> AsyncIterator[tuple[Session, Form]]:
        """The operator who is logged in and may do this, and what she filled in. A stranger's form is not read."""
        session = await run_in_threadpool(self.session, request)
        if session is None:
            raise ProblemError("forbidden")

        def check(form: Form) -> None:
            if not hmac.compare_digest(form.get("csrf").encode(), session.csrf.encode()):
                raise ProblemError("forbidden")

        async with self.form(request, check) as form:
            yield session, form

    async def act(
        self,
        request: Request,
        action: Callable[[Session, Form], Response | None],
        otherwise: Callable[[Session, Form], tuple[str, dict[str, Any]]],
        then: str,
    ) -> Response:
        """Do what a form asks for, and send the browser on; or show a page, by its name and values, with what is wrong.

        The action itself may answer, such as with a page that is shown once.
        """
        async with self.enter(request) as (session, form):
            try:
                answer = await run_in_threadpool(action, session, form)
            except (ParameterError, DataError) as error:
                name, values = await run_in_threadpool(otherwise, session, form)
                status = 409 if isinstance(error, ChangedError | BusyError) else 422
                return self.page(name, session, status, alert=str(error), **values)
        return answer or RedirectResponse(then, 303)


def _parsed(body: bytes, content_type: str, *, whole: bool) -> Form:
    try:
        return parse_form(body, content_type, whole=whole)
    except FormatError as error:
        raise ProblemError("bad-request", str(error)) from None


def _from_here(headers: Headers) -> bool:
    """Whether a form came from one of these pages, as far as its browser says."""
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host")
    except ValueError:  # no address at all
        return False

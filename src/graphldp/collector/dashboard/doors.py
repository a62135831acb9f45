"""Who may see a page: sessions, and forms that were sent from these pages."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import Headers

from graphldp.collector.dashboard.forms import Form, parse_form
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.limits import Held, read_body
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.operators import Session
from graphldp.collector.roles import Actor
from graphldp.collector.settings import Settings
from graphldp.collector.storage.store import Store
from graphldp.errors import FormatError, ParameterError

COOKIE = "graphldp_session"
FORM_BYTES = 4096


class Doors:
    """Shows pages to operators who are logged in.

    Args:
        settings: how long a form may take to arrive.
        store: where sessions are.
        pages: the templates.
    """

    def __init__(self, settings: Settings, store: Store, pages: Pages) -> None:
        self._settings, self._store, self._pages = settings, store, pages
        self._held = Held(settings.held_bytes)

    def page(self, name: str, session: Session | None = None, status: int = 200, **values: Any) -> Response:
        """A page."""
        return HTMLResponse(self._pages.render(name, session, **values), status)

    def session(self, request: Request) -> Session | None:
        """Whoever is logged in. The request remembers it, for the page of whatever goes wrong."""
        secret = request.cookies.get(COOKIE)
        request.state.session = session = self._store.operators.session(secret) if secret else None
        return session

    def show(self, request: Request, name: str, make: Callable[[], dict[str, Any]]) -> Response:
        """A page for whoever is logged in, or the way to the login."""
        return self.show_to(request, name, lambda _: make())

    def show_to(self, request: Request, name: str, make: Callable[[Actor], dict[str, Any]]) -> Response:
        """A page that is made for who asks, or the way to the login."""
        session = self.session(request)
        if session is None:
            return RedirectResponse("/login", 303)
        try:
            return self.page(name, session, **make(session.actor))
        except ParameterError:
            raise ProblemError("not-found") from None

    async def form(self, request: Request, most: int = FORM_BYTES) -> Form:
        """What a form of one of these pages brings."""
        if not _from_here(request.headers):
            raise ProblemError("forbidden")
        with self._held.share() as hold:
            body = await read_body(request.headers, request.receive, most, self._settings.body_seconds, hold)
            try:
                return await run_in_threadpool(parse_form, body, request.headers.get("content-type", ""))
            except FormatError as error:
                raise ProblemError("bad-request", str(error)) from None

    async def enter(self, request: Request, most: int = FORM_BYTES) -> tuple[Session, Form]:
        """The operator who is logged in, and what she filled in. A stranger's form is not read."""
        session = await run_in_threadpool(self.session, request)
        if session is None:
            raise ProblemError("forbidden")
        form = await self.form(request, most)
        if not hmac.compare_digest(form.get("csrf").encode(), session.csrf.encode()):
            raise ProblemError("forbidden")
        return session, form


def _from_here(headers: Headers) -> bool:
    """Whether a form came from one of these pages, as far as its browser says."""
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host")
    except ValueError:  # no address at all
        return False

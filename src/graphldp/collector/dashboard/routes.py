"""The pages' routes: thin. The front door, how it works and the playground are for anyone, the rest for operators."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers

from graphldp.collector.actions import communities as actions
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.limits import Held, Limiter, network_of, read_body
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.operators import Session
from graphldp.collector.roles import Actor
from graphldp.collector.settings import Settings
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

COOKIE = "graphldp_session"
_HERE = Path(__file__).parent
_FORM_BYTES = 4096
_LOGINS_PER_MINUTE = 20


def static_files() -> StaticFiles:
    """Style and script, served from here: the pages load nothing from elsewhere."""
    return StaticFiles(directory=_HERE / "static")


def _from_here(headers: Headers) -> bool:
    """Whether a form came from one of these pages, as far as its browser says."""
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host")
    except ValueError:  # no address at all
        return False


def make_router(settings: Settings, store: Store, pages: Pages) -> APIRouter:
    """The pages, over a store."""
    router = APIRouter(include_in_schema=False)
    logins, held = Limiter(_LOGINS_PER_MINUTE), Held(settings.held_bytes)

    def page(name: str, session: Session | None = None, status: int = 200, **values: Any) -> Response:
        return HTMLResponse(pages.render(name, session, **values), status)

    def session_of(request: Request) -> Session | None:
        secret = request.cookies.get(COOKIE)
        return store.operators.session(secret) if secret else None

    async def form(request: Request) -> dict[str, str]:
        if not _from_here(request.headers):
            raise ProblemError("forbidden")
        with held.share() as hold:
            body = await read_body(request.headers, request.receive, _FORM_BYTES, settings.body_seconds, hold)
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: values[-1] for name, values in fields.items()}

    async def act(request: Request, action: Callable[[Actor], object]) -> None:
        """Do what a form of a logged-in operator asks for."""
        session = await run_in_threadpool(session_of, request)
        given = (await form(request)).get("csrf", "")
        if session is None or not hmac.compare_digest(given.encode(), session.csrf.encode()):
            raise ProblemError("forbidden")
        try:
            await run_in_threadpool(action, session.actor)
        except ParameterError:
            raise ProblemError("not-found") from None

    def shown(request: Request, name: str, make: Callable[[], dict[str, Any]]) -> Response:
        """A page for operators, or the way to the login."""
        session = session_of(request)
        if session is None:
            return RedirectResponse("/login", 303)
        try:
            return page(name, session, **make())
        except ParameterError:
            raise ProblemError("not-found") from None

    @router.get("/")
    def start(request: Request) -> Response:
        return page("start.html", session_of(request), here="start")

    @router.get("/how")
    def how(request: Request) -> Response:
        return page("how.html", session_of(request), here="how", epsilons=views.epsilons())

    @router.get("/play")
    def play(request: Request) -> Response:
        return page("play.html", session_of(request), here="play", **views.play())

    @router.get("/login")
    def login(request: Request) -> Response:
        if session_of(request) is not None:
            return RedirectResponse("/dashboard", 303)
        return page("login.html", here="login", wrong=False)

    @router.post("/login")
    async def log_in(request: Request) -> Response:
        logins.take(network_of(request.client.host) if request.client else "")
        key = (await form(request)).get("key", "").strip()
        secret = await run_in_threadpool(store.operators.log_in, key, settings.session_hours)
        if secret is None:
            return page("login.html", status=401, here="login", wrong=True)
        answer = RedirectResponse("/dashboard", 303)
        secure = request.url.scheme == "https"
        lifetime = round(settings.session_hours * 3600)
        answer.set_cookie(COOKIE, secret, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
        return answer

    @router.post("/logout")
    async def log_out(request: Request) -> Response:
        await act(request, lambda _: store.operators.log_out(request.cookies.get(COOKIE, "")))
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE)
        return answer

    @router.get("/dashboard")
    def communities(request: Request) -> Response:
        return shown(request, "communities.html", lambda: views.communities(store, settings.min_reports))

    @router.get("/dashboard/runs")
    def runs(request: Request) -> Response:
        return shown(request, "runs.html", lambda: views.runs(store))

    @router.get("/dashboard/communities/{id}")
    def community(request: Request, id: str) -> Response:
        return shown(request, "community.html", lambda: views.community(store, id, settings.min_reports))

    @router.post("/dashboard/communities/{id}/ask")
    async def ask(request: Request, id: str) -> Response:
        def ask_once(actor: Actor) -> None:
            try:
                actions.ask(store, actor, id)
            except ParameterError:
                if store.community(id).asked_at is None:
                    raise  # who pressed twice is shown that it was asked

        await act(request, ask_once)
        return RedirectResponse(f"/dashboard/communities/{id}", 303)

    @router.post("/dashboard/communities/{id}/close")
    async def close(request: Request, id: str) -> Response:
        await act(request, lambda actor: actions.close(store, actor, id))
        return RedirectResponse(f"/dashboard/communities/{id}", 303)

    return router

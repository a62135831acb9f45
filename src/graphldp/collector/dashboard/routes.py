"""The pages that are for anyone, and the way in: thin. What operators do is in :mod:`.operating`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from graphldp.collector.dashboard import administering, jobs, operating, views
from graphldp.collector.dashboard.doors import COOKIE, Doors
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.settings import Settings
from graphldp.collector.storage.store import Store
from graphldp.collector.workshop import Workshop
from graphldp.errors import MissingExtraError

_HERE = Path(__file__).parent
_LOGINS_PER_MINUTE = 20


def static_files() -> StaticFiles:
    """Style and script, served from here: the pages load nothing from elsewhere."""
    return StaticFiles(directory=_HERE / "static")


def make_router(settings: Settings, store: Store, pages: Pages, workshop: Workshop) -> APIRouter:
    """The pages, over a store."""
    router = APIRouter(include_in_schema=False)
    doors = Doors(settings, store, pages)
    _for_anyone(router, doors)
    _way_in(router, doors, settings, store)
    operating.add_routes(router, doors, settings, store)
    jobs.add_routes(router, doors, store, workshop)
    administering.add_routes(router, doors, store)
    return router


def _for_anyone(router: APIRouter, doors: Doors) -> None:
    @router.get("/")
    def start(request: Request) -> Response:
        return doors.page("start.html", doors.session(request), here="start")

    @router.get("/how")
    def how(request: Request) -> Response:
        return doors.page("how.html", doors.session(request), here="how", epsilons=views.epsilons())

    @router.get("/play")
    def play(request: Request) -> Response:
        return doors.page("play.html", doors.session(request), here="play", **views.play())


def _way_in(router: APIRouter, doors: Doors, settings: Settings, store: Store) -> None:
    logins = Limiter(_LOGINS_PER_MINUTE)
    provider = urlsplit(settings.oidc_issuer).hostname

    def login_page(status: int = 200, *, wrong: bool = False, refused: bool = False) -> Response:
        return doors.page("login.html", status=status, here="login", wrong=wrong, refused=refused, provider=provider)

    def enter(request: Request, secret: str, answer: Response) -> Response:
        lifetime, secure = round(settings.session_hours * 3600), request.url.scheme == "https"
        answer.set_cookie(COOKIE, secret, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
        return answer

    def come_in(request: Request, secret: str) -> Response:
        # a page and no redirect: the browser comes from another site, and would not send the cookie along
        return enter(request, secret, doors.page("signed_in.html", here="login"))

    if settings.oidc_issuer:
        router.include_router(_signing_in(settings, store, lambda: login_page(401, refused=True), come_in))

    @router.get("/login")
    def login(request: Request) -> Response:
        if doors.session(request) is not None:
            return RedirectResponse("/dashboard", 303)
        return login_page()

    @router.post("/login")
    async def log_in(request: Request) -> Response:
        logins.take(network_of(request.client.host) if request.client else "")
        key = (await doors.form(request)).get("key")
        secret = await run_in_threadpool(store.operators.log_in, key, settings.session_hours)
        if secret is None:
            return login_page(401, wrong=True)
        return enter(request, secret, RedirectResponse("/dashboard", 303))

    @router.post("/logout")
    async def log_out(request: Request) -> Response:
        await doors.enter(request)
        await run_in_threadpool(store.operators.log_out, request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE)
        return answer


def _signing_in(
    settings: Settings,
    store: Store,
    refuse: Callable[[], Response],
    enter: Callable[[Request, str], Response],
) -> APIRouter:
    """The sign-in by a provider, which needs an extra."""
    try:
        from graphldp.collector.dashboard import signing_in
    except ModuleNotFoundError:
        raise MissingExtraError("Sign-in by OpenID Connect", "oidc") from None
    return signing_in.make_router(settings, store, refuse, enter)

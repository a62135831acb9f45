"""Pages for anyone, and the login of operators. Their own pages are in the modules beside this one."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from graphldp.collector.actions.job_control import JobProcesses
from graphldp.collector.dashboard import administrator_pages as administering
from graphldp.collector.dashboard import community_pages as operating
from graphldp.collector.dashboard import job_pages as jobs
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.pages import COOKIE, Pages, Templates
from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.settings import Settings
from graphldp.collector.storage.store import Store
from graphldp.errors import MissingExtraError

_HERE = Path(__file__).parent
_LOGINS_PER_MINUTE = 20
_LANGUAGES = ("en", "de")


def static_files() -> StaticFiles:
    """Style and script, served from here: the pages load nothing from elsewhere."""
    return StaticFiles(directory=_HERE / "static")


def make_router(settings: Settings, store: Store, templates: Templates, processes: JobProcesses) -> APIRouter:
    """The pages, over a store."""
    router = APIRouter(include_in_schema=False)
    pages = Pages(settings, store, templates)
    _add_public(router, pages)
    _add_login(router, pages, settings, store)
    operating.add_routes(router, pages, settings, store)
    jobs.add_routes(router, pages, store, processes)
    administering.add_routes(router, pages, store)
    return router


def _add_public(router: APIRouter, pages: Pages) -> None:
    def shown(request: Request, here: str, **values: Any) -> Response:
        given, lang = request.query_params.get("lang"), _language(request)
        name = f"{here}.html" if lang == "en" else f"{here}.{lang}.html"
        chosen = f"?lang={lang}" if given == lang else ""
        answer = pages.page(name, pages.session(request), here=here, lang=lang, chosen=chosen, **values)
        answer.headers["Vary"] = "Accept-Language, Cookie"
        return answer

    @router.get("/")
    def start(request: Request) -> Response:
        return shown(request, "start")

    @router.get("/how")
    def how(request: Request) -> Response:
        return shown(request, "how", epsilons=views.epsilons())

    @router.get("/play")
    def play(request: Request) -> Response:
        return shown(request, "play", **views.play())


def _language(request: Request) -> str:
    """The language of a visitor: what she chose on the page, or the first that her browser names; else English."""
    named = request.headers.get("accept-language", "").split(",")
    wanted = [request.query_params.get("lang", ""), *(each.strip()[:2].lower() for each in named)]
    return next((each for each in wanted if each in _LANGUAGES), "en")


def _add_login(router: APIRouter, pages: Pages, settings: Settings, store: Store) -> None:
    logins = Limiter(_LOGINS_PER_MINUTE)
    provider = urlsplit(settings.oidc_issuer).hostname

    def login_page(status: int = 200, *, wrong: bool = False, refused: bool = False) -> Response:
        return pages.page("login.html", status=status, here="login", wrong=wrong, refused=refused, provider=provider)

    def enter(request: Request, secret: str, answer: Response) -> Response:
        lifetime, secure = round(settings.session_hours * 3600), request.url.scheme == "https"
        answer.set_cookie(COOKIE, secret, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
        return answer

    def come_in(request: Request, secret: str) -> Response:
        # a page and no redirect: the browser comes from another site, and would not send the cookie along
        return enter(request, secret, pages.page("signed_in.html", here="login"))

    if settings.oidc_issuer:
        try:
            from graphldp.collector.dashboard import oidc
        except ModuleNotFoundError:
            raise MissingExtraError("Sign-in by OpenID Connect", "oidc") from None
        router.include_router(oidc.make_router(settings, store, lambda: login_page(401, refused=True), come_in))

    @router.get("/login")
    def login(request: Request) -> Response:
        if pages.session(request) is not None:
            return RedirectResponse("/dashboard", 303)
        return login_page()

    @router.post("/login")
    async def log_in(request: Request) -> Response:
        logins.take(network_of(request.client.host) if request.client else "")
        async with pages.form(request) as form:
            key = form.get("key")
        secret = await run_in_threadpool(store.operators.log_in, key, settings.session_hours)
        if secret is None:
            return login_page(401, wrong=True)
        return enter(request, secret, RedirectResponse("/dashboard", 303))

    @router.post("/logout")
    async def log_out(request: Request) -> Response:
        async with pages.enter(request):
            await run_in_threadpool(store.operators.log_out, request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE)
        return answer

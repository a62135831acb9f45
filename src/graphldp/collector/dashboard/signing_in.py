"""Routes of the sign-in by OpenID Connect, where the settings name a provider."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.http.operators.oidc import CALLBACK, Provider
from graphldp.collector.settings import Settings
from graphldp.collector.storage.store import Store
from graphldp.errors import ForbiddenError

_COOKIE = "graphldp_sign_in"
_PATH = "/login/oidc"
_SECONDS = 600
_PER_MINUTE = 60


def make_router(
    settings: Settings,
    store: Store,
    refuse: Callable[[], Response],
    enter: Callable[[Request, str], Response],
) -> APIRouter:
    """The way to the provider and back.

    Args:
        settings: which provider.
        store: who may sign in.
        refuse: the page for whoever may not.
        enter: lets somebody in, by her session's secret.
    """
    router, provider, begins = APIRouter(include_in_schema=False), Provider(settings), Limiter(_PER_MINUTE)

    @router.get(_PATH)
    def leave(request: Request) -> Response:
        begins.take(network_of(request.client.host) if request.client else "")
        begun = store.sign_ins.begin()
        try:
            answer = RedirectResponse(provider.ask(begun), 303)
        except ForbiddenError:
            return refuse()
        secure = request.url.scheme == "https"
        # lax: the browser comes back from another site, and has to bring it
        answer.set_cookie(
            _COOKIE, begun.browser, max_age=_SECONDS, path=_PATH, httponly=True, samesite="lax", secure=secure
        )
        return answer

    @router.get(CALLBACK)
    def come_back(request: Request, code: str = "", state: str = "") -> Response:
        begun = store.sign_ins.take(state, request.cookies.get(_COOKIE, ""))
        if begun is None:
            return refuse()
        try:
            secret = store.operators.sign_in(provider.person(code, begun), settings.session_hours)
        except ForbiddenError:
            return refuse()
        if secret is None:
            return refuse()
        answer = enter(request, secret)
        answer.delete_cookie(_COOKIE, path=_PATH)
        return answer

    return router

"""An OpenID Connect provider, as a relying party sees it: the code flow with PKCE, and a token that is checked.

What the provider says over the back channel is believed because of TLS, and the token because of its signature: by one
of the provider's keys, by an algorithm of a list on which neither "none" nor a shared secret stands. It must be issued
by this provider, for this client, in time, and repeat the nonce of this sign-in.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError
from graphldp.collector.settings import Settings
from graphldp.collector.storage.operating.sign_ins import SignedIn, SignIn
from graphldp.collector.storage.store import Store
from graphldp.errors import ForbiddenError, WireError
from graphldp.wire import address

CALLBACK = "/login/oidc/callback"
_ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
_LEEWAY = 60
_KEEP_SECONDS = 3600
_LARGEST = 1 << 18
_WRONG = (KeyError, TypeError, ValueError, RecursionError, TimeoutError)
_SECONDS = 10.0  # for all that is asked of the provider in one go
_AT_A_TIME = 8  # people who wait for the provider; one more is told to come back


class Provider:
    """The provider that the settings name. Whoever waits for it takes no thread from others."""

    def __init__(self, settings: Settings, seconds: float = _SECONDS) -> None:
        self._seconds, self._waiting = seconds, 0
        self._issuer, self._client = settings.oidc_issuer, settings.oidc_client_id
        self._secret = settings.oidc_client_secret
        self._callback = settings.oidc_redirect.rstrip("/") + CALLBACK
        self._known: tuple[float, dict[str, Any], KeySet] | None = None

    async def ask(self, begun: SignIn) -> str:
        """The address where the browser goes to sign in.

        Raises:
            ForbiddenError: where the provider is not reached, or is not the one that it should be.
            ProblemError: where many wait for it.
        """
        async with self._believed():
            description, _ = await self._describe()
            where = _checked(description["authorization_endpoint"])
        challenge = base64.urlsafe_b64encode(sha256(begun.verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._client,
            "redirect_uri": self._callback,
            "scope": "openid email profile",
            "state": begun.state,
            "nonce": begun.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{where}{'&' if '?' in where else '?'}{urlencode(query)}"

    async def person(self, code: str, begun: SignIn) -> SignedIn:
        """The person who signed in."""
        async with self._believed():
            return await self._person(code, begun)

    async def _person(self, code: str, begun: SignIn) -> SignedIn:
        description, keys = await self._describe()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self._callback}
        form |= {"code_verifier": begun.verifier, "client_id": self._client}
        basic = httpx.BasicAuth(quote(self._client, safe=""), quote(self._secret, safe=""))
        async with httpx.AsyncClient(timeout=self._seconds, auth=basic if self._secret else None) as http:
            answer = await _fields(http, "POST", _checked(description["token_endpoint"]), form)
        signed = answer["id_token"]
        try:
            token = jwt.decode(signed, keys, algorithms=list(_ALGORITHMS))
        except JoseError:  # the provider may have a new key
            self._known = None
            token = jwt.decode(signed, (await self._describe())[1], algorithms=list(_ALGORITHMS))
        registry = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": self._issuer},
            aud={"essential": True, "value": self._client},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": begun.nonce},
        )
        registry.validate(token.claims)
        return _read(token.claims, self._client)

    async def _describe(self) -> tuple[dict[str, Any], KeySet]:
        """What the provider publishes about itself, and its keys; read anew after an hour."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _KEEP_SECONDS:
            async with httpx.AsyncClient(timeout=self._seconds) as http:
                found = await _fields(http, "GET", f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
                if found["issuer"] != self._issuer:
                    raise ValueError
                keys = await _fields(http, "GET", _checked(found["jwks_uri"]))
            self._known = now, found, KeySet.import_key_set({"keys": keys["keys"]})
        return self._known[1], self._known[2]

    @asynccontextmanager
    async def _believed(self) -> AsyncIterator[None]:
        """Refuse whatever a provider gets wrong. Why is in the error's cause alone: it is for nobody outside."""
        if self._waiting >= _AT_A_TIME:
            raise ProblemError("too-busy", headers={"Retry-After": str(RETRY_SECONDS)})
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                yield
        except (httpx.HTTPError, httpx.InvalidURL, JoseError, WireError, *_WRONG) as error:
            raise ForbiddenError("The provider did not sign you in.") from error
        finally:
            self._waiting -= 1


def _read(claims: dict[str, Any], client: str) -> SignedIn:
    """The person of a token that is valid."""
    audience = claims["aud"]
    several = isinstance(audience, list) and len(audience) > 1
    if (several or "azp" in claims) and claims.get("azp") != client:  # it was given to another one of them
        raise ValueError
    subject, email, groups = claims["sub"], claims.get("email"), claims.get("groups", [])
    if not isinstance(subject, str) or not subject:
        raise ValueError
    verified = email if isinstance(email, str) and claims.get("email_verified") is True else None
    told = tuple(each for each in groups if isinstance(each, str)) if isinstance(groups, list) else ()
    return SignedIn(subject, verified, told)


async def _fields(http: httpx.AsyncClient, method: str, url: str, form: dict[str, str] | None = None) -> dict[str, Any]:
    """A JSON object that the provider answers, of which no more is read than it may have."""
    content = b""
    async with http.stream(method, url, data=form, headers={"Accept-Encoding": "identity"}) as answer:
        if answer.status_code != 200:
            raise ValueError
        async for part in answer.aiter_raw():
            content += part
            if len(content) > _LARGEST:
                raise ValueError
    found = json.loads(content)
    if not isinstance(found, dict):
        raise TypeError
    return found


def _checked(url: Any) -> str:
    """An address of the provider: by TLS, or on this machine."""
    text = str(url)
    address(text.partition("?")[0])
    return text


_COOKIE = "graphldp_sign_in"
_PATH = "/login/oidc"
_COOKIE_SECONDS = 600
_PER_MINUTE = 60


def make_router(
    settings: Settings,
    store: Store,
    refuse: Callable[[], Response],
    enter: Callable[[Request, str], Response],
) -> APIRouter:
    """The way to the provider and back."""
    router, provider, begins = APIRouter(include_in_schema=False), Provider(settings), Limiter(_PER_MINUTE)

    @router.get(_PATH)
    async def leave(request: Request) -> Response:
        begins.take(network_of(request.client.host) if request.client else "")
        begun = await run_in_threadpool(store.sign_ins.begin)
        try:
            answer = RedirectResponse(await provider.ask(begun), 303)
        except ForbiddenError:
            return refuse()
        secure = request.url.scheme == "https"
        # lax: the browser comes back from another site, and has to bring it
        answer.set_cookie(
            _COOKIE, begun.browser, max_age=_COOKIE_SECONDS, path=_PATH, httponly=True, samesite="lax", secure=secure
        )
        return answer

    @router.get(CALLBACK)
    async def come_back(request: Request, code: str = "", state: str = "") -> Response:
        begun = await run_in_threadpool(store.sign_ins.take, state, request.cookies.get(_COOKIE, ""))
        if begun is None:
            return refuse()
        try:
            person = await provider.person(code, begun)
            secret = await run_in_threadpool(store.operators.sign_in, person, settings.session_hours)
        except ForbiddenError:
            return refuse()
        if secret is None:
            return refuse()
        answer = enter(request, secret)
        answer.delete_cookie(_COOKIE, path=_PATH)
        return answer

    return router

"""An OpenID Connect provider, as a relying party sees it: the code flow with PKCE, and a token that is checked.

What the provider says over the back channel is believed because of TLS, and the token because of its signature: by one
of the provider's keys, by an algorithm of a list on which neither "none" nor a shared secret stands. It must be issued
by this provider, for this client, in time, and repeat the nonce of this sign-in.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from graphldp.collector.settings import Settings
from graphldp.collector.storage.operating.sign_ins import SignedIn, SignIn
from graphldp.errors import ForbiddenError, WireError
from graphldp.wire import address

CALLBACK = "/login/oidc/callback"
_ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
_LEEWAY = 60
_KEEP_SECONDS = 3600
_LARGEST = 1 << 18


class Provider:
    """The provider that the settings name.

    Args:
        settings: the collector's.
    """

    def __init__(self, settings: Settings) -> None:
        self._issuer, self._client = settings.oidc_issuer, settings.oidc_client_id
        self._secret = settings.oidc_client_secret
        self._callback = settings.oidc_redirect.rstrip("/") + CALLBACK
        self._known: tuple[float, dict[str, Any], KeySet] | None = None

    def ask(self, begun: SignIn) -> str:
        """Where the browser goes to sign in.

        Raises:
            ForbiddenError: where the provider is not reached, or is not the one that it should be.
        """
        with _believed():
            where = _checked(self._describe()[0]["authorization_endpoint"])
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

    def person(self, code: str, begun: SignIn) -> SignedIn:
        """Who signed in.

        Raises:
            ForbiddenError: where the provider does not say so, or cannot be believed.
        """
        with _believed():
            return self._person(code, begun)

    def _person(self, code: str, begun: SignIn) -> SignedIn:
        description, keys = self._describe()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self._callback}
        form |= {"code_verifier": begun.verifier, "client_id": self._client}
        basic = httpx.BasicAuth(quote(self._client, safe=""), quote(self._secret, safe=""))
        with httpx.Client(timeout=10, auth=basic if self._secret else None) as http:
            answer = http.post(_checked(description["token_endpoint"]), data=form)
        signed = _fields(answer)["id_token"]
        try:
            token = jwt.decode(signed, keys, algorithms=list(_ALGORITHMS))
        except JoseError:  # the provider may have a new key
            self._known = None
            token = jwt.decode(signed, self._describe()[1], algorithms=list(_ALGORITHMS))
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

    def _describe(self) -> tuple[dict[str, Any], KeySet]:
        """What the provider publishes about itself, and its keys; read anew after an hour."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _KEEP_SECONDS:
            with httpx.Client(timeout=10) as http:
                found = _fields(http.get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"))
                if found["issuer"] != self._issuer:
                    raise ValueError
                keys = _fields(http.get(_checked(found["jwks_uri"])))
            self._known = now, found, KeySet.import_key_set({"keys": keys["keys"]})
        return self._known[1], self._known[2]


@contextmanager
def _believed() -> Iterator[None]:
    """Whatever a provider gets wrong is one refusal. Why is in its cause alone: it is for nobody outside."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, JoseError, WireError, KeyError, TypeError, ValueError) as error:
        raise ForbiddenError("The provider did not sign you in.") from error


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


def _fields(answer: httpx.Response) -> dict[str, Any]:
    """A JSON object, of a size that is none too large."""
    if answer.status_code != 200 or len(answer.content) > _LARGEST:
        raise ValueError
    found = json.loads(answer.content)
    if not isinstance(found, dict):
        raise TypeError
    return found


def _checked(url: Any) -> str:
    """An address of the provider: by TLS, or on this machine."""
    text = str(url)
    address(text.partition("?")[0])
    return text

"""An OpenID Connect provider on this machine, for tests: it signs in whom it is told to, and can lie."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "collector", "s3cret"


class FakeProvider:
    """A provider.

    ``claims`` are those of the next person who signs in; ``forge`` makes a token of claims in place of the right one.
    """

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.claims: dict[str, Any] = {}
        self.forge: Callable[[dict[str, Any]], str] = self.sign
        self._codes: dict[str, dict[str, str]] = {}
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    def sign(self, claims: dict[str, Any], key: RSAKey | OctKey | None = None, algorithm: str = "RS256") -> str:
        """A token, signed with the provider's key unless another one is given."""
        return jwt.encode({"alg": algorithm, "kid": "one"}, claims, key or self.key, algorithms=[algorithm])

    def unsigned(self, claims: dict[str, Any]) -> str:
        """A token that says of itself that it is not signed."""
        parts = ({"alg": "none", "kid": "one"}, claims)
        return ".".join(_encoded(json.dumps(each).encode()) for each in parts) + "."

    def by_secret(self, claims: dict[str, Any]) -> str:
        """A token signed with what everybody has, the public key, as if that were a shared secret."""
        return self.sign(claims, OctKey.import_key(self.key.as_pem(private=False)), "HS256")

    def describe(self) -> dict[str, Any]:
        at = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {"issuer": self.issuer, **{name: f"{self.issuer}/{path}" for name, path in at.items()}}

    def authorize(self, query: dict[str, str]) -> str:
        """Sign in whoever comes, and send her back."""
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def exchange(self, form: dict[str, str], authorization: str) -> dict[str, str] | None:
        """A token for a code, once, for who has the client's secret and the verifier of the challenge."""
        asked = self._codes.pop(form["code"], None)
        if asked is None or authorization != f"Basic {base64.b64encode(f'{CLIENT}:{SECRET}'.encode()).decode()}":
            return None
        challenge = _encoded(sha256(form["code_verifier"].encode()).digest())
        if (challenge, asked["redirect_uri"]) != (asked["code_challenge"], form["redirect_uri"]):
            return None
        now = int(time.time())
        right = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        return {"id_token": self.forge(right | self.claims), "token_type": "Bearer", "access_token": "x"}

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    provider: FakeProvider

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        if where.path == "/.well-known/openid-configuration":
            self._answer(self.provider.describe())
        elif where.path == "/keys":
            self._answer({"keys": [self.provider.key.as_dict(private=False)]})
        else:
            self.send_response(303)
            self.send_header("Location", self.provider.authorize(_single(where.query)))
            self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(self.provider.exchange(_single(body), self.headers.get("Authorization", "")))

    def _answer(self, fields: dict[str, Any] | None) -> None:
        body = json.dumps(fields or {"error": "invalid_grant"}).encode()
        self.send_response(200 if fields else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}

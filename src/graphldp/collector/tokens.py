"""Secrets: a user's token for one slot, an operator's key, a session.

A secret has 256 bits from the operating system, so one round of SHA-256 is enough to store it: there is nothing to
guess. A token begins with its slot's number, which the roster publishes anyway: the stored hash is then found by
community and number, and only hashes of the same length are ever compared, in constant time.
"""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256

_TOKEN = re.compile(r"([0-9]{1,9})\.[A-Za-z0-9_-]{43}")
_NOBODY = secrets.token_bytes(32)  # compared with where there is no slot, so that both cases take the same path


def new_secret() -> str:
    """256 bits, readable: 43 characters that need no quoting in a URL or a shell."""
    return secrets.token_urlsafe(32)


def new_token(user: int) -> str:
    """A token for a slot."""
    return f"{user}.{new_secret()}"


def slot_of(token: str) -> int | None:
    """The slot that a token claims, or None for what is no token."""
    match = _TOKEN.fullmatch(token)
    return int(match[1]) if match else None


def hashed(secret: str) -> bytes:
    """The hash that is stored of a secret."""
    return sha256(secret.encode()).digest()


def matches(given: bytes, stored: bytes | None) -> bool:
    """Whether two hashes are the same; takes as long where there is none to compare with."""
    same = hmac.compare_digest(given, stored if stored is not None else _NOBODY)
    return same and stored is not None


def bearer(header: str | None) -> str | None:
    """The secret in an ``Authorization: Bearer`` header."""
    scheme, _, secret = (header or "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None

"""Limits: how often, how large, how slow. All of them hold before a body is held in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from graphldp.collector.http.problems import ProblemError

_LINGER_SECONDS, _LINGER_BYTES = 1.0, 1 << 18
_MOST = 100_000  # keys remembered: bounds the memory that strangers can make the limiter use


class Limiter:
    """So many a minute for each key, all at once or spread: the generic cell rate algorithm.

    Args:
        per_minute: how many; 0 is no limit.
        clock: seconds, from anywhere.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._step = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._full_at: dict[bytes | str, float] = {}

    def take(self, key: bytes | str) -> None:
        """Count one.

        Raises:
            ProblemError: 429, with the seconds to wait.
        """
        if not self._step:
            return
        now = self._clock()
        at = max(self._full_at.get(key, now), now) + self._step
        if at - now > 60.0 + self._step / 2:
            raise ProblemError("too-many", headers={"Retry-After": str(max(1, round(at - now - 60.0)))})
        if len(self._full_at) >= _MOST and key not in self._full_at:
            self._forget(now)
        self._full_at[key] = at

    def _forget(self, now: float) -> None:
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}
        for key in list(self._full_at)[: len(self._full_at) - _MOST // 2]:
            del self._full_at[key]


@lru_cache(maxsize=4096)
def network_of(host: str) -> str:
    """What an address counts as: itself, or for IPv6 the /64 that one household owns."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)  # a socket for both kinds writes IPv4 so; they are no household of one /64
    return str(IPv6Address(int(address) >> 64 << 64)) if isinstance(address, IPv6Address) else host


async def read_body(headers: Headers, receive: Receive, most: int, seconds: float) -> bytes:
    """A request's body, up to a size and within a time.

    Raises:
        ProblemError: 413 as soon as it is known to be larger, 408 when it is late.
        ClientDisconnect: where its sender went away.
    """
    declared = headers.get("content-length")
    try:
        async with asyncio.timeout(seconds):
            body = None if declared is not None and int(declared) > most else await _up_to(most, receive)
    except TimeoutError:
        raise ProblemError("slow-body", headers={"Connection": "close"}) from None
    if body is None:
        # a connection that closes on bytes nobody read is reset, and the answer may be lost with it
        with suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, _LINGER_SECONDS)):
                await _up_to(_LINGER_BYTES, receive)
        raise ProblemError("too-large", headers={"Connection": "close"})
    return body


async def _up_to(most: int, receive: Receive) -> bytes | None:
    """The rest of a body, or None as soon as it is longer."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > most:
            return None
    return b"".join(parts)

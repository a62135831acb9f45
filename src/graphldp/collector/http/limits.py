"""Limits: how often, how large, how slow. All of them hold before a body is held in memory."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError

Hold = Callable[[int], None]
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


class Held:
    """How many bytes of bodies are held at a time, all requests together.

    Args:
        most: bytes.
    """

    def __init__(self, most: int) -> None:
        self._most, self._now = most, 0

    @contextmanager
    def share(self) -> Iterator[Hold]:
        """What one request holds: a function that counts more bytes, until the block ends.

        The function raises ProblemError, 503, where all requests together would hold too much.
        """
        mine = 0

        def hold(count: int) -> None:
            nonlocal mine
            if self._now + count > self._most:
                raise ProblemError("too-busy", headers={"Retry-After": str(RETRY_SECONDS)})
            mine += count
            self._now += count

        try:
            yield hold
        finally:
            self._now -= mine


def declared(headers: Headers) -> float:
    """How long a request says that its body is; infinite where it does not say."""
    length = headers.get("content-length")
    if length is None:
        return math.inf if "transfer-encoding" in headers else 0
    return int(length)


async def read_body(headers: Headers, receive: Receive, most: int, seconds: float, hold: Hold) -> bytes:
    """A request's body, up to a size and within a time.

    Args:
        headers: of the request.
        receive: gives its parts.
        most: bytes.
        seconds: from now to its end.
        hold: counts the bytes that are held.

    Raises:
        ProblemError: 413 as soon as it is known to be larger, 408 when it is late, 503 where there is no room for it.
        ClientDisconnect: where its sender went away.
    """
    length = declared(headers)
    if most < length < math.inf:
        raise ProblemError("too-large")
    try:
        async with asyncio.timeout(seconds):
            return await _up_to(most, receive, hold)
    except TimeoutError:
        raise ProblemError("slow-body", headers={"Connection": "close"}) from None


async def _up_to(most: int, receive: Receive, hold: Hold) -> bytes:
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        size, more = size + len(part), message.get("more_body", False)
        if size > most:
            raise ProblemError("too-large")
        hold(len(part))
        parts.append(part)
    return b"".join(parts)

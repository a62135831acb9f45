"""Limits: how often, how large, how slow. All of them hold before a body is held in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from fastapi import Request

from graphldp.collector.problems import ProblemError

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
    return str(IPv6Address(int(address) >> 64 << 64)) if isinstance(address, IPv6Address) else host


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """A request's body, up to a size and within a time.

    Raises:
        ProblemError: 413 as soon as it is known to be larger, 408 when it is late.
    """
    declared = request.headers.get("content-length")
    if declared is not None and int(declared) > most:
        raise ProblemError("too-large", headers={"Connection": "close"})
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise ProblemError("too-large", headers={"Connection": "close"})
    except TimeoutError:
        raise ProblemError("slow-body", headers={"Connection": "close"}) from None
    return bytes(body)

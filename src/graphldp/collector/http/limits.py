"""Limits: how often, how large, how slow. All of them hold before a body is held in memory."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import islice
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError

Hold = Callable[[int], None]
_MOST = 100_000  # keys remembered: bounds the memory that strangers can make the limiter use
_PIECE = 1 << 16
_LONGEST_HOST = 64  # an IPv6 address with its zone
_LONGEST_TYPE = 200  # a media type with its parameters: no parser sees a longer one
_JSON: TypeAdapter[Any] = TypeAdapter(Any)
_KEY = re.compile(rb'"[ \t\r\n]*:')


class Check(NamedTuple):
    """A look at the beginning of a body."""

    after: int
    look: Callable[[bytes], None]


class Limiter:
    """A limit of so many a minute for each key, all at once or spread: the generic cell rate algorithm."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._step = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._full_at: dict[bytes | str, float] = {}
        self._one = threading.Lock()

    def take(self, key: bytes | str) -> None:
        """Count one."""
        if not self._step:
            return
        with self._one:
            now = self._clock()
            at = max(self._full_at.get(key, now), now) + self._step
            if at - now > 60.0 + self._step / 2:
                raise ProblemError("too-many", headers={"Retry-After": str(max(1, round(at - now - 60.0)))})
            if len(self._full_at) >= _MOST and key not in self._full_at:
                self._forget(now)
            self._full_at[key] = at

    def _forget(self, now: float) -> None:
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}
        # a flood's own keys come first, and the one that it is to hide comes last
        rare_first = sorted(self._full_at, key=self._full_at.__getitem__)
        for key in rare_first[: len(self._full_at) - _MOST // 2]:
            del self._full_at[key]


def network_of(host: str) -> str:
    """The network that an address counts as: itself, or for IPv6 the /64 that one household owns.

    It is remembered, and a proxy that is believed may pass on what a stranger wrote: no more of it than an address has.
    """
    return _network_of(host[:_LONGEST_HOST])


@lru_cache(maxsize=4096)
def _network_of(host: str) -> str:
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)  # a socket for both kinds writes IPv4 so; they are no household of one /64
    return str(IPv6Address(int(address) >> 64 << 64)) if isinstance(address, IPv6Address) else host


class BodyBudget:
    """A budget for the bytes of bodies that are held at a time, all requests together."""

    def __init__(self, most: int) -> None:
        self._most, self._now = most, 0

    @contextmanager
    def share(self) -> Iterator[Hold]:
        """The share of one request: a function that counts more bytes, until the block ends.

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
    """The length that a request says its body has; infinite where it does not say."""
    length = headers.get("content-length")
    if length is None:
        return math.inf if "transfer-encoding" in headers else 0
    return int(length)


def media_type(headers: Headers) -> str:
    """The media type of a request's body, without its parameters; nothing for one that is too long to be looked at."""
    given = headers.get("content-type", "")
    return given.partition(";")[0].strip().lower() if len(given) <= _LONGEST_TYPE else ""


def parse_json(body: bytes, *, values: int, containers: int, keys: int | None = None) -> Any:
    """The value of JSON. JSON with more parts than it may have is refused before anything is made of them.

    A parsed body may take a hundred times its bytes. A value takes at least a bracket or a comma, and a key a quote and
    a colon, so counting these bounds it. A few more in a string are no harm, and how deep it nests is bounded too.

    Args:
        body: as it arrived.
        values: how many commas it may have.
        containers: how many lists, and how many objects.
        keys: how many keys; each that nobody knows is an error, and takes more memory than a value.
    """
    many = any(_has_more(body, sign, most) for sign, most in ((b",", values), (b"[", containers), (b"{", containers)))
    if many or (keys is not None and next(islice(_KEY.finditer(body), keys, None), None) is not None):
        raise ProblemError("bad-request", "The body has more parts than it may have.")
    try:
        return _JSON.validate_json(body)
    except ValidationError:
        raise ProblemError("bad-request", "Look at: body.") from None


def _has_more(body: bytes, sign: bytes, most: int) -> bool:
    """Whether a sign stands more often in a body; no further is counted than has to be."""
    count = 0
    for at in range(0, len(body), _PIECE):
        count += body.count(sign, at, at + _PIECE)
        if count > most:
            return True
    return False


async def read_body(
    headers: Headers,
    receive: Receive,
    most: int,
    seconds: float,
    hold: Hold,
    check: Check | None = None,
) -> bytes:
    """A request's body, up to a size and within a time.

    Raises:
        ProblemError: 413 as soon as it is known to be larger, 408 when it is late, 503 where there is no room for it.
        ClientDisconnect: where its sender went away.
    """
    length = declared(headers)
    if most < length < math.inf:
        raise ProblemError("too-large")
    try:
        async with asyncio.timeout(seconds):
            return await _up_to(most, receive, hold, check)
    except TimeoutError:
        raise ProblemError("slow-body", headers={"Connection": "close"}) from None


async def _up_to(most: int, receive: Receive, hold: Hold, check: Check | None) -> bytes:
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
        if check is not None and size >= check.after:
            check.look(b"".join(parts))
            check = None
    return b"".join(parts)

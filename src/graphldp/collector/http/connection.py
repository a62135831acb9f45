"""uvicorn's HTTP protocol with limits of our own, and with problems for answers where it would answer in plain text.

A connection is at any moment in one of a few states, and may stay in none of them for long: whoever sends a byte now
and then, never ends a body that was answered already, or never reads an answer, is cut off. So is whoever sends a body
in tiny chunks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

import h11
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphldp.collector.http.limits import network_of
from graphldp.collector.http.logs import CONNECTIONS
from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError
from graphldp.collector.http.problems import answer as answer_to
from graphldp.collector.settings import Settings

_REST_SECONDS = 2.0  # for what is left of a body that was answered before its end
_STEP_SECONDS = 0.05  # between two looks at a connection, at least
_PROGRESS = 1 << 16  # bytes of an answer that have to leave within its time
_HEAD_BYTES = 1 << 16  # of a head that is not complete yet; uvicorn's own limit
_METHOD_BYTES = 20  # longer than any that there is; traces keep it
_IN_A_ROW = 8  # requests that do not wait for answers make much work by few bytes; one may cross an answer's end
_CHUNKS, _CHUNK_BYTES = 100, 256  # a body may have so many chunks, and one more for so many bytes

_LOG = logging.getLogger(CONNECTIONS)


class State(Enum):
    """The state of a connection: what it waits for."""

    HEAD = "head"  # the next request's head, or the rest of it
    BODY = "body"
    REST = "rest"  # the end of a body that was answered before it
    ANSWER = "answer"  # its client, to read
    WORK = "work"  # the collector: no fault of the client's


@dataclass(frozen=True)
class Limits:
    """Limits on connections: how many, and how long in which state.

    Args:
        connections: at a time; one more is told that the collector is busy, and twice as many are cut off unheard.
        per_address: of one address, likewise; 0 is no limit.
        seconds: by state.
        trusted_proxies: addresses that stand for many, as uvicorn reads them.
    """

    connections: int
    per_address: int
    seconds: dict[State, float]
    trusted_proxies: str

    @staticmethod
    def of(settings: Settings) -> Limits:
        """The limits that an operator set."""
        seconds = {
            State.HEAD: settings.header_seconds,
            State.BODY: 2 * settings.body_seconds,  # whoever reads it gives up earlier, with an answer
            State.REST: _REST_SECONDS,
            State.ANSWER: settings.answer_seconds,
        }
        return Limits(settings.connections, settings.address_connections, seconds, settings.trusted_proxies)


class StrictReader(h11.Connection):
    """h11's reader, without bodies in tiny chunks, one of which costs as much work as a large one, and long methods."""

    _chunks = _size = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next event of a connection."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._size = 0
            if len(event.method) > _METHOD_BYTES:
                raise h11.RemoteProtocolError("a long method")
        elif isinstance(event, h11.Data):
            self._chunks, self._size = self._chunks + event.chunk_start, self._size + len(event.data)
            if self._chunks > _CHUNKS + self._size // _CHUNK_BYTES:
                raise h11.RemoteProtocolError("a body in tiny chunks")
        return event


def limited(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol under these limits."""
    by_address: Counter[str] = Counter()
    proxies = ProxyHeadersMiddleware(_busy, limits.trusted_proxies).trusted_hosts
    step = max(min(limits.seconds.values()) / 4, _STEP_SECONDS)

    class Limited(H11Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(cast("asyncio.Transport", transport))
            self.logger = _LOG
            self.conn = StrictReader(h11.SERVER, _HEAD_BYTES)
            self._seconds = limits.seconds
            self._state: tuple[State, object, int] = (State.HEAD, None, 0)
            self._since, self._unread, self._read = self.loop.time(), 0, 0
            self._in_a_row = 0  # requests that came before the answer to the one before
            self._address = None if self.client is None or self.client[0] in proxies else network_of(self.client[0])
            self._timer = self.loop.call_later(step, self._look)
            load = len(self.connections) / limits.connections
            if self._address is not None:
                by_address[self._address] += 1
                load = max(load, by_address[self._address] / limits.per_address if limits.per_address else 0)
            if load > 2:
                self.transport.abort()
            elif load > 1:
                self.app = _busy
                self._seconds = limits.seconds | {State.HEAD: min(_REST_SECONDS, limits.seconds[State.HEAD])}

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._timer.cancel()
            if self._address is not None:
                by_address[self._address] -= 1
                if not by_address[self._address]:
                    del by_address[self._address]

        def send_400_response(self, msg: str) -> None:
            # uvicorn calls this for what is no HTTP: there is no request yet that an application could answer
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # else an answer has left already
                answer = answer_to(ProblemError("not-http", headers={"Connection": "close"}))
                for event in (
                    h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request"),
                    h11.Data(data=bytes(answer.body)),
                    h11.EndOfMessage(),
                ):
                    self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

        def on_response_complete(self) -> None:
            asked_before = self.conn.their_state is h11.DONE and bool(self.conn.trailing_data[0])
            self._in_a_row = self._in_a_row + 1 if asked_before else 0
            if self._in_a_row > _IN_A_ROW:
                self.transport.close()
            super().on_response_complete()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._read += 1  # most of a full buffer has left

        def _look(self) -> None:
            """See now and then whether the connection got anywhere."""
            now, unread = self.loop.time(), self.transport.get_write_buffer_size()
            found = (self._waits_for(unread), self.cycle, self._read)  # each request has a cycle of its own
            if found != self._state or (unread and unread <= self._unread - _PROGRESS):
                self._state, self._since, self._unread = found, now, unread
            if now - self._since < self._seconds.get(found[0], now):
                self._timer = self.loop.call_later(step, self._look)
            elif unread:
                self.transport.abort()  # to close would wait for the client to read
            else:
                self.transport.close()

        def _waits_for(self, unread: int) -> State:
            if unread:
                return State.ANSWER
            if self.cycle is None or self.cycle.response_complete:
                return State.REST if self.conn.their_state is h11.SEND_BODY else State.HEAD
            return State.BODY if self.cycle.more_body else State.WORK

    return Limited


async def _busy(scope: Any, receive: Any, send: Any) -> None:
    """The application of a connection too many."""
    given = {"Connection": "close", "Retry-After": str(RETRY_SECONDS)}
    await answer_to(ProblemError("too-busy", headers=given))(scope, receive, send)

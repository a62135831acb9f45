"""uvicorn's HTTP protocol with limits of our own, and with problems for answers where it would answer in plain text."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphldp.collector.http.problems import RETRY_SECONDS, ProblemError


def limited(most: int, seconds: float) -> type[asyncio.Protocol]:
    """The protocol for so many connections at a time.

    Args:
        most: connections; one more is told that the collector is busy.
        seconds: how long a request's head may take to arrive.
    """

    class Limited(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(cast("asyncio.Transport", transport))
            if len(self.connections) > most:
                self.app = _busy
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop()

        def send_400_response(self, msg: str) -> None:
            # uvicorn calls this for what is no HTTP: there is no request yet that an application could answer
            answer = ProblemError("not-http", headers={"Connection": "close"}).response()
            for event in (
                h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request"),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._late is None:
                self._late = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Limited


async def _busy(scope: Any, receive: Any, send: Any) -> None:
    """The application of a connection too many."""
    given = {"Connection": "close", "Retry-After": str(RETRY_SECONDS)}
    await ProblemError("too-busy", headers=given).response()(scope, receive, send)

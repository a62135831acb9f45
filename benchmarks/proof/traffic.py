"""Load: prepared requests over many connections, as raw bytes, so that the client costs little beside the server."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from graphldp import wire
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice

CHOICE = Choice("standard", 0.1, 0.9)


@dataclass(frozen=True)
class Sent:
    """One user's report, ready to go."""

    community: str
    user: int
    token: str
    body: bytes

    def request(self) -> bytes:
        """Its PUT, as bytes."""
        return (
            f"PUT /v1/communities/{self.community}/reports/{self.user} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: {wire.MEDIA_TYPE}\r\n"
            f"Content-Length: {len(self.body)}\r\n\r\n"
        ).encode() + self.body


def written(method: str, path: str, headers: Mapping[str, str], body: bytes = b"", length: int | None = None) -> bytes:
    """A request as bytes, which may say another length than it has."""
    given = {"Host": "x", "Content-Length": str(len(body) if length is None else length)} | dict(headers)
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def prepare(store: Store, count: int, n: int = 1000, degree: int = 20, prefix: str = "load") -> list[Sent]:
    """Communities of n users in the store, and a report of each user, up to a count."""
    rng, sent = np.random.default_rng(0), list[Sent]()
    for place in range(-(-count // n)):
        id = f"{prefix}-{place}"
        store.open_community(id, [f"user {u}" for u in range(n)], mechanism="dprr", choices=[CHOICE])
        for user, token in store.invite(id, range(min(n, count - len(sent)))).items():
            listed = np.flatnonzero(rng.random(n) < degree / n)
            listed = listed[listed != user].astype(np.int32)
            report = wire.Report("dprr", n, user, CHOICE.epsilon1, CHOICE.epsilon2, len(listed), listed)
            sent.append(Sent(id, user, token, wire.encode(report)))
    return sent


def batches(sent: list[Sent], size: int) -> Iterator[bytes]:
    """The same reports as requests to the batch endpoint."""
    for start in range(0, len(sent), size):
        items = [
            {"community": s.community, "user": s.user, "epoch": 1, "token": s.token}
            | {"report": base64.b64encode(s.body).decode()}
            for s in sent[start : start + size]
        ]
        body = json.dumps({"reports": items}).encode()
        yield (
            f"POST /v1/reports:batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body


@dataclass
class Outcome:
    """The outcome of a load: the status of every request that was answered, and the time it took."""

    seconds: float = 0.0
    statuses: dict[int, int] = field(default_factory=dict)
    bodies: dict[int, bytes] = field(default_factory=dict)

    def count(self, status: int) -> int:
        """How many requests were answered so."""
        return sum(1 for each in self.statuses.values() if each == status)


class _Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, work: Iterator[tuple[int, bytes]], outcome: Outcome, keep: bool) -> None:
        self.work, self.outcome, self.keep = work, outcome, keep
        self.buffer, self.place = bytearray(), -1
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._next()

    def _next(self) -> None:
        item = next(self.work, None)
        if item is None:
            self.transport.close()
            return
        self.place = item[0]
        self.transport.write(item[1])

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self.buffer[:end]).lower()
        at = head.find(b"content-length: ")
        length = int(head[at + 16 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self.buffer) < end + 4 + length:
            return
        if self.keep:
            self.outcome.bodies[self.place] = bytes(self.buffer[end + 4 :])
        self.outcome.statuses[self.place] = int(head[9:12])
        self.buffer.clear()
        self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


def send(
    port: int,
    requests: Iterable[bytes],
    connections: int = 64,
    keep: bool = False,
    outcome: Outcome | None = None,
) -> Outcome:
    """Send all requests; a connection that breaks ends, and what it had under way has no status.

    The requests are shared out as connections become free, so a server that dies leaves the rest unsent. An outcome
    that is given can be watched meanwhile.
    """
    return asyncio.run(send_async([port], requests, connections, keep, outcome))


async def send_async(
    ports: list[int],
    requests: Iterable[bytes],
    connections: int,
    keep: bool = False,
    outcome: Outcome | None = None,
) -> Outcome:
    """The same, spread over several servers."""
    outcome, work, loop = outcome or Outcome(), iter(enumerate(requests)), asyncio.get_running_loop()
    start = time.perf_counter()
    made = []
    for place in range(connections):
        try:
            _, each = await loop.create_connection(
                lambda: _Connection(work, outcome, keep), "127.0.0.1", ports[place % len(ports)]
            )
        except OSError:
            continue
        made.append(each)
    for each in made:
        await each.done
    outcome.seconds = time.perf_counter() - start
    return outcome

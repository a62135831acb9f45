"""Under attack by strangers: honest reports are stored as fast as five times slower, and the server stays small."""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from benchmarks.proof.setting import Finding, Scale, databases
from benchmarks.proof.traffic import Sent, prepare, written
from benchmarks.services import Collector

from graphldp.collector.storage.store import Store

SLOWER = 5
GROWTH = 400  # megabytes
PER_SECOND = 20  # requests, each of another stranger, whose address a proxy passes on: none meets a limit of hers
QUIET = 100  # reports, before each attack and after it
MOMENT = 0.005  # seconds between two reports
TRIES = 5  # of each attack: what else the machine does makes some of them slower, and none faster


def _batch(items: list[dict[str, object]]) -> bytes:
    return _raw_batch(json.dumps({"reports": items}).encode())


def _raw_batch(body: bytes) -> bytes:
    return written("POST", "/v1/reports:batch", {"Content-Type": "application/json"}, body)


def _item(community: str, user: int, name: str) -> dict[str, object]:
    return {"community": community, "user": user, "epoch": 1, "token": f"{user}.{'x' * 43}", name: "AAAA"}


def _semicolons() -> list[bytes]:
    kinds = ("multipart/form-data" + ";" * 60_000, "a/b" + ";x*" * 20_000, "multipart/form-data; x*")
    return [written("POST", "/login", {"Content-Type": kind}, b"key=x") for kind in kinds]


def _forms() -> list[bytes]:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return [written("POST", "/login", kind, body) for body in (b"&" * 4096, b"a=1&" * 1000, b"key=" + b"%41" * 1300)]


def _answers() -> list[bytes]:
    return [_batch([_item(id, user, "answer") for user in range(2000)]) for id in ("load-0", "nowhere")]


def _forged() -> list[bytes]:
    return [_batch([_item("load-0", user, "report") for user in range(2000)])]


def _parts() -> list[bytes]:
    size = 1_000_000
    fills = (b"[", b'{"a":', b"{},", b"1,", b'"a" :1,')
    return [_raw_batch(b'{"reports":[' + fill * (size // len(fill)) + b"1]}") for fill in fills]


def _strings() -> list[bytes]:
    size = 1_000_000
    starts = (b'{"reports":[{"', b'{"reports":[{"token":"', b'{"reports":[{"report":"')
    return [_raw_batch(start + b"a" * size + b'":1}]}') for start in starts] + [
        _raw_batch(starts[1] + "é".encode() * (size // 2) + b'"}]}')
    ]


def _addresses() -> list[bytes]:
    found = [f"/v1/communities/{'a%00' * 10}", "/?search=%00", "/static/../../etc/passwd", "/" + "%2e" * 10_000]
    found += ["/static/" + "a/" * 30_000, "/?" + "a=b&" * 15_000]
    return [written("GET", path, {"Range": "bytes=x", "Cookie": "a=" + "b;" * 10_000}) for path in found]


def _cookies() -> list[bytes]:
    given = {"Cookie": 'graphldp_session="' + "\\\\" * 30_000 + '"'}
    return [written("GET", path, given) for path in ("/", "/healthz", "/v1/communities/nowhere")]


def _bodies_that_stop() -> list[bytes]:
    batch = written("POST", "/v1/reports:batch", {"Content-Type": "application/json"}, b"{", 1_000_000)
    login = written("POST", "/login", {"Content-Type": "application/x-www-form-urlencoded"}, b"k", 4000)
    return [batch, login, b"GET / HTTP/1.1\r\nHost: x\r\nX: "]


def _tiny_chunks() -> list[bytes]:
    head = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    request = written("POST", "/v1/reports:batch", head).replace(b"Content-Length: 0\r\n", b"")
    return [request + b"1\r\n \r\n" * 20_000]


def _sign_ins() -> list[bytes]:
    return [written("GET", path, {}) for path in ("/login/oidc", "/login/oidc", "/login/oidc/callback?code=x&state=x")]


def _unread() -> list[bytes]:
    return [written("GET", path, {}) * 300 for path in ("/openapi.json", "/static/style.css", "/join")]


UNREAD = "answers that nobody reads"
ATTACKS: dict[str, Callable[[], list[bytes]]] = {
    "media types of 60,000 semicolons": _semicolons,
    "forms of many fields": _forms,
    "batches of answers": _answers,
    "batches of forged reports": _forged,
    "batches of millions of parts": _parts,
    "batches of one long text": _strings,
    "addresses with a NUL, of 60,000 characters, bad ranges": _addresses,
    "cookies of long quotes": _cookies,
    "bodies and heads that stop": _bodies_that_stop,
    "bodies in chunks of one byte": _tiny_chunks,
    "sign-ins by a provider that never answers": _sign_ins,
    UNREAD: _unread,
}


def press(port: int, name: str, seconds: float) -> None:
    """Send an attack's requests for some seconds, a connection each; a process of its own."""

    async def one(request: bytes, place: int) -> None:
        stranger = b"Host: x\r\nX-Forwarded-For: 10.0.%d.%d\r\n" % divmod(place, 256)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request.replace(b"Host: x\r\n", stranger))
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.sleep(2) if name == UNREAD else reader.read(1000), 1.0)
            writer.transport.abort()
        except OSError:
            pass

    async def every() -> None:
        requests, start = cycle(ATTACKS[name]()), time.monotonic()
        async with asyncio.TaskGroup() as strangers:
            for place in range(round(seconds * PER_SECOND)):
                await asyncio.sleep(start + place / PER_SECOND - time.monotonic())
                strangers.create_task(one(next(requests), place))

    asyncio.run(every())


class _Honest:
    """Members who report one after the other, on one connection, and how long each waits."""

    def __init__(self, port: int, reports: list[Sent]) -> None:
        self.reports, self.sent, self.stored = iter(reports), 0, 0
        self.line = socket.create_connection(("127.0.0.1", port), timeout=60)

    def times(self, count: int) -> list[float]:
        """The seconds that each of some reports takes, a moment apart."""
        found = []
        for each in islice(self.reports, count):
            start = time.perf_counter()
            self.line.sendall(each.request())
            self.stored += b" 201 " in self.line.recv(4096)
            found.append(time.perf_counter() - start)
            time.sleep(MOMENT)
        self.sent += len(found)
        return found


def _megabytes(collector: Collector, what: str) -> int:
    status = Path(f"/proc/{collector.pid}/status").read_text()
    return int(status.partition(f"{what}:")[2].split()[0]) // 1000


def prove(scale: Scale, kind: str) -> Finding:
    """Each attack in turn, beside members who report."""
    finding, seconds = Finding(f"hostile, {kind}"), 20.0 if scale.full else 2.0
    with databases(kind) as (database, _), socket.create_server(("127.0.0.1", 0)) as mute:
        store = Store.open(database)
        most = QUIET + seconds / MOMENT  # reports around and during an attack
        reports = prepare(store, 2 * QUIET + math.ceil(len(ATTACKS) * TRIES * most))
        # strangers have machines of their own, and the collector does not share its processors with them
        apart = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=os.nice, initargs=(10,))
        provider = {"oidc_issuer": f"http://127.0.0.1:{mute.getsockname()[1]}", "oidc_client_id": "x"}
        settings = provider | {"oidc_redirect": "http://127.0.0.1"}
        with Collector(database, settings) as collector, apart as strangers:
            strangers.submit(press, collector.port, next(iter(ATTACKS)), 0).result()  # it has started
            honest = _Honest(collector.port, reports)
            honest.times(QUIET)  # it has met reports before they are timed
            before, size = honest.times(QUIET), _megabytes(collector, "VmRSS")
            for name in ATTACKS:
                for _ in range(TRIES):
                    attack, times = strangers.submit(press, collector.port, name, seconds), list[float]()
                    while not attack.done():
                        times += honest.times(1)
                    attack.result()
                    after = honest.times(QUIET)
                    quiet, before = median(before + after), after
                    slower, growth = median(times) / quiet, _megabytes(collector, "VmHWM") - size
                    if slower <= SLOWER:
                        break
                finding.facts[f"{name}: reports take at most {SLOWER} times as long"] = slower <= SLOWER
                finding.facts[f"{name}: the server grows by less than {GROWTH} MB"] = growth < GROWTH
                finding.numbers[name] = (
                    f"{slower:.1f} times {quiet * 1000:.1f} ms, {growth} MB more so far, {len(times)} reports"
                )
            finding.facts["every honest report was stored"] = honest.stored == honest.sent
            honest.line.close()
        store.close()
    return finding

"""A disk that is full, a database that goes away and comes back, two servers on one database."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from benchmarks.proof.setting import Finding, Scale, databases, folder, kept, same
from benchmarks.proof.traffic import Sent, prepare, send, send_async
from benchmarks.services import Collector

from graphldp import wire
from graphldp.collector.storage.store import Store

_DISK = 6 << 20


def prove_full_disk(scale: Scale, kind: str) -> Finding:
    """Fill the disk under the store: refusals, no losses, and on it goes when there is room again."""
    finding = Finding(f"full disk, {kind}")
    with _small_disk() as (place, fill, make_room, how):
        database = f"sqlite:///{place / 'collector.db'}"
        store = Store.open(database)
        sent = prepare(store, 3000, degree=100)
        with Collector(database) as collector:
            before = send(collector.port, [each.request() for each in sent[:1000]])
            fill(collector)
            during = send(collector.port, [each.request() for each in sent[1000:]])
            refused = [place for place, status in during.statuses.items() if status == 503]
            alive = httpx.get(f"{collector.url}/metrics", timeout=10).status_code
            make_room(collector)
            after = send(collector.port, [sent[1000 + place].request() for place in sorted(refused)])
            code = collector.stop()
        found = kept(store)
        finding.facts["before it was full, all were taken"] = before.count(201) == 1000
        finding.facts["on a full disk reports are refused with 503, none otherwise"] = (
            0 < len(refused) == 2000 - during.count(201)
        )
        finding.facts["the server stays up"] = alive == 200 and code == 0
        finding.facts["with room again it goes on without a restart"] = after.count(201) + after.count(200) == len(
            refused
        )
        finding.facts["none is lost, byte for byte"] = len(found) == len(sent) and same(found, sent)
        finding.numbers |= {"disk": how, "refused": len(refused)}
        store.close()
    return finding


Act = Callable[[Collector], None]


@contextmanager
def _small_disk() -> Iterator[tuple[Path, Act, Act, str]]:
    """A file system of a few megabytes; where none may be mounted, a limit on the size of files."""
    with folder() as place:
        command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", str(place)]
        if subprocess.run(command, capture_output=True).returncode == 0:
            ballast = place / "ballast"

            def fill(_collector: Collector) -> None:
                with ballast.open("wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(bytes(4096))
                    except OSError:
                        return

            try:
                yield place, fill, lambda _: ballast.unlink(), "a tmpfs of 6 MiB"
            finally:
                subprocess.run(["umount", "-l", str(place)], check=True)
            return

        def limit(collector: Collector, most: int) -> None:
            resource.prlimit(collector.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

        size = 1 << 16
        yield place, lambda c: limit(c, size), lambda c: limit(c, resource.RLIM_INFINITY), "a limit on file sizes"


def prove_database_away(scale: Scale, kind: str) -> Finding:
    """Stop PostgreSQL under a running collector, and start it again."""
    finding = Finding("database away and back, postgresql")
    with databases("postgresql") as (database, server):
        assert server is not None
        store = Store.open(database)
        sent = prepare(store, 900)
        with Collector(database) as collector:
            before = send(collector.port, [each.request() for each in sent[:300]])
            server.stop("immediate")
            during = send(collector.port, [each.request() for each in sent[300:600]], connections=8)
            answer = _put(collector, sent[600])
            health = httpx.get(f"{collector.url}/readyz", timeout=30).status_code
            server.start()
            end = time.monotonic() + 30
            while httpx.get(f"{collector.url}/readyz", timeout=30).status_code != 200 and time.monotonic() < end:
                time.sleep(0.2)
            after = send(collector.port, [each.request() for each in sent])
            code = collector.stop()
        store.close()
        again = Store.open(database)
        found = kept(again)
        again.close()
    finding.facts["before, all were taken"] = before.count(201) == 300
    finding.facts["while it is away: 503, and when to try again"] = (
        during.count(503) == 300 and answer.status_code == 503 and answer.headers.get("retry-after", "").isdigit()
    )
    finding.facts["health says so"] = health == 503
    finding.facts["when it is back, everything goes on without a restart"] = (
        after.count(200) == 300 and after.count(201) == 600 and code == 0
    )
    finding.facts["none is lost, byte for byte"] = len(found) == 900 and same(found, sent)
    return finding


def _put(collector: Collector, each: Sent) -> httpx.Response:
    address = f"{collector.url}/v1/communities/{each.community}/reports/{each.user}"
    headers = {"Authorization": f"Bearer {each.token}", "Content-Type": wire.MEDIA_TYPE}
    return httpx.put(address, content=each.body, headers=headers, timeout=60)


def prove_two_servers(scale: Scale, kind: str) -> Finding:
    """Two collectors on one PostgreSQL get different bytes for the same slots at the same moment."""
    finding = Finding("two servers, postgresql")
    with databases("postgresql") as (database, _):
        store = Store.open(database)
        sent = prepare(store, 4000 if scale.full else 1500)
        rivals = [_other(each) for each in sent]
        with Collector(database) as one, Collector(database) as two:
            a, b = asyncio.run(_in_step(one.port, two.port, sent, rivals))
            won = [sent[p] if a[p] == 201 else rivals[p] for p in range(len(sent))]
            repeat = asyncio.run(send_async([one.port, two.port], [each.request() for each in won], 64))
        found = kept(store)
        store.close()
    pairs = [{a[p], b[p]} for p in range(len(sent))]
    finding.facts["of two different reports for a slot one is taken and one refused"] = all(
        pair == {201, 409} for pair in pairs
    )
    finding.facts["the store holds the one that was told so"] = len(found) == len(won) and same(found, won)
    finding.facts["both servers know every winner"] = repeat.count(200) == len(won)
    finding.numbers |= {"slots": len(sent), "won by the first": sum(status == 201 for status in a.values())}
    finding.numbers |= {"cores": os.cpu_count()}
    return finding


async def _in_step(
    one: int, two: int, sent: list[Sent], rivals: list[Sent], step: int = 32
) -> tuple[dict[int, int], dict[int, int]]:
    """Send some slots at a time to both servers at once, so that neither gets ahead of the other."""
    a: dict[int, int] = {}
    b: dict[int, int] = {}
    for start in range(0, len(sent), step):
        first, second = await asyncio.gather(
            send_async([one], [each.request() for each in sent[start : start + step]], 8),
            send_async([two], [each.request() for each in rivals[start : start + step]], 8),
        )
        a |= {start + place: status for place, status in first.statuses.items()}
        b |= {start + place: status for place, status in second.statuses.items()}
    return a, b


def _other(each: Sent) -> Sent:
    report = wire.decode(each.body)
    degree = (report.noisy_degree or 0) + 1
    changed = wire.Report(
        report.mechanism, report.n, report.user, report.epsilon1, report.epsilon2, degree, report.neighbours
    )
    return Sent(each.community, each.user, each.token, wire.encode(changed))

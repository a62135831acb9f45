"""kill -9 at random moments under load: what was acknowledged is there, byte for byte, and its fsync came first.

Half of the reports go one by one, the other half in batches: a batch acknowledges each of its reports by itself.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from benchmarks.proof.setting import Finding, Scale, databases, folder, kept, need, same
from benchmarks.proof.traffic import Outcome, Sent, batches, prepare, send
from benchmarks.services import Collector, Postgres

from graphldp import wire
from graphldp.collector.storage.store import Store

_CALL = re.compile(r"(?P<time>\d+\.\d+) (?:<\.\.\. )?(?P<call>fsync|fdatasync)(?P<rest>.*)")
_ALONE = 12
_BATCH = 50


def prove(scale: Scale, kind: str) -> Finding:
    """Kill the collector, and in turns PostgreSQL with it, while 64 connections send; then look, and go on."""
    finding, rng = Finding(f"kill -9, {kind}"), random.Random(0)
    with databases(kind) as (database, server):
        store = Store.open(database)
        sent = prepare(store, 1000 * scale.kills + 1000)
        acknowledged: set[int] = set()
        rest, lost, cut, batched = list(range(len(sent))), 0, 0, 0
        for kill in range(scale.kills):
            with Collector(database) as collector:
                outcome, victim = Outcome(), server if kill % 2 else None
                moment = (rng.randint(1, 400), rng.uniform(0.0, 0.05))
                groups = _groups(rest)
                killer = threading.Thread(target=_strike, args=(outcome, moment, collector, victim))
                killer.start()
                send(collector.port, [_request(sent, group) for group in groups], keep=True, outcome=outcome)
                killer.join()
            if server is not None and kill % 2:
                server.start()
            said = {place: len(group) > 1 for group, place in _acknowledged(groups, outcome)}
            acknowledged |= said.keys()
            batched += sum(said.values())
            found = kept(store)
            lost += sum(found.get((sent[p].community, sent[p].user)) != sent[p].body for p in acknowledged)
            cut += len(found) - len(acknowledged)
            rest = [place for place in rest if place not in said]
        with Collector(database) as collector:
            outcome = send(collector.port, [each.request() for each in sent])
        final = kept(store)
        finding.facts["nothing acknowledged was ever missing or changed"] = lost == 0
        finding.facts["sending all again ends with every report, once"] = (
            len(final) == len(sent) and same(final, sent) and outcome.count(200) + outcome.count(201) == len(sent)
        )
        again = sum(outcome.statuses[place] == 200 for place in acknowledged)
        finding.facts["the same bytes again are a success"] = again == len(acknowledged)
        finding.facts["reports were acknowledged both one by one and in batches"] = 0 < batched < len(acknowledged)
        finding.numbers |= {"kills": scale.kills, "acknowledged before a kill": len(acknowledged)}
        finding.numbers |= {"of these in batches": batched}
        finding.numbers |= {"stored, but cut off before the answer": cut}
        store.close()
    finding.facts["an fsync of the log preceded every answer"] = _fsync_precedes(kind)
    return finding


def _groups(places: list[int]) -> list[list[int]]:
    """Places to send together: as many alone as in a batch, in turns."""
    groups = []
    for start in range(0, len(places), 2 * _BATCH):
        groups += [[place] for place in places[start : start + _BATCH]]
        if together := places[start + _BATCH : start + 2 * _BATCH]:
            groups.append(together)
    return groups


def _request(sent: list[Sent], group: list[int]) -> bytes:
    if len(group) == 1:
        return sent[group[0]].request()
    return next(batches([sent[place] for place in group], len(group)))


def _acknowledged(groups: list[list[int]], outcome: Outcome) -> Iterator[tuple[list[int], int]]:
    """The places that were told 200 or 201, with their groups."""
    for place, status in outcome.statuses.items():
        group, statuses = groups[place], [status]
        if len(group) > 1 and status == 200:
            statuses = [each["status"] for each in json.loads(outcome.bodies[place])["results"]]
        if len(statuses) == len(group):
            yield from ((group, one) for one, said in zip(group, statuses, strict=True) if said in (200, 201))


def _strike(outcome: Outcome, moment: tuple[int, float], collector: Collector, server: Postgres | None) -> None:
    """Kill after so many answers and so many seconds."""
    answers, seconds = moment
    end = time.monotonic() + 60
    while len(outcome.statuses) < answers and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(seconds)
    collector.kill()
    if server is not None:
        server.stop("immediate")


def _fsync_precedes(kind: str) -> bool:
    """Watch the system calls of whoever writes: between each request and its answer, the log reached the disk.

    SQLite writes in the collector, so that is started under strace; PostgreSQL's processes are attached to.
    """
    strace = need("strace")
    with folder() as place, databases(kind) as (database, server):
        store = Store.open(database)
        sent = prepare(store, 2 * _ALONE, n=2 * _ALONE)
        trace = place / "trace"
        watch = (strace, "-f", "-ttt", "-y", "-e", "trace=fsync,fdatasync", "-o", str(trace))
        with Collector(database, wrap=watch if server is None else ()) as collector:
            attached = _attach(watch, server) if server is not None else None
            windows = [_put_alone(collector, each) for each in sent[:_ALONE]]
            windows += [_post_alone(collector, sent[at : at + 4]) for at in range(_ALONE, 2 * _ALONE, 4)]
            if attached is not None:
                attached.terminate()
                attached.wait(10)
            else:
                collector.stop()
        store.close()
        mark = "-wal" if server is None else "pg_wal"
        synced = _synced(trace, mark)
    return all(any(start <= moment <= end for moment in synced) for start, end in windows)


def _attach(watch: tuple[str, ...], server: Postgres) -> subprocess.Popen[bytes]:
    pids = [(server.data / "postmaster.pid").read_text().split()[0]]
    for task in Path(f"/proc/{pids[0]}/task").iterdir():
        pids += (task / "children").read_text().split()
    process = subprocess.Popen([*watch, *(part for pid in pids for part in ("-p", pid))], stderr=subprocess.DEVNULL)
    time.sleep(1.0)
    return process


def _put_alone(collector: Collector, each: Sent) -> tuple[float, float]:
    """Send one report with nothing else under way; gives the moments of sending and of the answer."""
    address = f"{collector.url}/v1/communities/{each.community}/reports/{each.user}"
    headers = {"Authorization": f"Bearer {each.token}", "Content-Type": wire.MEDIA_TYPE}
    start = time.time()
    answer = httpx.put(address, content=each.body, headers=headers, timeout=60)
    end = time.time()
    if answer.status_code != 201:
        raise RuntimeError(f"answered {answer.status_code}")
    time.sleep(0.05)
    return start, end


def _post_alone(collector: Collector, some: list[Sent]) -> tuple[float, float]:
    """Send one batch with nothing else under way; gives the moments of sending and of the answer."""
    start = time.time()
    outcome = send(collector.port, batches(some, len(some)), connections=1, keep=True)
    end = time.time()
    if outcome.bodies[0].count(b'"status":201') != len(some):
        raise RuntimeError(f"answered {outcome.statuses[0]}")
    time.sleep(0.05)
    return start, end


def _synced(trace: Path, mark: str) -> list[float]:
    """When a log was flushed: the moments of successful calls, and the ends of those that were interrupted."""
    moments, unfinished = [], set()
    for line in trace.read_text().splitlines():
        pid = line.split()[0]
        match = _CALL.search(line)
        if match is None:
            continue
        if "<unfinished" in line:
            if mark in line:
                unfinished.add(pid)
        elif line.rstrip().endswith("= 0") and (mark in line or pid in unfinished):
            moments.append(float(match["time"]))
            unfinished.discard(pid)
    return moments

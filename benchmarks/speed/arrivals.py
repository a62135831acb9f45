"""What a report costs as it arrives: at one collector and at two on one PostgreSQL, one by one and in batches.

Costs are microseconds of processor time for each report, so that a busy machine says the same. The last two rows are
parts of a collector's: HTTP, by a route that reads the body and answers 204, and checking a report's bytes. The rest is
tokens, SQL and grouping.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.large.chores import worked
from benchmarks.proof.load import BATCH, CONNECTIONS, RELAYS
from benchmarks.proof.setting import baseline
from benchmarks.proof.traffic import Sent, batches, prepare, send, send_async
from benchmarks.services import Collector, Postgres

from graphldp import wire
from graphldp.collector.storage.store import Store

SINGLE, BATCHED = 20_000, 80_000


def run(root: Path | None, single: int = SINGLE, batched: int = BATCHED) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    with Postgres() as server:
        for many in (1, 2):
            database = server.create(f"with_{many}")
            store = Store.open(database)
            sent = prepare(store, single + batched)
            with ExitStack() as stack:
                collectors = [stack.enter_context(Collector(database)) for _ in range(many)]
                yield from _arrived(collectors, sent[:single], sent[single:], server)
            checked = _checked(store, sent[:single])
            store.close()
    with baseline() as (port, process):
        before = worked(process)
        send(port, [each.request() for each in sent[:single]], CONNECTIONS)
        yield {"what": "of it HTTP, one by one", "collector_microseconds": _each(worked(process) - before, single)}
    yield {"what": "of it checking the bytes", "collector_microseconds": checked}


def _arrived(
    collectors: list[Collector], single: list[Sent], batched: list[Sent], server: Postgres
) -> Iterator[dict[str, Any]]:
    ports, few = [each.port for each in collectors], "one collector" if len(collectors) == 1 else "two collectors"
    for how, some, requests, connections in (
        ("one by one", single, [each.request() for each in single], CONNECTIONS),
        ("in batches", batched, list(batches(batched, BATCH)), RELAYS),
    ):
        before = sum(worked(each.pid) for each in collectors), _database(server)
        outcome = asyncio.run(send_async(ports, requests, connections, keep=True))
        after = sum(worked(each.pid) for each in collectors), _database(server)
        new = outcome.count(201) + sum(body.count(b'"status":201') for body in outcome.bodies.values())
        if new != len(some):
            raise RuntimeError(f"{new} of {len(some)} reports were taken.")
        ours, theirs = (_each(late - early, new) for late, early in zip(after, before, strict=True))
        row = {"what": f"{few}, {how}", "collector_microseconds": ours, "postgresql_microseconds": theirs}
        row |= {"reports_a_second_of_one_core": round(1e6 / (ours + theirs))}
        yield row | {"bytes_sent": round(sum(map(len, requests)) / new)}


def _database(server: Postgres) -> float:
    """Seconds of the processor of all of a server's processes, those that have ended too."""
    parent = int((server.data / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return worked(parent, ended=True) + sum(worked(int(each)) for each in children)


def _checked(store: Store, sent: list[Sent]) -> float:
    terms = {id: store.community(id) for id in {each.community for each in sent}}
    began = process_time()
    for each in sent:
        wire.validate(terms[each.community], each.user, each.body)
    return _each(process_time() - began, len(sent))


def _each(seconds: float, reports: int) -> float:
    return round(1e6 * seconds / reports, 1)

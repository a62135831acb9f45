"""The collector under load: no report lost or doubled, and its rate beside a route that reads and answers 204."""

from __future__ import annotations

from statistics import median

from benchmarks.proof.setting import Finding, Scale, baseline, databases, kept, same
from benchmarks.proof.traffic import batches, prepare, send
from benchmarks.services import Collector

from graphldp.collector.storage.store import Store

CONNECTIONS = 64
BATCH = 2000  # as many as a batch may hold
RELAYS = 4


def prove(scale: Scale, kind: str) -> Finding:
    """Send reports one by one and in batches, in turns with the baseline, so that all meet the same machine."""
    finding = Finding(f"load, {kind}")
    with databases(kind) as (database, _), baseline() as (base_port, _):
        store = Store.open(database)
        singles = prepare(store, scale.reports, prefix="single")
        batched = prepare(store, scale.batched, prefix="batch")
        requests, bodies = [each.request() for each in singles], list(batches(batched, BATCH))
        rates: dict[str, list[float]] = {"baseline": [], "single": [], "batch": []}
        new = 0
        inner = 0
        with Collector(database) as collector:
            send(base_port, requests[:500], CONNECTIONS)  # it has met requests before it is timed
            share, portion = -(-len(requests) // scale.rounds), -(-len(bodies) // scale.rounds)
            for turn in range(scale.rounds):
                some = requests[turn * share : (turn + 1) * share]
                rates["baseline"].append(len(some) / send(base_port, some, CONNECTIONS).seconds)
                outcome = send(collector.port, some, CONNECTIONS)
                rates["single"].append(len(some) / outcome.seconds)
                new += outcome.count(201)
                group = bodies[turn * portion : (turn + 1) * portion]
                outcome = send(collector.port, group, RELAYS, keep=True)
                answers = b"".join(outcome.bodies.values())
                rates["batch"].append(answers.count(b'"status"') / outcome.seconds)
                inner += answers.count(b'"status":201')
        found = kept(store)
        finding.facts["every report was acknowledged as new, once"] = new == len(singles)
        finding.facts["every batch was answered, every report in it as new"] = inner == len(batched)
        finding.facts["none is lost, byte for byte"] = same(found, singles) and same(found, batched)
        finding.facts["none is doubled"] = len(found) == len(singles) + len(batched)
        store.close()
    ratio = median(s / b for s, b in zip(rates["single"], rates["baseline"], strict=True))
    batch_ratio = median(s / b for s, b in zip(rates["batch"], rates["baseline"], strict=True))
    finding.numbers |= {f"{name} per second": round(median(values)) for name, values in rates.items()}
    finding.numbers |= {"reports": len(found), "connections": CONNECTIONS, "single to baseline": round(ratio, 2)}
    finding.numbers |= {"batch to baseline": round(batch_ratio, 2)}
    finding.numbers |= {"goals (0.5 and 10) met": ratio >= 0.5 and batch_ratio >= 10}
    return finding

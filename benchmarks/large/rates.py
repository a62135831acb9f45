"""How fast reports arrive over HTTP at a store that is nearly empty and at one that is nearly full, by turns."""

from __future__ import annotations

import os
from statistics import median

from benchmarks.large.fill import late
from benchmarks.large.notes import Numbers
from benchmarks.large.people import Population
from benchmarks.proof.load import BATCH, CONNECTIONS, RELAYS
from benchmarks.proof.traffic import batches, send
from benchmarks.services import Collector

from graphldp.collector.storage.store import Store

ROUNDS = 7
_SINGLE_SHARE = 0.2  # of what arrives, one by one; the rest in relays' batches


def compare(early: str, full: str, population: Population) -> Numbers:
    """Send the same reports to both stores in turns, so that both meet the same machine."""
    stores = [Store.open(early), Store.open(full)]
    sent = late(stores, population)
    for store in stores:
        store.close()
    count = len(sent)
    alone = round(count * _SINGLE_SHARE / ROUNDS)
    together = (count - alone * ROUNDS) // ROUNDS
    together -= together % BATCH if together > BATCH else 0
    rates: dict[str, list[float]] = {
        f"{where}, {how}": [] for where in ("first", "last") for how in ("single", "batch")
    }
    with Collector(early) as one, Collector(full) as two:
        ports = {"first": one.port, "last": two.port}
        for turn in range(ROUNDS):
            some = sent[turn * (alone + together) : (turn + 1) * (alone + together)]
            for where in list(ports) if turn % 2 else list(ports)[::-1]:
                outcome = send(ports[where], [each.request() for each in some[:alone]], CONNECTIONS)
                assert outcome.count(201) + outcome.count(200) == alone, outcome.statuses
                rates[f"{where}, single"].append(alone / outcome.seconds)
                outcome = send(ports[where], list(batches(some[alone:], BATCH)), RELAYS, keep=True)
                answers = b"".join(outcome.bodies.values())
                assert answers.count(b'"status":20') == together
                rates[f"{where}, batch"].append(together / outcome.seconds)
    found: Numbers = {f"{name} per second": round(median(values)) for name, values in rates.items()}
    for how in ("single", "batch"):
        pairs = zip(rates[f"last, {how}"], rates[f"first, {how}"], strict=True)
        found[f"last to first, {how}"] = round(median(last / first for last, first in pairs), 2)
    found["load of the machine"] = round(os.getloadavg()[1], 1)  # others work here too: only the ratios are about us
    return found | {"turns": ROUNDS, "reports in a turn": {"single": alone, "batch": together}}

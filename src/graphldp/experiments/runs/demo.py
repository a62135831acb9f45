"""The demo's numbers of the embedded dataset: what users send, and what a server learns from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.trial import NETWORK, Trial, Work, work_of
from graphldp.graphs import GraphSet
from graphldp.mechanisms import Mechanism, NonPrivFull, NonPrivPart, customized
from graphldp.mechanisms.named import mechanisms, name_of


def mechanisms_of(graphs: GraphSet) -> dict[str, Mechanism]:
    """Every mechanism at ε = 1 that needs lists alone, by its label."""
    some_public = customized(graphs, epsilon=1.0, public_fraction=0.2, rng=0)
    made = {}
    for each in (each for each in mechanisms() if each.plain):
        options = {"sampling": 0.05} if "sampling" in each.options else {}
        made[each.label] = each.make(some_public if each.kind is NonPrivPart else 1.0, **options)
    return made


def drawn(graphs: GraphSet, name: str, mechanism: Mechanism) -> dict[str, Any]:
    """The reports of users by a mechanism, and how long it takes to draw them."""
    began = perf_counter()
    reports = mechanism.randomize(graphs, rng=0)
    seconds = perf_counter() - began
    return {
        "mechanism": name,
        "true mean degree": graphs.num_entries / graphs.num_users,
        "noisy mean degree": reports.num_entries / graphs.num_users,
        "reported entries": reports.num_entries,
        "ε₁": _spent(reports.epsilon1),
        "ε₂": _spent(reports.epsilon2),
        "seconds": round(seconds, 4),
    }


def trained_beside(work: Sequence[Work], context: Context) -> Iterator[Row]:
    """Begin to train on true lists, in a process of its own; the rows.

    After installing, this compiles all that trains, while the caller draws, and those who train later
    compile nothing twice.
    """
    true = name_of(NonPrivFull)
    trials = (each for each in map(work_of, work) if isinstance(each, Trial) and each.classifier == NETWORK)
    plain: list[Work] = [each for each in trials if each.draw.mechanism == true]
    return LocalEngine(1).run([plain] if plain else [], context)


def _spent(epsilon: Any) -> str:
    """The private users' ε, or that all are public."""
    finite = epsilon[epsilon < float("inf")]
    return f"{finite.max():.3g}" if len(finite) else "public"

"""How fast the recipe learns: fit and score on a dataset, and on more and more small graphs.

Two measurements, each in a process of its own, so that its peak memory is its own:

1. the recipe at ε = 1 on REDDIT-BINARY where it is at hand, the embedded threads otherwise: 85 % of the graphs to learn
   from, the others to score, and which share of the fit goes to features, to trees and to the kernel;
2. the same on up to 200,000 graphs of 25 users: does time stay a straight line in graphs?
"""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from benchmarks.speed.pictures import plotted
from benchmarks.speed.timing import alone

from graphldp.experiments.speed import dataset
from graphldp.graphs import GraphSet

USERS = 25
LADDER = (2_000, 20_000, 200_000)
_PARTS = {
    "features": ("profile_classifier.py", "features"),
    "trees": ("gradient_boosting.py", "fit"),
    "kernel": ("kernel.py", "fit"),
}


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        root: where datasets lie; the embedded threads take the place of REDDIT-BINARY where it is not at hand.
    """
    for graphs in (None, *LADDER):
        yield alone(measured, root, graphs)


def picture(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Seconds of a fit against graphs."""
    words = {"xlabel": "graphs to learn from", "title": "The recipe's fit grows no faster than its graphs"}
    ladder = [(row["learned_from"], row["fit_seconds"]) for row in rows[1:]]
    plotted(ladder, path, "the recipe, ε = 1, graphs of 25 users", words)


def measured(root: Path | None, graphs: int | None) -> dict[str, Any]:
    """One row."""
    from graphldp.learn.recipe import recommended
    from graphldp.learn.selection import split

    lists = dataset(root) if graphs is None else small_graphs(graphs)
    recipe = recommended(1.0)
    reports = recipe.mechanism.randomize(lists, rng=0)
    train, validation, test = split(reports.labels, seed=0)
    learned, scored = reports.subset(np.concatenate((train, validation))), reports.subset(test)
    recipe.classifier.fit(reports.subset(validation))  # loads and compiles
    began, worked = perf_counter(), process_time()
    recipe.classifier.fit(learned)
    fitted, done = perf_counter(), process_time()
    accuracy = recipe.classifier.score(scored)
    ended = perf_counter()
    row = {
        "graphs": lists.name if graphs is None else f"{graphs:,} of {USERS} users",
        "learned_from": learned.num_graphs,
        "users": lists.num_users,
        "fit_seconds": round(fitted - began, 2),
        "fit_processor_seconds": round(done - worked, 2),
        "score_seconds": round(ended - fitted, 2),
        "accuracy": round(accuracy, 4),
        "microseconds_per_graph": round((fitted - began) / learned.num_graphs * 1e6),
    }
    if graphs is not None:
        return row
    with cProfile.Profile() as profile:
        recipe.classifier.fit(learned)
    return row | _shares(profile)


def _shares(profile: cProfile.Profile) -> dict[str, float]:
    """Which share of a fit goes where."""
    stats = pstats.Stats(profile)
    spent = {(Path(file).name, name): each[3] for (file, _, name), each in stats.stats.items()}  # type: ignore[attr-defined]
    return {f"{part}_share": round(spent.get(place, 0.0) / stats.total_tt, 2) for part, place in _PARTS.items()}  # type: ignore[attr-defined]


def small_graphs(count: int) -> GraphSet:
    """Graphs of 25 users: each talks to an earlier one, who is the first one more often in every second graph."""
    rng = np.random.default_rng(count)
    labels = np.arange(count) % 2
    late = np.tile(np.arange(1, USERS), count)
    graph = np.repeat(np.arange(count), USERS - 1)
    first = rng.random(len(late)) < np.where(labels[graph] == 0, 0.5, 0.3)
    early = np.where(first, 0, (rng.random(len(late)) * late).astype(np.int64))
    return GraphSet.from_edges(graph * USERS + late, graph * USERS + early, np.full(count, USERS), labels)

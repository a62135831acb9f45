"""How fast a GIN trains: seconds per epoch against PyTorch Geometric, with peak memory.

REDDIT-BINARY (the embedded threads where it is not at hand) and IMDB-BINARY where it is at hand, each raw, under DPRR
and under RR at ε = 1, of the former three batches for RR; the same model, batches of 64 and Adam, with one thread and
with two. Each epoch is timed in a process of its own. The two take turns, and the fastest epoch of each counts:
whatever else a machine does only adds to the time. Processor time, that of all threads, stands beside the clock's: on a
busy machine, threads that wait for each other take most of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from benchmarks.speed.timing import alone

from graphldp.experiments.speed import BATCH, EpochsHere, GeometricEpochs, dataset
from graphldp.files.archives import kind_of
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR, RR
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

THREADS, ROUNDS, LIMIT = (1, 2), 5, 30.0
SMALL = 50_000  # users of sets whose epochs are over so soon that several are timed
METHODS = {"graphldp": EpochsHere, "torch_geometric": GeometricEpochs}


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        root: where datasets lie.
    """
    large, small = dataset(root), dataset(root, "IMDB-BINARY")
    some = large.subset(np.random.default_rng(0).permutation(large.num_graphs)[: 3 * BATCH])
    sets: dict[str, NeighbourLists] = {}
    for graphs, few in ((large, some), (small, small))[: 1 + (small.name == "IMDB-BINARY")]:
        part = "" if few is graphs else f", {few.num_graphs} graphs"
        sets[f"{graphs.name}, raw"] = graphs
        sets[f"{graphs.name}, DPRR, ε = 1"] = DPRR(epsilon=1.0).randomize(graphs, rng=7)
        sets[f"{graphs.name}{part}, RR, ε = 1"] = RR(epsilon=1.0).randomize(few, rng=7)
    for (name, lists), threads in product(sets.items(), THREADS):
        yield from compared(name, lists, threads, ROUNDS, LIMIT)


def compared(name: str, lists: NeighbourLists, threads: int, rounds: int, limit: float) -> Iterator[dict[str, Any]]:
    """The two programs in turns on one set of graphs: as many rounds as fit into a limit of seconds, one at least."""
    rows: dict[str, list[dict[str, Any]]] = {method: [] for method in METHODS}
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.npz"
        lists.save(path)
        for number in range(1, rounds + 1):
            for method, timed in rows.items():
                timed.append(alone(measured, method, path, threads))
            if (perf_counter() - start) * (number + 1) / number > limit:
                break
    fastest = {method: min(timed, key=lambda row: float(row["seconds_per_epoch"])) for method, timed in rows.items()}
    worked = {method: min(row["processor_seconds"] for row in timed) for method, timed in rows.items()}
    for method, row in fastest.items():
        ratio = row["seconds_per_epoch"] / fastest["graphldp"]["seconds_per_epoch"]
        processor = {"processor_seconds": worked[method], "processor_ratio": worked[method] / worked["graphldp"]}
        head = {"graphs": name, "method": method, "threads": threads, "rounds": len(rows[method])}
        yield head | row | processor | {"ratio": ratio}


def measured(method: str, path: Path, threads: int) -> dict[str, Any]:
    """One program on one set of graphs."""
    import torch

    torch.set_num_threads(threads)
    lists = Reports.load(path) if kind_of(path) == "Reports" else GraphSet.load(path)
    start = perf_counter()
    program = METHODS[method](lists)
    prepared = perf_counter() - start
    seconds, worked = min(program.epoch() for _ in range(8 if lists.num_users < SMALL else 1))
    return {"seconds_per_epoch": seconds, "processor_seconds": worked, "prepare_seconds": prepared}

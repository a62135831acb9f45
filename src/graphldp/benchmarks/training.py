"""How fast a GIN trains: seconds per epoch against torch_geometric and dense blocks, in one run, with peak memory.

Three sets of graphs (REDDIT-BINARY raw, under DPRR at ε = 1, and 200 of its graphs under RR at ε = 1), three methods,
the same model, batches of 64 and Adam. Each cell runs in a process of its own, so that its peak memory is its own. The
methods take turns, round after round, and the fastest epoch of each counts: whatever else a machine does only adds to
the time, and seldom to all rounds. Dense blocks are timed once, on a few batches, and scaled to an epoch;
``batches_timed`` says how many.

Several trainings as one computation are measured by :mod:`graphldp.benchmarks.stacked`.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from graphldp.archives import read_arrays
from graphldp.errors import DatasetNotFoundError
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR, RR
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

BATCH = 64
METHODS = ("graphldp", "torch_geometric", "dense blocks")


def run(
    *, root: Path | None = None, threads: int = 2, rounds: int = 5, dense_batches: int = 3
) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        root: where datasets lie; the embedded threads take the place of a dataset that is not at hand.
        threads: threads of each method.
        rounds: timed epochs of graphldp and of torch_geometric, each after a warm-up.
        dense_batches: timed batches of the dense blocks.
    """
    graphs = _dataset(root)
    some = graphs.subset(np.random.default_rng(0).permutation(graphs.num_graphs)[:200])
    sets: dict[str, Callable[[], NeighbourLists]] = {
        f"{graphs.name}, raw": lambda: graphs,
        f"{graphs.name}, DPRR, ε = 1": lambda: DPRR(epsilon=1.0).randomize(graphs, rng=7),
        f"{graphs.name}, 200 graphs, RR, ε = 1": lambda: RR(epsilon=1.0).randomize(some, rng=7),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, make in sets.items():
            path = Path(folder) / "graphs.npz"
            make().save(path)
            turns = [method for _ in range(rounds) for method in METHODS[:2]] + [METHODS[2]]
            rows: dict[str, list[dict[str, Any]]] = {method: [] for method in METHODS}
            for method in turns:
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    rows[method].append(pool.apply(_cell, (method, path, threads, dense_batches)))
            ours = min(row["seconds_per_epoch"] for row in rows[METHODS[0]])
            for timed in rows.values():
                row = min(timed, key=lambda each: float(each["seconds_per_epoch"]))
                slowest = max(each["seconds_per_epoch"] for each in timed)
                ratio = round(row["seconds_per_epoch"] / ours, 2)
                yield {"graphs": name, **row, "rounds": len(timed), "slowest": slowest, "ratio": ratio}


def _cell(method: str, path: Path, threads: int, dense_batches: int) -> dict[str, Any]:
    """One method on one set of graphs, in a process of its own."""
    import torch

    from graphldp.benchmarks import rivals
    from graphldp.learn.engine.gin import ModelSpec

    torch.set_num_threads(threads)
    lists = _load(path)
    labels = np.zeros(len(lists)) if lists.labels is None else lists.labels
    lists = replace(lists, labels=np.unique(labels, return_inverse=True)[1])  # 0 and 1 to all methods
    spec = ModelSpec(num_classes=2)
    count = -(-lists.num_graphs // BATCH)
    before = _peak_megabytes()
    start = perf_counter()
    row: dict[str, Any]
    if method == "graphldp":
        row = _ours(lists)
    else:
        dense = method == "dense blocks"
        steps = rivals.dense_steps(lists, spec, BATCH) if dense else rivals.GeometricEpochs(lists, spec, BATCH).steps()
        timed = min(dense_batches, count - 1) if dense else count - 1
        next(steps)()  # warms up
        prepared = perf_counter() - start
        start = perf_counter()
        for _ in range(timed):
            next(steps)()
        seconds = (perf_counter() - start) * count / timed
        row = {"seconds_per_epoch": seconds, "prepare_seconds": prepared, "batches_timed": timed}
    row = {key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}
    return {"method": method, **row, "peak_mb": round(_peak_megabytes() - before), "threads": threads}


def _ours(lists: NeighbourLists) -> dict[str, Any]:
    import torch

    from graphldp.learn.engine.batches import PackedGraphs
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import TrainingOptions, train

    start = perf_counter()
    spec = ModelSpec(num_classes=2)
    packed = PackedGraphs.pack(lists, spec, torch.device("cpu"), lists.labels)
    prepared = perf_counter() - start
    smallest = packed.subset([int(np.argmin(lists.sizes))])  # the others do not validate
    history = train(spec, TrainingOptions(max_epochs=2, batch_size=BATCH), packed, smallest).history  # one warms up
    timed = -(-len(lists) // BATCH)
    return {"seconds_per_epoch": history[1].seconds, "prepare_seconds": prepared, "batches_timed": timed}


def _dataset(root: Path | None) -> GraphSet:
    from graphldp.datasets import load_dataset, synthetic

    try:
        return load_dataset("REDDIT-BINARY", root=root, download=False)
    except DatasetNotFoundError:
        return synthetic.threads(num_graphs=2000)


def _load(path: Path) -> NeighbourLists:
    kind = str(read_arrays(path, "a file of graphs or reports", "kind")["kind"])
    return Reports.load(path) if kind == "Reports" else GraphSet.load(path)


def _peak_megabytes() -> float:
    scale = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux kilobytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale

"""How fast a GIN trains: seconds per epoch against torch_geometric and dense blocks, in one run, with peak memory.

Three sets of large graphs (REDDIT-BINARY raw, under DPRR at ε = 1, and three batches of its graphs under RR at ε = 1)
and, where it is at hand, three of small ones (IMDB-BINARY, likewise), three methods, the same model, batches of 64 and
Adam, with one thread and with several. Each cell runs in a process of its own, so that its peak memory is its own. The
methods take turns, round after round, and the fastest epoch of each counts: whatever else a machine does only adds to
the time, and seldom to all rounds. There are as many rounds as fit into a limit, and one at least. Processor time, that
of all threads, is there too: on a busy machine, threads that wait for each other take most of it. Dense blocks take the
same time whatever the lists are. So they are timed once, on large graphs under RR with several threads, on one batch,
and scaled to an epoch; ``batches_timed`` says of how many.

Several trainings as one computation are measured by :mod:`graphldp.benchmarks.stacked`.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from graphldp.datasets import load_dataset, synthetic
from graphldp.errors import DatasetNotFoundError
from graphldp.files.sets import kind_of
from graphldp.graphs import GraphSet
from graphldp.mechanisms import DPRR, RR
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

BATCH = 64
SMALL = 50_000  # users of sets whose epochs are over so soon that several are timed
METHODS = ("graphldp", "torch_geometric", "dense blocks")


def run(
    *, root: Path | None = None, threads: int = 2, rounds: int = 5, limit: float = 30.0
) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        root: where datasets lie; the embedded threads take the place of REDDIT-BINARY where it is not at hand.
        threads: threads of each method, beside a single one.
        rounds: timed epochs of graphldp and of torch_geometric at most, each after a warm-up.
        limit: seconds for each set of graphs and number of threads; no round begins that would take longer.
    """
    graphs = _dataset("REDDIT-BINARY", root) or synthetic.threads(num_graphs=2000)
    some = graphs.subset(np.random.default_rng(0).permutation(graphs.num_graphs)[: 3 * BATCH])
    dprr, rr = DPRR(epsilon=1.0), RR(epsilon=1.0)
    dense = f"{graphs.name}, {some.num_graphs} graphs, RR, ε = 1"
    sets: dict[str, Callable[[], NeighbourLists]] = {
        f"{graphs.name}, raw": lambda: graphs,
        f"{graphs.name}, DPRR, ε = 1": lambda: dprr.randomize(graphs, rng=7),
        dense: lambda: rr.randomize(some, rng=7),
    }
    small = _dataset("IMDB-BINARY", root)
    if small is not None:
        sets |= {
            f"{small.name}, raw": lambda: small,
            f"{small.name}, DPRR, ε = 1": lambda: dprr.randomize(small, rng=7),
            f"{small.name}, RR, ε = 1": lambda: rr.randomize(small, rng=7),
        }
    for name, make in sets.items():
        lists = make()
        for number in sorted({1, threads}):
            yield from compared(name, lists, number, rounds, limit, int((name, number) == (dense, threads)))


def compared(
    name: str, lists: NeighbourLists, threads: int, rounds: int, limit: float, dense_batches: int
) -> Iterator[dict[str, Any]]:
    """The methods on one set of graphs, in turns; see :func:`run`. No dense batch leaves dense blocks out."""
    rows: dict[str, list[dict[str, Any]]] = {method: [] for method in METHODS[: 3 if dense_batches else 2]}
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.npz"
        lists.save(path)

        def turn(method: str) -> None:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rows[method].append(pool.apply(_cell, (method, path, threads, dense_batches)))

        for number in range(1, rounds + 1):
            for method in METHODS[:2]:
                turn(method)
            if (perf_counter() - start) * (number + 1) / number > limit:
                break
        for method in METHODS[2 : len(rows)]:
            turn(method)
    ours, our_work = (min(row[each] for row in rows[METHODS[0]]) for each in ("seconds_per_epoch", "processor_seconds"))
    for timed in rows.values():
        row = min(timed, key=lambda each: float(each["seconds_per_epoch"]))
        slowest = max(each["seconds_per_epoch"] for each in timed)
        row["processor_seconds"] = worked = min(each["processor_seconds"] for each in timed)
        ratios = {"ratio": round(row["seconds_per_epoch"] / ours, 2), "processor_ratio": round(worked / our_work, 2)}
        yield {"graphs": name, **row, "rounds": len(timed), "slowest": slowest, **ratios}


def _cell(method: str, path: Path, threads: int, dense_batches: int) -> dict[str, Any]:
    """One method on one set of graphs, in a process of its own."""
    import torch

    torch.set_num_threads(threads)
    lists = _load(path)
    labels = np.zeros(len(lists)) if lists.labels is None else lists.labels
    lists = lists.changed(labels=np.unique(labels, return_inverse=True)[1])  # 0 and 1 to all methods
    epochs = 8 if lists.num_users < SMALL else 1
    before = _peak_megabytes()
    row = _ours(lists, epochs) if method == "graphldp" else _theirs(method, lists, epochs, dense_batches)
    row = {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}
    return {"method": method, **row, "peak_mb": round(_peak_megabytes() - before), "threads": threads}


def _ours(lists: NeighbourLists, epochs: int) -> dict[str, Any]:
    import torch

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs
    from graphldp.learn.engine.training import TrainingOptions, train

    start = perf_counter()
    spec = ModelSpec(num_classes=2)
    packed = PackedGraphs.pack(lists, spec, torch.device("cpu"), lists.labels)
    prepared = perf_counter() - start
    smallest = packed.subset([int(np.argmin(lists.sizes))])  # the others do not validate
    options = TrainingOptions(max_epochs=1 + epochs, batch_size=BATCH)
    ends: list[float] = []
    history = train(spec, options, packed, smallest, on_epoch=lambda _: ends.append(process_time())).history
    seconds = min(each.seconds for each in history[1:])  # one warms up
    row = {"seconds_per_epoch": seconds, "processor_seconds": float(np.diff(ends).min()), "prepare_seconds": prepared}
    return row | {"batches_timed": -(-len(lists) // BATCH)}


def _theirs(method: str, lists: NeighbourLists, epochs: int, dense_batches: int) -> dict[str, Any]:
    from graphldp.benchmarks import rivals
    from graphldp.learn.engine.gin import ModelSpec

    start = perf_counter()
    spec, count = ModelSpec(num_classes=2), -(-lists.num_graphs // BATCH)
    dense = method == "dense blocks"
    timed = min(dense_batches, count - 1) if dense else count - 1
    geometric = None if dense else rivals.GeometricEpochs(lists, spec, BATCH)
    seconds, processor, prepared = math.inf, math.inf, 0.0
    for _ in range(epochs):
        steps = rivals.dense_steps(lists, spec, BATCH) if geometric is None else geometric.steps()
        next(steps)()  # warms up
        prepared = prepared or perf_counter() - start
        begin, worked = perf_counter(), process_time()
        for _ in range(timed):
            next(steps)()
        seconds = min(seconds, (perf_counter() - begin) * count / timed)
        processor = min(processor, (process_time() - worked) * count / timed)
    row = {"seconds_per_epoch": seconds, "processor_seconds": processor, "prepare_seconds": prepared}
    return row | {"batches_timed": timed}


def _dataset(name: str, root: Path | None) -> GraphSet | None:
    try:
        return load_dataset(name, root=root, download=False)
    except DatasetNotFoundError:
        return None


def _load(path: Path) -> NeighbourLists:
    return Reports.load(path) if kind_of(path) == "Reports" else GraphSet.load(path)


def _peak_megabytes() -> float:
    scale = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux kilobytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale

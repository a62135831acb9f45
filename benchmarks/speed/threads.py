"""From which size of a batch on a second thread pays in training.

Sets of small and of large graphs, raw and noisy, are each trained with one thread and with all, in turns. The fastest
epoch of each counts: whatever else a machine does only adds to the time. Then the same beside a process for each core
that does nothing but count, and there the median epoch counts: that is what a busy machine is like. The rule that
follows from it stands in :mod:`graphldp.learn.engine.threads`, and is left aside here.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

import graphldp as gl
from graphldp.experiments.speed import BATCH, EpochsHere
from graphldp.learn.engine import threads as rule
from graphldp.machines.local import cores
from graphldp.neighbour_lists import NeighbourLists

ROUNDS, EPOCHS = 3, 4


def sets(root: Path | None) -> Iterator[tuple[str, NeighbourLists]]:
    """Some of every kind, 256 graphs at most: how long a batch takes does not depend on how many there are."""
    named = {"threads": gl.synthetic.threads(num_graphs=256, seed=0)}
    for name in ("IMDB-BINARY", "REDDIT-BINARY") if root else ():
        whole = gl.load_dataset(name, root=root, download=False)
        named[name] = whole[np.random.default_rng(0).permutation(whole.num_graphs)[:256]]
    for name, graphs in named.items():
        yield f"{name}, raw", graphs
        yield f"{name}, DPRR, ε = 1", gl.DPRR(1.0).randomize(graphs, rng=0)
    yield f"{name}, RR, ε = 2", gl.RR(2.0).randomize(graphs[:128], rng=0)


def epochs(lists: NeighbourLists, threads: int) -> list[float]:
    """The seconds of each epoch but the first, which warms up."""
    torch.set_num_threads(threads)
    return [each.seconds for each in EpochsHere(lists).train(EPOCHS).history[1:]]


def compared(lists: NeighbourLists, counted: Callable[[list[float]], float]) -> tuple[float, float]:
    """The seconds of an epoch with one thread and with all."""
    times: dict[int, list[float]] = {1: [], cores(): []}
    for _ in range(ROUNDS):
        for threads, found in times.items():
            found += epochs(lists, threads)
    one, several = (counted(found) for found in times.values())
    return one, several


def _count() -> None:
    while True:
        pass


@contextmanager
def busy() -> Iterator[None]:
    """A process for each core that leaves no time unused."""
    others = [multiprocessing.get_context("spawn").Process(target=_count, daemon=True) for _ in range(cores())]
    for each in others:
        each.start()
    try:
        yield
    finally:
        for each in others:
            each.kill()


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, a row for each set."""
    rule.SMALL = 0  # no batch is small: as many threads as are given
    for name, lists in sets(root):
        one, several = compared(lists, min)
        with busy():
            one_busy, several_busy = compared(lists, median)
        row = {"graphs": name, "users_a_batch": round(lists.num_users * BATCH / len(lists)), "one_thread": one}
        yield row | {"all_threads": several, "ratio": one / several, "ratio_busy": one_busy / several_busy}

"""From which size of a batch on a second thread pays in training: python -m benchmarks.threads [FOLDER].

Sets of small and of large graphs, raw and noisy, are each trained with one thread and with all, in turns. The fastest
epoch of each counts: whatever else a machine does only adds to the time. The rule that follows from it stands in
:mod:`graphldp.learn.engine.threads`.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

import graphldp as gl
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.training import TrainingOptions, train
from graphldp.machines.local import cores
from graphldp.neighbour_lists import NeighbourLists

BATCH, ROUNDS, EPOCHS = 64, 4, 3


def sets(folder: str | None) -> Iterator[tuple[str, NeighbourLists]]:
    """Some of every kind, 256 graphs at most: how long a batch takes does not depend on how many there are."""
    named = {"threads": gl.synthetic.threads(num_graphs=256, seed=0)}
    for name in ("IMDB-BINARY", "REDDIT-BINARY") if folder else ():
        whole = gl.load_dataset(name, root=folder, download=False)
        named[name] = whole[np.random.default_rng(0).permutation(whole.num_graphs)[:256]]
    for name, graphs in named.items():
        yield f"{name}, raw", graphs
        yield f"{name}, DPRR, ε = 1", gl.DPRR(1.0).randomize(graphs, rng=0)
    yield f"{name}, RR, ε = 2", gl.RR(2.0).randomize(graphs[:128], rng=0)


def seconds_per_epoch(lists: NeighbourLists, threads: int) -> float:
    torch.set_num_threads(threads)
    labels = np.unique(np.asarray(lists.labels), return_inverse=True)[1]
    spec = ModelSpec(num_classes=2)
    packed = PackedGraphs.pack(replace(lists, labels=labels), spec, torch.device("cpu"), labels)
    smallest = packed.subset([int(np.argmin(lists.sizes))])
    history = train(spec, TrainingOptions(max_epochs=EPOCHS, batch_size=BATCH), packed, smallest).history
    return min(each.seconds for each in history[1:])  # the first warms up


def main() -> None:
    for name, lists in sets(sys.argv[1] if len(sys.argv) > 1 else None):
        times: dict[int, list[float]] = {1: [], cores(): []}
        for _ in range(ROUNDS):
            for threads in times:
                times[threads].append(seconds_per_epoch(lists, threads))
        per_batch = BATCH / len(lists)
        size = f"{lists.num_users * per_batch:9,.0f} users, {lists.num_entries * per_batch:11,.0f} entries a batch"
        best = {threads: min(found) for threads, found in times.items()}
        shown = ", ".join(f"{threads} threads {found:7.3f} s" for threads, found in best.items())
        print(f"{name:28} {size}: {shown}, ratio {best[1] / best[cores()]:.2f}", flush=True)


if __name__ == "__main__":
    main()

"""What each hand-made part of the learning engines gives, beside what does without it.

::

    python -m benchmarks.speed.engines cpu --root data
    python -m benchmarks.speed.engines gpu

Each part is replaced by the alternative, in a process of its own, and all take turns, round after round. On a CPU all
have one thread, and the least processor time of an epoch counts, since others may be at work too; on a GPU the least
time by the clock. What is found goes into benchmarks/results/engines-cpu.json and engines-gpu.json.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import graphldp as gl
from graphldp.machines.local import describe
from graphldp.neighbour_lists import NeighbourLists

RESULTS = Path(__file__).parents[1] / "results"
AS_IT_IS, PEER = "as it is", "torch_geometric"
SOME, ROUNDS = 192, 3
"""Graphs of each set, and how often the turn goes round."""
Sets = dict[str, NeighbourLists]


def sets(root: Path | None) -> Sets:
    """The sets of graphs: the embedded threads, and those that are at hand."""
    found: Sets = {}
    threads = gl.synthetic.threads(num_graphs=SOME, seed=0)
    found["threads, DPRR, ε = 1"] = gl.DPRR(1.0).randomize(threads, rng=7)
    for name in ("REDDIT-BINARY", "IMDB-BINARY") if root is not None else ():
        whole = gl.load_dataset(name, root=root, download=False)
        graphs = whole[np.random.default_rng(0).permutation(whole.num_graphs)[:SOME]]
        found[f"{name}, raw"] = graphs
        if name == "REDDIT-BINARY":
            found[f"{name}, DPRR, ε = 1"] = gl.DPRR(1.0).randomize(graphs, rng=7)
    return found


def _torch_alone() -> None:
    """Torch's operations in place of compiled passes and kernels."""
    from graphldp.learn.engine import layers, plain, rows, threads, training
    from graphldp.learn.engine.packed import batches, packing
    from graphldp.learn.engine.stacking import replay, stack

    for module in (rows, layers, threads, training, batches, packing, replay, stack):
        for name, instead in (("passes_for", None), ("kernels_for", plain)):
            if hasattr(module, name):
                setattr(module, name, lambda *_, instead=instead: instead)


def _plain_numba() -> None:
    """Loops over columns as numba compiles them, in place of columns in registers by LLVM's own vectors."""
    from benchmarks.speed import plain_tiles

    sys.modules["graphldp.learn.engine.cpu.tiles"] = plain_tiles


def _merged(share: float) -> Callable[[], None]:
    def change() -> None:
        from graphldp.learn.engine.packed import packing

        packing.SHARED = share

    return change


def _not_recorded() -> None:
    from graphldp.learn.engine.stacking import replay

    replay.RECORDED, replay._ample = 0, lambda device: False


ON_A_CPU: dict[str, Callable[[], None]] = {
    AS_IT_IS: lambda: None,
    "the whole CPU engine → torch's operations": _torch_alone,
    "columns in registers, by LLVM's own vectors → plain numba": _plain_numba,
    "equal colours of a batch are one row → each graph has its own": _merged(0.0),
    "rows of late rounds are read where they lie → copied for each batch": _merged(1e9),
}
ON_A_GPU: dict[str, Callable[[], None]] = {
    AS_IT_IS: lambda: None,
    "Triton kernels → torch's operations": _torch_alone,
    "steps recorded as CUDA graphs → kernels started one by one": _not_recorded,
}


def _cell(change: str, gpu: bool, root: Path | None, cache: str) -> list[dict[str, Any]]:
    """One alternative on each set, in a process of its own."""
    os.environ["NUMBA_CACHE_DIR"] = cache  # compiled loops of one alternative are not those of another
    if change != PEER:
        (ON_A_GPU if gpu else ON_A_CPU)[change]()
    import torch

    from graphldp.experiments.speed import EpochsHere, GeometricEpochs

    torch.set_num_threads(1)
    device = torch.device("cuda" if gpu else "cpu")
    rows = []
    for name, lists in sets(root).items():
        if change == PEER:
            geometric = GeometricEpochs(lists, device)
            seconds, worked = map(min, zip(*(geometric.epoch() for _ in range(2)), strict=True))
        else:
            seconds, worked = EpochsHere(lists, device).epoch(6)
        rows.append({"graphs": name, "seconds": seconds, "processor_seconds": worked})
    return rows


def main() -> None:
    """Measure, and write what is known so far after each round."""
    parser = argparse.ArgumentParser(description="What each hand-made part of the learning engines gives.")
    parser.add_argument("of", choices=("cpu", "gpu"))
    parser.add_argument("--root", type=Path, default=None, help="where datasets lie")
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    gpu, what = given.of == "gpu", "seconds" if given.of == "gpu" else "processor_seconds"
    out = given.out or RESULTS / f"engines-{given.of}.json"
    least: dict[tuple[str, str], dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, ROUNDS + 1):
            for place, change in enumerate([*(ON_A_GPU if gpu else ON_A_CPU), PEER]):
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    found = pool.apply(_cell, (change, gpu, given.root, f"{folder}/{place}"))
                for row in found:
                    before = least.get((change, row["graphs"]), row)
                    smaller = {each: min(row[each], before[each]) for each in ("seconds", "processor_seconds")}
                    least[change, row["graphs"]] = row | smaller
                    print(number, change, row, flush=True)
            rows = []
            for (change, graphs), row in least.items():
                against = round(row[what] / least[AS_IT_IS, graphs][what], 2)
                rounded = {each: round(row[each], 5) for each in ("seconds", "processor_seconds")}
                rows.append({"change": change, "graphs": graphs, **rounded, "against": against})
            where = describe("cuda" if gpu else "cpu")
            text = json.dumps({"machine": where, "rounds": number, "rows": rows}, indent=2, ensure_ascii=False)
            out.write_text(text + "\n")


if __name__ == "__main__":
    main()

"""One training on a GPU, against torch_geometric's loader and GINConv on the same GPU, in one run.

::

    python -m graphldp.benchmarks.gpu --root data --out benchmarks/results/gpu.json

Three sets of graphs under DPRR at ε = 1, the same model, batches of 64 and Adam. The two take turns, round after round,
and the fastest epoch of each counts. Ours validates too, on one graph. Then the numbers: the same training again, and
on the CPU, where other code computes it in another order. Last comes RR, whose reports are bits: they are packed as
they are, and from their names.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.graphs import GraphSet
from graphldp.mechanisms.named import named
from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    from graphldp.learn.engine.training import Trained

BATCH, ROUNDS, EPOCHS = 64, 4, 6
GOALS = {"REDDIT-BINARY": 4.0, "IMDB-BINARY": 5.0, "threads": 5.0}


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row for each set of graphs.

    Args:
        root: where datasets lie.
    """
    import torch

    from graphldp.benchmarks import rivals
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs

    device, spec = torch.device("cuda"), ModelSpec(num_classes=2)
    for name, goal in GOALS.items():
        lists = drawn(name, root)
        start = perf_counter()
        packed = PackedGraphs.pack(lists, spec, device, lists.labels)
        torch.cuda.synchronize()
        row: dict[str, Any] = {"graphs": f"{name}, DPRR, ε = 1", "pack_seconds": perf_counter() - start}
        geometric = rivals.GeometricEpochs(lists, spec, BATCH, device)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours += [each.seconds for each in trained(packed, EPOCHS).history]
            theirs += [_timed(geometric.epoch) for _ in range(2)]
        row |= {"seconds_per_epoch": min(ours), "torch_geometric": min(theirs), "ratio": min(theirs) / min(ours)}
        first, again = trained(packed, 3), trained(packed, 3)
        plain = trained(PackedGraphs.pack(lists, spec, torch.device("cpu"), lists.labels), 3)
        row["same bits again"] = all(torch.equal(first.state[key], again.state[key]) for key in first.state)
        row["loss"], row["loss on the CPU"] = (each.history[0].train_loss for each in (first, plain))
        yield _rounded(row) | {"goal": goal}
    yield _rounded(_dense_lists(root))


def _dense_lists(root: Path | None) -> dict[str, Any]:
    """Randomized response: how long it takes to pack its bits, and its names, and an epoch."""
    import torch

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs

    reports = drawn("REDDIT-BINARY", root, "rr")
    assert reports.bits is not None  # noqa: S101 - these lists are dense
    names = replace(reports, indices=reports.bits.names(reports.indptr))

    def pack(lists: NeighbourLists) -> PackedGraphs:
        return PackedGraphs.pack(lists, ModelSpec(num_classes=2), torch.device("cuda"), lists.labels)

    pack(reports)  # loads and compiles
    return {
        "graphs": "REDDIT-BINARY, RR, ε = 1",
        "pack_seconds": _timed(lambda: pack(reports)),
        "pack_seconds_of_names": _timed(lambda: pack(names)),
        "sent_mb": reports.bits.words.nbytes / 1e6,
        "sent_mb_of_names": names.indices.nbytes / 1e6,
        "seconds_per_epoch": min(each.seconds for each in trained(pack(reports), EPOCHS).history),
    }


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()}


def drawn(name: str, root: Path | None, mechanism: str = "dprr") -> NeighbourLists:
    """A dataset, or the embedded threads, at ε = 1 under a mechanism, with classes 0 and 1."""
    from graphldp.datasets import load_dataset, synthetic

    graphs: GraphSet = synthetic.threads(num_graphs=300, seed=0) if name == "threads" else load_dataset(name, root=root)
    reports = named(mechanism).make(1.0).randomize(graphs, rng=7)
    return reports.changed(labels=np.unique(np.asarray(reports.labels), return_inverse=True)[1])


def trained(packed: Any, epochs: int) -> Trained:
    """A short training, which validates on one small graph."""
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import TrainingOptions, train

    smallest = packed.subset([int(np.argmin(packed.store.sizes))])
    options = TrainingOptions(max_epochs=epochs, batch_size=BATCH)
    return train(ModelSpec(num_classes=2), options, packed, smallest)


def _timed(work: Callable[[], object]) -> float:
    import torch

    torch.cuda.synchronize()
    start = perf_counter()
    work()
    torch.cuda.synchronize()
    return perf_counter() - start


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    import torch

    versions = {name: version(name) for name in ("torch", "torch_geometric")}
    return {"gpu": torch.cuda.get_device_name(), **versions}


def main() -> None:
    """Measure and write JSON, again after each row."""
    parser = argparse.ArgumentParser(description="One training on a GPU against torch_geometric.")
    parser.add_argument("--root", type=Path, default=None, help="where datasets lie")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for row in run(given.root):
        rows.append(row)
        given.out.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2, ensure_ascii=False) + "\n")
        print(row, flush=True)


if __name__ == "__main__":
    main()

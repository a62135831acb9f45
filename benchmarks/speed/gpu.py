"""One training on a GPU, against PyTorch Geometric on the same GPU: by its loader, and with batches kept on the GPU.

Three sets of graphs under DPRR at ε = 1, the same model, batches of 64 and Adam. All take turns, round after round, and
the fastest epoch of each counts. Then the numbers: the same training again, and on the CPU, where other code computes
it in another order. Last comes RR, whose reports are bits: they are packed as they are, and from their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from graphldp.datasets import synthetic
from graphldp.datasets.loading import load_dataset
from graphldp.experiments.speed import EpochsHere, GeometricEpochs
from graphldp.mechanisms.named import named
from graphldp.reports import Reports

DEVICE = "cuda"
DATASETS, ROUNDS, EPOCHS = ("REDDIT-BINARY", "IMDB-BINARY", "threads"), 4, 6


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row for each set of graphs."""
    import torch

    device = torch.device(DEVICE)
    for name in DATASETS:
        reports = drawn(name, root)
        ours, seconds = EpochsHere(reports, device), list[float]()
        peers = {"torch_geometric": GeometricEpochs(reports, device)}
        peers["kept_on_the_GPU"] = GeometricEpochs(reports, device, kept=True)
        times: dict[str, list[float]] = {peer: [] for peer in peers}
        for _ in range(ROUNDS):
            seconds += [each.seconds for each in ours.train(EPOCHS).history]
            for peer, program in peers.items():
                times[peer] += [_timed(program.epoch) for _ in range(2)]
        least = min(seconds)
        row: dict[str, Any] = {"graphs": f"{name}, DPRR, ε = 1", "seconds_per_epoch": least}
        row |= {peer: min(each) for peer, each in times.items()}
        row |= {"ratio": row["torch_geometric"] / least, "ratio_to_kept": row["kept_on_the_GPU"] / least}
        first, again, plain = ours.train(3), ours.train(3), EpochsHere(reports).train(3)
        row["same bits again"] = all(torch.equal(first.state[key], again.state[key]) for key in first.state)
        yield row | {"loss": first.history[0].train_loss, "loss on the CPU": plain.history[0].train_loss}
    yield _dense_lists(drawn("REDDIT-BINARY", root, "rr"), device)


def _dense_lists(reports: Reports, device: Any) -> dict[str, Any]:
    """Randomized response: how long it takes to pack its bits, and its names, and an epoch."""
    assert reports.bits is not None
    names = replace(reports, indices=reports.bits.names(reports.indptr))
    program = EpochsHere(reports, device)  # loads and compiles
    return {
        "graphs": "REDDIT-BINARY, RR, ε = 1",
        "pack_seconds": _timed(lambda: EpochsHere(reports, device)),
        "pack_seconds_of_names": _timed(lambda: EpochsHere(names, device)),
        "sent_mb": reports.bits.words.nbytes / 1e6,
        "sent_mb_of_names": names.indices.nbytes / 1e6,
        "seconds_per_epoch": min(each.seconds for each in program.train(EPOCHS).history),
    }


def drawn(name: str, root: Path | None, mechanism: str = "dprr") -> Reports:
    """A dataset, or the embedded threads, at ε = 1 under a mechanism."""
    graphs = synthetic.threads(num_graphs=300, seed=0) if name == "threads" else load_dataset(name, root=root)
    return named(mechanism).make(1.0).randomize(graphs, rng=7)


def _timed(work: Callable[[], object]) -> float:
    import torch

    torch.cuda.synchronize()
    start = perf_counter()
    work()
    torch.cuda.synchronize()
    return perf_counter() - start

"""Several trainings as one computation, against one by one: trainings a minute, and the accuracy that comes out.

For a machine with a GPU. It needs NumPy and torch alone, and reads reports that were saved elsewhere::

    python -m graphldp.benchmarks.stacked draw0.npz draw1.npz --out results.json --limit 500

Each job is one noise draw, one stratified split (75 % / 10 % / 15 %) and one seed. Rows are written as they come, and
a part that would overrun the limit is left out. With ``--processes 2 4 8``, as many processes share the chip, each with
a stack of its own, and together they train as many models as the largest stack. With ``--half``, rows are kept in half
the bytes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.engine.batches import PackedGraphs
    from graphldp.learn.engine.training import Job, Trained

EPOCHS = 150  # of one training


def run(
    files: Sequence[Path],
    *,
    device: str = "auto",
    sizes: Sequence[int] = (1, 4, 16, 60),
    epochs: int = EPOCHS,
    limit: float = 500.0,
    half: bool = False,
) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        files: saved reports of one set of graphs, one file for each noise draw.
        device: where to train.
        sizes: how many trainings run as one.
        epochs: of the whole trainings; rates are for trainings of 150 epochs.
        limit: seconds after which nothing new is begun.
        half: see :func:`graphldp.learn.engine.training.train_many`; not of what runs one by one.
    """
    import torch

    from graphldp.learn.engine.training import resolve_device

    begin = perf_counter()
    place = resolve_device(device)
    chip = torch.cuda.get_device_name(place) if place.type == "cuda" else str(place)
    start = perf_counter()
    packs = [_pack(Reports.load(file), place) for file in files]
    _wait(place)
    yield {"what": "packed", "draws": len(packs), "seconds": round(perf_counter() - start, 2), "device": chip}

    one_by_one = 0.0
    for size in sizes:
        jobs = [_job(packs, number, epochs=4) for number in range(size)]
        if place.type == "cuda":
            torch.cuda.reset_peak_memory_stats(place)
        records: list[float] = []
        _train(jobs, half=half, on_first=records.append)
        seconds = float(np.mean(records[1:]))  # the first epoch warms up
        minute = 60 * size / (seconds * EPOCHS)
        one_by_one = one_by_one or minute
        peak = torch.cuda.max_memory_allocated(place) / 2**20 if place.type == "cuda" else None
        yield {
            "what": f"{size} as one",
            "seconds_per_epoch": round(seconds, 4),
            "trainings_per_minute": round(minute, 2),
            "against_one_by_one": round(minute / one_by_one, 2),
            "peak_mb": None if peak is None else round(peak),
        }

    yield {"what": "same job twice", **_repeatable(packs, half=half)}

    largest = max(sizes)
    needed = seconds * epochs
    if perf_counter() - begin + 1.2 * needed > limit:
        yield {"what": "whole trainings", "left_out": f"would take {needed:.0f} s"}
        return
    jobs = [_job(packs, number, epochs=epochs) for number in range(largest)]
    start = perf_counter()
    together = _train(jobs, half=half)
    took = perf_counter() - start
    accuracy = [_accuracy(packs, number, trained) for number, trained in enumerate(together)]
    yield {
        "what": f"{largest} whole trainings as one",
        "epochs": epochs,
        "seconds": round(took, 1),
        "trainings_per_minute": round(60 * largest / took * epochs / EPOCHS, 1),
        "test_accuracy": round(float(np.mean(accuracy)), 4),
        "spread": round(float(np.std(accuracy)), 4),
    }
    alone: list[float] = []
    start = perf_counter()
    for number in range(min(largest, 10)):
        if alone and perf_counter() - begin + (perf_counter() - start) / len(alone) > limit:
            break
        alone.append(_accuracy(packs, number, _train([_job(packs, number, epochs=epochs)])[0]))
    if alone:
        took = perf_counter() - start
        yield {
            "what": f"{len(alone)} of them one by one",
            "seconds": round(took, 1),
            "trainings_per_minute": round(60 * len(alone) / took * epochs / EPOCHS, 2),
            "test_accuracy": round(float(np.mean(alone)), 4),
            "the_same_stacked": round(float(np.mean(accuracy[: len(alone)])), 4),
            "largest_difference": round(float(np.max(np.abs(np.subtract(alone, accuracy[: len(alone)])))), 4),
        }


def side_by_side(files: Sequence[Path], device: str, count: int, processes: int, epochs: int) -> dict[str, Any]:
    """Whole trainings in several processes on one chip, each with a part of them as one computation.

    Args:
        files: see :func:`run`.
        device: see there.
        count: how many trainings.
        processes: how many of them share the chip; each packs the graphs for itself before time is taken.
        epochs: of each training.
    """
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(processes), context.SimpleQueue()
    parts = [range(first, count, processes) for first in range(processes)]
    workers = [context.Process(target=_beside, args=(files, device, part, epochs, gate, answers)) for part in parts]
    for worker in workers:
        worker.start()
    found = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    took = max(seconds for seconds, _ in found)
    accuracy = [each for _, some in found for each in some]
    return {
        "what": f"{count} whole trainings in {processes} processes",
        "epochs": epochs,
        "seconds": round(took, 1),
        "trainings_per_minute": round(60 * count / took * epochs / EPOCHS, 1),
        "test_accuracy": round(float(np.mean(accuracy)), 4),
        "spread": round(float(np.std(accuracy)), 4),
    }


def _beside(files: Sequence[Path], device: str, numbers: Sequence[int], epochs: int, gate: Any, answers: Any) -> None:
    """One process: its trainings, from when all are ready."""
    from graphldp.learn.engine.training import resolve_device

    packs = [_pack(Reports.load(file), resolve_device(device)) for file in files]
    _train([_job(packs, number, epochs=3) for number in numbers])  # compiles
    gate.wait()
    start = perf_counter()
    trained = _train([_job(packs, number, epochs=epochs) for number in numbers])
    took = perf_counter() - start
    answers.put((took, [_accuracy(packs, number, each) for number, each in zip(numbers, trained, strict=True)]))


def _pack(lists: NeighbourLists, device: Any) -> PackedGraphs:
    from graphldp.learn.engine.batches import PackedGraphs
    from graphldp.learn.engine.gin import ModelSpec

    labels = np.zeros(len(lists)) if lists.labels is None else lists.labels
    return PackedGraphs.pack(lists, ModelSpec(num_classes=2), device, np.unique(labels, return_inverse=True)[1])


def _split(packed: PackedGraphs, seed: int) -> list[NDArray[np.int64]]:
    """Stratified thirds of 75 %, 10 % and 15 %."""
    rng = np.random.default_rng(seed)
    parts: list[list[NDArray[np.int64]]] = [[], [], []]
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(packed.classes == label))
        cuts = (np.array([0.75, 0.85]) * len(members)).round().astype(int)
        for part, some in zip(parts, np.split(members, cuts), strict=True):
            part.append(some)
    return [np.concatenate(part) for part in parts]


def _job(packs: Sequence[PackedGraphs], number: int, *, epochs: int) -> Job:
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import Job, TrainingOptions

    packed = packs[number % len(packs)]
    train, validation, _ = _split(packed, number)
    options = TrainingOptions(max_epochs=epochs, min_epochs=epochs, seed=number)
    return Job(ModelSpec(num_classes=2), options, packed.subset(train), packed.subset(validation))


def _train(jobs: Sequence[Job], *, half: bool = False, on_first: Any = None) -> list[Trained]:
    from graphldp.learn.engine.training import train_many

    def report(position: int, record: Any) -> None:
        if on_first is not None and position == 0:
            on_first(record.seconds)

    return train_many(jobs, at_once=len(jobs), half=half, on_epoch=report)


def _accuracy(packs: Sequence[PackedGraphs], number: int, trained: Trained) -> float:
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import predict_proba

    packed = packs[number % len(packs)]
    test = packed.subset(_split(packed, number)[2])
    return float((predict_proba(ModelSpec(num_classes=2), trained.state, test).argmax(1) == test.classes).mean())


def _repeatable(packs: Sequence[PackedGraphs], *, half: bool) -> dict[str, Any]:
    """Whether a training gives the same bits again, alone and among others."""
    import torch

    row: dict[str, Any] = {}
    for name, size in (("alone", 1), ("four as one", 4)):
        jobs = [_job(packs, number, epochs=3) for number in range(size)]
        runs = [_train(jobs, half=half)[0] for _ in range(2)]
        row[f"{name}, same bits"] = all(torch.equal(runs[0].state[n], runs[1].state[n]) for n in runs[0].state)
        row[f"{name}, validation loss"] = runs[0].history[-1].val_loss
    return row


def _wait(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _machine(files: Sequence[Path]) -> dict[str, Any]:
    import torch

    chip = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    reports = Reports.load(files[0])
    what = f"{reports.name}, {len(files)} draws of {reports.origin.name}, 5 layers, 64 hidden units, batches of 64"
    return {"gpu": chip, "torch": torch.__version__, "dataset": what}


def main() -> None:
    """Measure and write JSON, again after each row."""
    parser = argparse.ArgumentParser(description="Stacked trainings against one by one.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 16, 60])
    parser.add_argument("--processes", type=int, nargs="*", default=[], help="how many share the chip, one by one")
    parser.add_argument("--half", action="store_true", help="keep rows in half the bytes")
    parser.add_argument("--limit", type=float, default=500.0, help="seconds after which nothing new is begun")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="of the whole trainings")
    given = parser.parse_args()
    rows = []
    begin = perf_counter()
    options = {name: getattr(given, name) for name in ("device", "sizes", "epochs", "limit", "half")}
    shared = (
        side_by_side(given.files, given.device, max(given.sizes), each, given.epochs)
        for each in given.processes
        if perf_counter() - begin < given.limit
    )
    for row in chain(run(given.files, **options), shared):
        rows.append(row)
        found = {"machine": _machine(given.files), "rows": rows}
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        print(row, flush=True)


if __name__ == "__main__":
    main()

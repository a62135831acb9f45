"""Several trainings as one computation, against one by one: trainings a minute, and the accuracy that comes out.

For a machine with a GPU. It needs NumPy and torch alone, and reads reports that were saved elsewhere::

    python -m graphldp.benchmarks.stacked draw0.npz draw1.npz --out results.json --limit 500

Each job is one noise draw, one stratified split (75 % / 10 % / 15 %) and one seed. Rows are written as they come, and
a part that would overrun the limit is left out. On a GPU the largest stack is trained twice: in single precision, and
with rows kept in half the bytes. With ``--processes 2 4 8``, as many processes share the chip, each with a stack of its
own, and together they train as many models as the largest stack.
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
    from graphldp.learn.engine.packed.batches import PackedGraphs
    from graphldp.learn.engine.training import Job, Trained

EPOCHS = 150  # of one training


def run(
    files: Sequence[Path],
    *,
    device: str = "auto",
    sizes: Sequence[int] = (1, 4, 16, 60),
    epochs: int = EPOCHS,
    limit: float = 500.0,
) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time.

    Args:
        files: saved reports of one set of graphs, one file for each noise draw.
        device: where to train.
        sizes: how many trainings run as one.
        epochs: of the whole trainings; rates are for trainings of 150 epochs.
        limit: seconds after which nothing new is begun.
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

    largest, one_by_one, taken = max(sizes), 0.0, {}
    for size, half in (*((size, False) for size in sizes), *((largest, True) for _ in range(place.type == "cuda"))):
        row = _epochs(packs, size, place, half=half)
        one_by_one = one_by_one or row["trainings_per_minute"]
        taken[half] = row["seconds_per_epoch"]
        yield row | {"against_one_by_one": round(row["trainings_per_minute"] / one_by_one, 2)}

    yield {"what": "same job twice", **_repeatable(packs)}

    found: dict[bool, list[float]] = {}
    for half, seconds in taken.items():
        if perf_counter() - begin + 1.2 * seconds * epochs > limit:
            yield {"what": _called("whole trainings", half=half), "left_out": f"would take {seconds * epochs:.0f} s"}
            continue
        start = perf_counter()
        together = _train([_job(packs, number, epochs=epochs, half=half) for number in range(largest)])
        took = perf_counter() - start
        found[half] = [_accuracy(packs, number, trained) for number, trained in enumerate(together)]
        yield _whole(_called(f"{largest} whole trainings as one", half=half), epochs, took, found[half])
    if len(found) == 2:
        yield {"what": "half the bytes against single", **_apart(found[True], found[False])}
    if False in found:
        yield from _one_by_one(packs, epochs, found[False], begin + limit)


def _called(what: str, *, half: bool) -> str:
    return f"{what}, half the bytes" if half else what


def _epochs(packs: Sequence[PackedGraphs], size: int, place: Any, *, half: bool) -> dict[str, Any]:
    """A few epochs of some trainings as one."""
    import torch

    jobs = [_job(packs, number, epochs=6, half=half) for number in range(size)]
    if place.type == "cuda":
        torch.cuda.reset_peak_memory_stats(place)
    records: list[float] = []
    _train(jobs, on_first=records.append)
    seconds = float(np.mean(records[2:]))  # the first epochs compile and record
    peak = torch.cuda.max_memory_allocated(place) / 2**20 if place.type == "cuda" else None
    return {
        "what": _called(f"{size} as one", half=half),
        "seconds_per_epoch": round(seconds, 4),
        "trainings_per_minute": round(60 * size / (seconds * EPOCHS), 2),
        "peak_mb": None if peak is None else round(peak),
    }


def _whole(what: str, epochs: int, took: float, accuracy: Sequence[float]) -> dict[str, Any]:
    """A row of whole trainings; rates are for trainings of 150 epochs."""
    return {
        "what": what,
        "epochs": epochs,
        "seconds": round(took, 1),
        "trainings_per_minute": round(60 * len(accuracy) / took * epochs / EPOCHS, 2),
        "test_accuracy": round(float(np.mean(accuracy)), 4),
        "spread": round(float(np.std(accuracy)), 4),
    }


def _apart(ours: Sequence[float], others: Sequence[float]) -> dict[str, Any]:
    """How accuracies differ on the same draws, splits and seeds; the error is of the mean over these."""
    apart = np.subtract(ours, others)
    return {
        "difference": round(float(apart.mean()), 4),
        "error": round(float(apart.std(ddof=1) / len(apart) ** 0.5), 4),
        "largest_difference": round(float(np.abs(apart).max()), 4),
    }


def _one_by_one(
    packs: Sequence[PackedGraphs], epochs: int, together: Sequence[float], end: float
) -> Iterator[dict[str, Any]]:
    """Up to ten of the trainings once more, one after the other, as long as there is time."""
    alone: list[float] = []
    start = perf_counter()
    while len(alone) < min(len(together), 10):
        if alone and perf_counter() + (perf_counter() - start) / len(alone) > end:
            break
        alone.append(_accuracy(packs, len(alone), _train([_job(packs, len(alone), epochs=epochs)])[0]))
    took = perf_counter() - start
    same = together[: len(alone)]
    row = _whole(f"{len(alone)} of them one by one", epochs, took, alone)
    yield row | {
        "the_same_stacked": round(float(np.mean(same)), 4),
        "largest_difference": round(float(np.abs(np.subtract(alone, same)).max()), 4),
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
    return _whole(f"{count} whole trainings in {processes} processes", epochs, took, accuracy)


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
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs

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


def _job(packs: Sequence[PackedGraphs], number: int, *, epochs: int, half: bool = False) -> Job:
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import Job, TrainingOptions

    packed = packs[number % len(packs)]
    train, validation, _ = _split(packed, number)
    options = TrainingOptions(max_epochs=epochs, min_epochs=epochs, seed=number, half=half)
    return Job(ModelSpec(num_classes=2), options, packed.subset(train), packed.subset(validation))


def _train(jobs: Sequence[Job], *, on_first: Any = None) -> list[Trained]:
    from graphldp.learn.engine.training import train_many

    def report(position: int, record: Any) -> None:
        if on_first is not None and position == 0:
            on_first(record.seconds)

    return train_many(jobs, at_once=len(jobs), on_epoch=report)


def _accuracy(packs: Sequence[PackedGraphs], number: int, trained: Trained) -> float:
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import predict_proba

    packed = packs[number % len(packs)]
    test = packed.subset(_split(packed, number)[2])
    return float((predict_proba(ModelSpec(num_classes=2), trained.state, test).argmax(1) == test.classes).mean())


def _repeatable(packs: Sequence[PackedGraphs]) -> dict[str, Any]:
    """Whether a training gives the same bits again, alone and among others."""
    import torch

    row: dict[str, Any] = {}
    kinds = ("alone", 1, False), ("four as one", 4, False), (_called("four as one", half=True), 4, True)
    for name, size, half in kinds if packs[0].device.type == "cuda" else kinds[:2]:  # half does nothing elsewhere
        jobs = [_job(packs, number, epochs=3, half=half) for number in range(size)]
        runs = [_train(jobs)[0] for _ in range(2)]
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
    parser.add_argument("--limit", type=float, default=500.0, help="seconds after which nothing new is begun")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="of the whole trainings")
    given = parser.parse_args()
    rows = []
    begin = perf_counter()
    options = {name: getattr(given, name) for name in ("device", "sizes", "epochs", "limit")}
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

"""Several trainings as one computation on a GPU, against one by one: trainings a minute, and their accuracy.

REDDIT-BINARY under DPRR at ε = 1; each training has one stratified split and one seed. A few epochs of stacks of each
size are timed. Then the largest stack is trained to its end twice, in single precision and with rows kept in half the
bytes, and some of its trainings one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.speed.gpu import drawn
from numpy.typing import NDArray

from graphldp.experiments.speed import BATCH, classes
from graphldp.learn.selection import split

if TYPE_CHECKING:
    from graphldp.learn.engine.one_training import Training
    from graphldp.learn.engine.packed.batches import PackedGraphs

EPOCHS, SIZES, ALONE = 150, (1, 16, 128), 10
DEVICE = "cuda"


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time; rates are for trainings of :data:`EPOCHS` epochs."""
    import torch

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs

    lists = drawn("REDDIT-BINARY", root)
    packed = PackedGraphs.pack(lists, ModelSpec(num_classes=2), torch.device(DEVICE), classes(lists))
    one_by_one, kinds = 0.0, [(size, False) for size in SIZES] + [(SIZES[-1], True)]
    for size, half in kinds:
        records: list[float] = []
        train(packed, range(size), 6, half=half, on_first=records.append)
        seconds = float(np.mean(records[2:]))  # the first epochs compile and record
        rate = 60 * size / (seconds * EPOCHS)
        one_by_one = one_by_one or rate
        row = {"what": _called(f"{size} as one", half), "seconds_per_epoch": seconds, "trainings_per_minute": rate}
        yield row | {"against_one_by_one": rate / one_by_one}
    accuracies: dict[bool, list[float]] = {}
    for half in (False, True):
        what = _called(f"{SIZES[-1]} whole trainings as one", half)
        row, accuracies[half] = _whole(what, packed, [range(SIZES[-1])], half=half)
        yield row
    apart = np.subtract(accuracies[True], accuracies[False])
    error = apart.std(ddof=1) / len(apart) ** 0.5
    yield {"what": "half the bytes against single", "difference": float(apart.mean()), "error": float(error)}
    row, alone = _whole(f"{ALONE} of them one by one", packed, [range(each, each + 1) for each in range(ALONE)])
    apart = np.subtract(alone, accuracies[False][:ALONE])
    yield row | {"largest_difference": float(np.abs(apart).max())}


def train(
    packed: PackedGraphs, seeds: Sequence[int], epochs: int, *, half: bool = False, on_first: Any = None
) -> list[Training]:
    """Trainings of these seeds as one; seconds of each epoch are told."""
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.one_training import Training, TrainingOptions
    from graphldp.learn.engine.training import train_many

    def job(seed: int) -> Training:
        learn, validation, _ = _split(packed, seed)
        options = TrainingOptions(max_epochs=epochs, min_epochs=epochs, batch_size=BATCH, seed=seed, half=half)
        return Training(ModelSpec(num_classes=2), options, packed.subset(learn), packed.subset(validation))

    def told(position: int, record: Any) -> None:
        if on_first is not None and position == 0:
            on_first(record.seconds)

    return train_many([job(seed) for seed in seeds], at_once=len(seeds), on_epoch=told)


def _whole(
    what: str, packed: PackedGraphs, stacks: Sequence[Sequence[int]], *, half: bool = False
) -> tuple[dict[str, Any], list[float]]:
    """Stacks of trainings to their end, one after the other: a row, and each training's accuracy."""
    start, accuracy = perf_counter(), list[float]()
    for seeds in stacks:
        trained = train(packed, seeds, EPOCHS, half=half)
        accuracy += [_accuracy(packed, seed, each) for seed, each in zip(seeds, trained, strict=True)]
    took = perf_counter() - start
    row = {"what": what, "epochs": EPOCHS, "seconds": took, "trainings_per_minute": 60 * len(accuracy) / took}
    return row | {"test_accuracy": float(np.mean(accuracy)), "spread": float(np.std(accuracy))}, accuracy


def _accuracy(packed: PackedGraphs, seed: int, trained: Training) -> float:
    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.training import predict_proba

    test = packed.subset(_split(packed, seed)[2])
    return float((predict_proba(ModelSpec(num_classes=2), trained.state, test).argmax(1) == test.classes).mean())


def _split(packed: PackedGraphs, seed: int) -> Sequence[NDArray[np.int64]]:
    return split(packed.classes, (0.75, 0.10, 0.15), seed)


def _called(what: str, half: bool) -> str:
    return f"{what}, half the bytes" if half else what

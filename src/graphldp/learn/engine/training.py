"""The training loop: Adam, a step schedule, early stopping on validation loss, the best weights restored.

One training leaves a large chip idle, so several of one architecture (seeds, noise draws, splits, grid points) run as
one computation: see :mod:`graphldp.learn.engine.stacking.stack`. A job's random draws come from its own seed alone,
through one stream for each use, so it gives the same numbers alone or among others, up to the rounding of sums.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import DataError, ParameterError, TrainingError, bad_parameter, check_whole
from graphldp.learn.engine import gin
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import EpochRecord, Training
from graphldp.learn.engine.packed.batches import PackedGraphs, gather
from graphldp.learn.engine.packed.packing import kind_of
from graphldp.learn.engine.rows import passes_for
from graphldp.learn.engine.stacking.stack import Stack
from graphldp.learn.engine.threads import threads_that_suit


def train_many(
    trainings: Sequence[Training],
    *,
    at_once: int | None = None,
    on_epoch: Callable[[int, EpochRecord], None] | None = None,
) -> list[Training]:
    """Train several models of one architecture as one computation; see :func:`train_each`. They stay as they are.

    ``on_epoch`` is called with a training's position after each of its epochs.
    """
    copies = [replace(each) for each in trainings]
    report = None if on_epoch is None else lambda each, record: on_epoch(copies.index(each), record)
    for _ in train_each(copies, at_once=at_once, on_epoch=report):
        pass
    return copies


def train_each(
    trainings: Sequence[Training],
    *,
    at_once: int | None = None,
    on_epoch: Callable[[Training, EpochRecord], None] | None = None,
    deadline: float = math.inf,
) -> Iterator[Training]:
    """Train several models of one architecture as one computation, and hand each out when it is over.

    Args:
        trainings: each with its own dropout, options and graphs. They begin anew, if they had begun.
        at_once: how many run beside each other at most; when one ends, the next takes its place. By default 64 on
            a GPU, and one after the other elsewhere, where a single one fills the machine.
        on_epoch: called with a training after each of its epochs.
        deadline: of ``time.monotonic()``; what is not over by then is left out.
    """
    _check(trainings)
    if at_once is None:
        at_once = 64 if trainings and trainings[0].train_set.device.type == "cuda" else 1
    check_whole(at_once, "at_once", "train_many", 1)
    for each in trainings:
        each.begin()
    waiting = deque(sorted(trainings, key=_joins))
    stack = Stack(trainings[0].spec) if trainings else None
    while stack is not None and (waiting or stack.members) and time.monotonic() < deadline:
        stack.admit(_arriving(waiting, stack.members, at_once))
        start = time.perf_counter()
        first, users = stack.members[0], sum(each.batch_users for each in stack.members)
        with threads_that_suit(users, first.train_set.device, len(stack.members), first.work):
            losses = stack.epoch()
        seconds = time.perf_counter() - start
        improved = []
        for each, (train_loss, val_loss, val_accuracy) in zip(stack.members, losses.tolist(), strict=True):
            each.seconds += seconds / len(stack.members)
            if not (np.isfinite(train_loss) and np.isfinite(val_loss)):
                raise TrainingError(
                    f"The loss of training {trainings.index(each)} is not a finite number in epoch {each.epochs}"
                    f" (learning rate {each.options.lr}): try a lower learning rate."
                )
            improved.append(each.record(train_loss, val_loss, val_accuracy, seconds))
            if on_epoch is not None:
                on_epoch(each, each.history[-1])
        stack.keep_best(improved)
        yield from stack.dismiss()


def _joins(training: Training) -> tuple[bool, bool, bool]:
    """Trainings run beside each other where these agree: dense graphs are not joined with others."""
    return training.train_set.store.dense, training.validation.store.dense, training.options.half


def _arriving(waiting: deque[Training], present: Sequence[Training], at_once: int) -> list[Training]:
    """The trainings that join next. An arrival joins all graphs anew, so they wait for a quarter of the places."""
    free = at_once - len(present)
    if not waiting or 4 * free < at_once:
        return []
    alike = _joins(present[0] if present else waiting[0])
    count = sum(_joins(each) == alike for each in waiting)
    first = count if _joins(waiting[0]) == alike else 0
    return [waiting.popleft() for _ in range(min(free, first))]


def predict_proba(
    spec: ModelSpec, state: Mapping[str, Tensor], packed: PackedGraphs, batch_size: int = 256
) -> NDArray[np.float64]:
    """The probabilities [graphs, classes] that a trained model gives to each class."""
    _check_pack(spec, packed)
    count = len(packed)
    steps = -(-count // batch_size)
    ids = np.full(steps * batch_size, len(packed.store.sizes), dtype=np.int64)
    ids[:count] = packed.ids
    parts = [torch.zeros(0, spec.num_classes, dtype=packed.dtype, device=packed.device)]
    with torch.no_grad(), threads_that_suit(math.inf, packed.device, 1, packed.users):
        parts += _scored(spec, state, packed, ids.reshape(steps, 1, batch_size))
    chances = torch.softmax(torch.cat(parts)[:count].double(), dim=1)
    return np.asarray(chances.cpu().numpy())


def _scored(
    spec: ModelSpec, state: Mapping[str, Tensor], packed: PackedGraphs, ids: NDArray[np.int64]
) -> Iterator[Tensor]:
    """The scores [B, classes] of batch after batch."""
    passes = passes_for(packed.device, 1, packed.users)
    if passes is not None:
        network = passes.Network.of(spec, state, packed.dtype)
        yield from (torch.from_numpy(network.scores(batch)) for batch in passes.gather(packed.store, ids, spec.layers))
        return
    params, running = (
        {name: state[name].to(packed.device, packed.dtype)[None] for name in slots(spec)}
        for slots in (gin.parameters, gin.statistics)
    )
    for batch in gather(packed.store, ids, spec.layers):
        yield gin.scores(spec, params, running, batch)[0]


def resolve_device(name: str) -> torch.device:
    """The device of a name: ``"auto"`` is the first GPU where there is one, else the CPU."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError):
        device = None
    if device is None or device.type not in ("cpu", "cuda", "mps"):
        here = torch.cuda.device_count()
        found = f"{here} 'cuda' device{'s' * (here > 1)}" if here else "no 'cuda' device that torch can use"
        raise bad_parameter("device", "graphldp", f"'auto', 'cpu', or a GPU of this machine, which has {found}", name)
    return device


def _check(trainings: Sequence[Training]) -> None:
    for each in trainings:
        if replace(each.spec, dropout=0.0) != replace(trainings[0].spec, dropout=0.0):
            raise ParameterError("Trainings that run together must have one architecture; only dropout may differ.")
        for name, packed in (("train_set", each.train_set), ("validation", each.validation)):
            _check_pack(each.spec, packed)
            if (packed.device, packed.dtype) != (trainings[0].train_set.device, trainings[0].train_set.dtype):
                raise ParameterError("Trainings that run together must have their graphs on one device.")
            if packed.classes is None:
                raise DataError(f"The graphs of {name} have no labels to learn from.")
            if not len(packed):
                raise DataError(f"There are no graphs in {name}.")


def _check_pack(spec: ModelSpec, packed: PackedGraphs) -> None:
    if packed.store.kind != kind_of(spec) or len(packed.store.rounds) < spec.layers:
        raise ParameterError("The graphs were packed for models of another kind: pack them for this one.")

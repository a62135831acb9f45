"""Training: Adam, a step schedule, early stopping on validation loss, the best weights restored.

One training leaves a large chip idle, so several of one architecture (seeds, noise draws, splits, grid points) run as
one computation: see :mod:`graphldp.learn.engine.stacking.stack`. A job's random draws come from its own seed alone,
through one stream for each use, so it gives the same numbers alone or among others, up to the rounding of sums.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import DataError, ParameterError, TrainingError, bad_parameter
from graphldp.learn.engine import gin
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs, gather
from graphldp.learn.engine.packed.packing import kind_of
from graphldp.learn.engine.rows import passes_for
from graphldp.learn.engine.stacking.members import Member
from graphldp.learn.engine.stacking.stack import Stack
from graphldp.learn.engine.threads import one_thread_a_product, threads_of


@dataclass(frozen=True)
class TrainingOptions:
    """How to train; the defaults are the paper's.

    Args:
        lr: learning rate of Adam at the start.
        batch_size: graphs in a batch; the last batch of an epoch may be smaller.
        max_epochs: no training is longer.
        min_epochs: no training stops earlier.
        patience: epochs without a lower validation loss after which training stops.
        lr_step: epochs after which the learning rate is multiplied by ``lr_decay``, again and again.
        lr_decay: see ``lr_step``.
        seed: of the starting weights, the shuffling and dropout.
        half: on a GPU, keep what is computed for each row in half the bytes (bfloat16), which is faster; weights, sums
            and statistics stay in single precision. Numbers then agree to two digits, and accuracies on average.
    """

    lr: float = 0.01
    batch_size: int = 64
    max_epochs: int = 500
    min_epochs: int = 100
    patience: int = 30
    lr_step: int = 50
    lr_decay: float = 0.5
    seed: int = 0
    half: bool = False

    def __post_init__(self) -> None:
        least = {"batch_size": 1, "max_epochs": 1, "min_epochs": 0, "patience": 1, "lr_step": 1, "seed": 0}
        for name, low in least.items():
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < low:
                raise bad_parameter(name, "TrainingOptions", f"a whole number of at least {low}", value)
        for name in ("lr", "lr_decay"):
            value = getattr(self, name)
            if not (0 < value < float("inf")):
                raise bad_parameter(name, "TrainingOptions", "a positive number", value)
        if not isinstance(self.half, bool):
            raise bad_parameter("half", "TrainingOptions", "True or False", self.half)


@dataclass(frozen=True)
class EpochRecord:
    """What one epoch came to.

    Args:
        epoch: its number, from 1.
        train_loss: mean cross entropy over the training graphs, as trained on (with dropout).
        val_loss: mean cross entropy over the validation graphs.
        val_accuracy: share of validation graphs classified correctly.
        best_epoch: the epoch with the lowest validation loss so far.
        seconds: how long the epoch took, together with the epochs of the jobs that ran beside it.
    """

    epoch: int
    train_loss: float
    val_loss: float
    val_accuracy: float
    best_epoch: int
    seconds: float


@dataclass(frozen=True)
class Job:
    """One training: a model, how to train it, and on what."""

    spec: ModelSpec
    options: TrainingOptions
    train_set: PackedGraphs
    validation: PackedGraphs


@dataclass(frozen=True)
class Trained:
    """What a training leaves: the best weights, on the CPU, its history, and its share of the time in seconds."""

    state: dict[str, Tensor]
    history: list[EpochRecord] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def best_epoch(self) -> int:
        """The epoch that the weights are from."""
        return self.history[-1].best_epoch


def train(
    spec: ModelSpec,
    options: TrainingOptions,
    train_set: PackedGraphs,
    validation: PackedGraphs,
    *,
    on_epoch: Callable[[EpochRecord], None] | None = None,
) -> Trained:
    """Train one model.

    Args:
        spec: what the model looks like.
        options: how to train it.
        train_set: labelled graphs to learn from.
        validation: labelled graphs to stop by.
        on_epoch: called after each epoch.

    Raises:
        TrainingError: where a loss is not a number.
    """
    report = None if on_epoch is None else lambda _, record: on_epoch(record)
    return train_many([Job(spec, options, train_set, validation)], on_epoch=report)[0]


def train_many(
    jobs: Sequence[Job],
    *,
    at_once: int | None = None,
    on_epoch: Callable[[int, EpochRecord], None] | None = None,
) -> list[Trained]:
    """Train several models of one architecture as one computation.

    Args:
        jobs: the trainings; dropout, options and graphs may differ.
        at_once: how many run beside each other at most; when one ends, the next takes its place. By default 64 on
            a GPU, and one after the other elsewhere, where a single one fills the machine.
        on_epoch: called with the job's position after each of its epochs.

    Raises:
        TrainingError: where a loss is not a number.
    """
    results = dict(train_each(jobs, at_once=at_once, on_epoch=on_epoch))
    return [results[position] for position in range(len(jobs))]


def train_each(
    jobs: Sequence[Job],
    *,
    at_once: int | None = None,
    on_epoch: Callable[[int, EpochRecord], None] | None = None,
    deadline: float = math.inf,
) -> Iterator[tuple[int, Trained]]:
    """Train several models like :func:`train_many`, and hand each out as it is finished, with its position.

    Args:
        jobs: see there.
        at_once: see there.
        on_epoch: see there.
        deadline: of ``time.monotonic()``; what is not finished by then is left out.
    """
    _check(jobs)
    if at_once is None:
        at_once = 64 if jobs and jobs[0].train_set.device.type == "cuda" else 1
    if at_once < 1:
        raise bad_parameter("at_once", "train_many", "a whole number of at least 1", at_once)
    waiting = deque(sorted(enumerate(jobs), key=lambda each: _joins(each[1])))
    histories: list[list[EpochRecord]] = [[] for _ in jobs]
    shares = [0.0] * len(jobs)
    stack = Stack(jobs[0].spec) if jobs else None
    while stack is not None and (waiting or stack.members) and time.monotonic() < deadline:
        arriving = _arriving(waiting, [jobs[member.position] for member in stack.members], at_once)
        stack.admit(
            [Member(position, job.spec, job.options, job.train_set, job.validation) for position, job in arriving]
        )
        start = time.perf_counter()
        with threads_of(stack.members):
            losses = stack.epoch()
        seconds = time.perf_counter() - start
        improved, finished = [], []
        for member, (train_loss, val_loss, val_accuracy) in zip(stack.members, losses.tolist(), strict=True):
            history, options = histories[member.position], member.options
            shares[member.position] += seconds / len(stack.members)
            epoch = len(history) + 1
            if not (np.isfinite(train_loss) and np.isfinite(val_loss)):
                raise TrainingError(
                    f"The loss of training {member.position} is not a finite number in epoch {epoch}"
                    f" (learning rate {options.lr}): try a lower learning rate."
                )
            best = history[-1].best_epoch if history else 0
            better = not best or val_loss < history[best - 1].val_loss
            best = epoch if better else best
            history.append(EpochRecord(epoch, train_loss, val_loss, val_accuracy, best, seconds))
            improved.append(better)
            late = epoch >= options.min_epochs and epoch - best >= options.patience
            finished.append(late or epoch == options.max_epochs)
            if on_epoch is not None:
                on_epoch(member.position, history[-1])
        stack.keep_best(improved)
        for position, state in stack.dismiss(finished).items():
            yield position, Trained(state, histories[position], shares[position])


def _joins(job: Job) -> tuple[bool, bool, bool]:
    """Jobs run beside each other where these agree: dense graphs are not joined with others."""
    return job.train_set.store.dense, job.validation.store.dense, job.options.half


def _arriving(waiting: deque[tuple[int, Job]], present: Sequence[Job], at_once: int) -> list[tuple[int, Job]]:
    """Who joins next. Every arrival puts the graphs of all together anew, so they wait for a quarter of the places."""
    free = at_once - len(present)
    if not waiting or 4 * free < at_once:
        return []
    alike = _joins(present[0] if present else waiting[0][1])
    count = sum(_joins(job) == alike for _, job in waiting)
    first = count if _joins(waiting[0][1]) == alike else 0
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
    with torch.no_grad(), one_thread_a_product(packed.device, 1):
        parts += _scored(spec, state, packed, ids.reshape(steps, 1, batch_size))
    chances = torch.softmax(torch.cat(parts)[:count].double(), dim=1)
    return np.asarray(chances.cpu().numpy())


def _scored(
    spec: ModelSpec, state: Mapping[str, Tensor], packed: PackedGraphs, ids: NDArray[np.int64]
) -> Iterator[Tensor]:
    """The scores [B, classes] of batch after batch."""
    passes = passes_for(packed.device, 1)
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
        raise bad_parameter("device", "graphldp", "'auto', 'cpu', or a 'cuda' or 'mps' device of this machine", name)
    return device


def _check(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if replace(job.spec, dropout=0.0) != replace(jobs[0].spec, dropout=0.0):
            raise ParameterError("Trainings that run together must have one architecture; only dropout may differ.")
        for name, packed in (("train_set", job.train_set), ("validation", job.validation)):
            _check_pack(job.spec, packed)
            if (packed.device, packed.dtype) != (jobs[0].train_set.device, jobs[0].train_set.dtype):
                raise ParameterError("Trainings that run together must have their graphs on one device.")
            if packed.classes is None:
                raise DataError(f"The graphs of {name} have no labels to learn from.")
            if not len(packed):
                raise DataError(f"There are no graphs in {name}.")


def _check_pack(spec: ModelSpec, packed: PackedGraphs) -> None:
    if packed.store.kind != kind_of(spec) or len(packed.store.rounds) < spec.layers:
        raise ParameterError("The graphs were packed for models of another kind: pack them for this one.")

"""One training: how it is done, on what, what its epochs draw, how far it is, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import bad_parameter, check_whole
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs

STEP = 1000
"""Users that take as long as a step without any."""
STREAMS = {"weights": 0, "shuffle": 1, "dropout": 2}


@dataclass(frozen=True)
class TrainingOptions:
    """The options of a training; parameters and defaults as of :class:`~graphldp.learn.classifier.GraphClassifier`.

    With ``half``, what is computed for each row on a GPU is kept as bfloat16; weights, sums and statistics stay in
    single precision. Numbers then agree to two digits, and accuracies on average.
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
            check_whole(getattr(self, name), name, "TrainingOptions", low)
        for name in ("lr", "lr_decay"):
            value = getattr(self, name)
            if not (0 < value < float("inf")):
                raise bad_parameter(name, "TrainingOptions", "a positive number", value)
        if not isinstance(self.half, bool):
            raise bad_parameter("half", "TrainingOptions", "True or False", self.half)


@dataclass(frozen=True)
class EpochRecord:
    """The record of an epoch.

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


class Draws(NamedTuple):
    """What one epoch draws: the order of its graphs; and in that order [graphs, spec.dropouts] numbers in [0, 1)."""

    order: NDArray[np.int64]
    dropout: NDArray[np.float32]


@dataclass(eq=False)
class Training:
    """One training. Its random draws come from its own seed alone, by one stream for each use.

    ``classes`` are the labels in the order of the scores, and ``provenance`` is what the model says of where it comes
    from. So many ``epochs`` are computed; the last one's record may be yet to come. ``state`` are the best weights, on
    the CPU, once it is over, and ``seconds`` its share of the time.
    """

    spec: ModelSpec
    options: TrainingOptions
    train_set: PackedGraphs
    validation: PackedGraphs
    classes: NDArray[Any] | None = None
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)
    history: list[EpochRecord] = field(init=False)
    seconds: float = field(init=False)
    epochs: int = field(init=False)
    state: dict[str, Tensor] = field(init=False)
    streams: dict[str, np.random.Generator] = field(init=False)
    _coming: Draws | None = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Go back to where it begins."""
        self.history, self.seconds, self.epochs, self.state, self._coming = [], 0.0, 0, {}, None
        self.streams = {
            name: np.random.default_rng(np.random.SeedSequence(int(self.options.seed), spawn_key=(number,)))
            for name, number in STREAMS.items()
        }

    @property
    def best_epoch(self) -> int:
        """The epoch with the lowest validation loss, whose weights are kept; 0 before the first is over."""
        return self.history[-1].best_epoch if self.history else 0

    @property
    def work(self) -> float:
        """Users of all epochs, and :data:`STEP` more for each step."""
        return float(self.train_set.users + STEP * self.batches) * self.options.max_epochs

    @property
    def batches(self) -> int:
        """Steps of one epoch; the last batch may be smaller."""
        return -(-len(self.train_set) // int(self.options.batch_size))

    @property
    def batch_users(self) -> float:
        """The mean number of users in a batch."""
        sizes = self.train_set.store.sizes[self.train_set.ids]
        return float(sizes.mean()) * min(self.options.batch_size, len(sizes))

    @property
    def coming(self) -> Draws:
        """The draws of its next epoch: the same until that epoch is over, however often it is asked for."""
        if self._coming is None:
            count = len(self.train_set)
            order = self.streams["shuffle"].permutation(count)
            dropout = self.streams["dropout"].random((count, self.spec.dropouts), dtype=np.float32)
            self._coming = Draws(order, dropout)
        return self._coming

    def end_epoch(self) -> None:
        """Count an epoch that is computed."""
        self.epochs += 1
        self._coming = None

    def record(self, train_loss: float, val_loss: float, val_accuracy: float, seconds: float) -> bool:
        """Note an epoch's record; gives whether its validation loss is the lowest so far."""
        epoch, best = len(self.history) + 1, self.best_epoch
        better = not best or val_loss < self.history[best - 1].val_loss
        self.history.append(EpochRecord(epoch, train_loss, val_loss, val_accuracy, epoch if better else best, seconds))
        return better

    @property
    def over(self) -> bool:
        """Whether it stops after the last epoch of its history."""
        done = len(self.history)
        return done == self.options.max_epochs or (
            done >= self.options.min_epochs and done - self.best_epoch >= self.options.patience
        )

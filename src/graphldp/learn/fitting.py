"""The fitting of trainings to networks: one way, for a single classifier and for an experiment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import GraphLDPError
from graphldp.learn.calibration import Calibration
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import EpochRecord, Training, TrainingOptions
from graphldp.learn.engine.training import predict_proba, train_each

OnEpoch = Callable[[Training, EpochRecord], None]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted network: the weights of its best epoch, on the CPU, calibrated, and how they came about."""

    classes: NDArray[Any]
    spec: ModelSpec
    options: TrainingOptions
    weights: dict[str, Tensor]
    history: list[EpochRecord]
    provenance: dict[str, Any]
    calibration: Calibration
    seconds: float = 0.0

    @classmethod
    def of(cls, training: Training) -> Fitted:
        """The network of a training that is over, calibrated by its validation graphs."""
        held_out = training.validation
        known = np.asarray(held_out.classes)
        chances = predict_proba(training.spec, training.state, held_out)
        classes = np.arange(training.spec.num_classes) if training.classes is None else training.classes
        own = classes, training.spec, training.options, training.state, training.history, training.provenance
        return cls(*own, Calibration.fit(chances, known), training.seconds)

    @property
    def best(self) -> EpochRecord:
        """The epoch that the weights are from."""
        return self.history[self.history[-1].best_epoch - 1]


def fit_each(
    trainings: Sequence[Training],
    *,
    at_once: int | None = None,
    deadline: float = math.inf,
    on_epoch: OnEpoch | None = None,
) -> Iterator[tuple[Training, Fitted | Exception]]:
    """Fit networks, those of one architecture as one computation, and hand each out when it is over.

    Where a loss is not a number, or memory is full, the others are trained again without the training to blame, which
    is found by halves and handed out with its error. For the arguments see
    :func:`graphldp.learn.engine.training.train_each`.
    """
    for _, alike in groupby(sorted(trainings, key=_architecture), key=_architecture):
        yield from _fit_alike(list(alike), at_once, deadline, on_epoch)


def _architecture(training: Training) -> str:
    return f"{training.train_set.device} {replace(training.spec, dropout=0.0)}"


def _fit_alike(
    trainings: Sequence[Training], at_once: int | None, deadline: float, on_epoch: OnEpoch | None
) -> Iterator[tuple[Training, Fitted | Exception]]:
    left = list(trainings)
    broken: Exception | None = None
    try:
        for each in train_each(trainings, at_once=at_once, deadline=deadline, on_epoch=on_epoch):
            fitted = Fitted.of(each)
            left.remove(each)
            yield each, fitted
    except (GraphLDPError, RuntimeError) as error:  # RuntimeError: a GPU whose memory is full
        if len(trainings) == 1:
            yield trainings[0], error
            return
        broken = error.with_traceback(None)  # which holds on to the failed stack's memory
    if broken is not None:
        half = -(-len(left) // 2)
        for part in (left[:half], left[half:]):
            yield from _fit_alike(part, at_once, deadline, on_epoch)

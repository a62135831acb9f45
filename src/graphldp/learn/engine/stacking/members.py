"""Trainings in a stack: who each is, what it needs, and what its epochs draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.store import GraphStore

if TYPE_CHECKING:
    from graphldp.learn.engine.training import TrainingOptions

STREAMS = {"weights": 0, "shuffle": 1, "dropout": 2}


@dataclass(frozen=True)
class Draws:
    """What one epoch of a training draws.

    Args:
        order: int64 [graphs], in which its graphs come.
        dropout: float32 [graphs, spec.dropouts] in that order, uniform in [0, 1).
    """

    order: NDArray[np.int64]
    dropout: NDArray[np.float32]


@dataclass
class Member:
    """One training in the stack: who it is, what it needs, and its own random streams."""

    position: int
    spec: ModelSpec
    options: TrainingOptions
    train_set: PackedGraphs
    validation: PackedGraphs
    epochs: int = 0
    steps: int = 0
    streams: dict[str, np.random.Generator] = field(init=False)
    _coming: Draws | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.streams = {
            name: np.random.default_rng(np.random.SeedSequence(int(self.options.seed), spawn_key=(number,)))
            for name, number in STREAMS.items()
        }

    @cached_property
    def stores(self) -> tuple[GraphStore, GraphStore]:
        """The packed graphs it trains and validates on."""
        return self.train_set.store, self.validation.store

    @property
    def batches(self) -> int:
        """Steps of one epoch; the last batch may be smaller."""
        return -(-len(self.train_set) // int(self.options.batch_size))

    @property
    def coming(self) -> Draws:
        """What its next epoch draws: the same until that epoch is over, however often it is asked for."""
        if self._coming is None:
            count = len(self.train_set)
            order = self.streams["shuffle"].permutation(count)
            dropout = self.streams["dropout"].random((count, self.spec.dropouts), dtype=np.float32)
            self._coming = Draws(order, dropout)
        return self._coming

    def end_epoch(self) -> None:
        """Count an epoch that is over."""
        self.epochs += 1
        self.steps += self.batches
        self._coming = None

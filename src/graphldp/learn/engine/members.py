"""Trainings in a stack: who each is, what it needs, and what its epochs draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphldp.learn.engine.batches import PackedGraphs
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.store import GraphStore

if TYPE_CHECKING:
    from graphldp.learn.engine.training import TrainingOptions

STREAMS = {"weights": 0, "shuffle": 1, "dropout": 2}


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

    def __post_init__(self) -> None:
        self.streams = {
            name: np.random.default_rng(np.random.SeedSequence(int(self.options.seed), spawn_key=(number,)))
            for name, number in STREAMS.items()
        }

    @cached_property
    def stores(self) -> tuple[GraphStore, GraphStore]:
        """The packed graphs it trains and validates on."""
        return self.train_set.store, self.validation.store

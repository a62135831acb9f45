"""The rows that the network's operations work on: distinct colours, each standing for as many users as share it.

Rows are laid out as [T, B, C]: T tiles of B rows, each tile belonging to one of S models. One model has one tile;
several have their rows filled up to whole tiles, so that a linear map is one batched product whatever the number of
rows of each model. A filling row stands for no user: it weighs nothing in batch norm and readout, and nobody
aggregates over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Protocol

import torch
from torch import Tensor

Map = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]
"""A linear map with batch norm: weight [S, outputs, inputs]; bias, gamma, beta, running mean and var [S, outputs]."""
Head = tuple[Tensor, Tensor]
"""A linear map of what is read out: weight [S, classes, inputs] and bias [S, classes]."""

EPS = 1e-5
MOMENTUM = 0.1  # both as in torch.nn.BatchNorm1d


@cache
def kernels_for(device: torch.device, dtype: torch.dtype) -> ModuleType:
    """The operations by compiled kernels (:mod:`graphldp.learn.engine.cuda`) where there are some, else by torch's."""
    served = device.type == "cuda" and dtype == torch.float32 and find_spec("triton") is not None
    return import_module(f"graphldp.learn.engine.{'cuda' if served else 'plain'}")


PAYS = 3e5
"""Users times epochs up to which plain operations take at most 3 s longer; to compile passes takes 20."""


@contextmanager
def always_compiled() -> Iterator[None]:
    """Inside the block compiled passes train, however little there is: what measures them asks for this."""
    global PAYS
    before, PAYS = PAYS, 0.0
    try:
        yield
    finally:
        PAYS = before


@cache
def compiles(device: torch.device) -> bool:
    """Whether there are compiled passes for a device: for a CPU, where what compiles them is installed."""
    parts = "numba", "scipy", "threadpoolctl"
    return device.type == "cpu" and all(find_spec(part) is not None for part in parts)


def passes_for(device: torch.device, models: int, work: float) -> ModuleType | None:
    """Compiled passes of one model on a CPU (:mod:`graphldp.learn.engine.cpu`), None where they do not pay.

    ``work`` are users times epochs, a public number that depends on nothing else, so the same work has the same bits.
    """
    served = models == 1 and work >= PAYS and compiles(device)
    return import_module("graphldp.learn.engine.cpu") if served else None


class Operator(Protocol):
    """Something that rows [rows, C] can be multiplied by."""

    def __matmul__(self, x: Tensor, /) -> Tensor: ...


@dataclass(frozen=True)
class Tiles:
    """Which model each tile of rows belongs to.

    Args:
        model: int64 [T], rising.
        num_models: S.
        size: rows in a tile.
        first: [S + 1], each model's first tile.
    """

    model: Tensor
    num_models: int
    size: int
    first: Tensor

    def spread(self, values: Tensor) -> Tensor:
        """Each model's values [S, …], for each tile [T, …]."""
        return values if self._alone else values.index_select(0, self.model)

    def collect(self, values: Tensor) -> Tensor:
        """The sum over each model's tiles, [T, …] to [S, …]: as a product, which has a fixed order on every device."""
        if self._alone:
            return values
        models = torch.arange(self.num_models, device=values.device)
        member = (models[:, None] == self.model).to(values.dtype)
        return (member @ values.flatten(1)).view(-1, *values.shape[1:])

    @property
    def _alone(self) -> bool:
        """Whether there is one tile of one model; of several models, one alone may have rows too."""
        return self.num_models == self.model.shape[0] == 1


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix and its transpose: what rows or graphs take from rows, and how gradients flow back."""

    forward: Operator
    backward: Operator


@dataclass(frozen=True)
class Users:
    """The number of users that each model's rows stand for, ``count`` [S, 1], and what batch norm makes of it."""

    count: Tensor

    @cached_property
    def divisor(self) -> Tensor:
        """Their number, 1 where there are none."""
        return self.count.clamp(min=1)

    @cached_property
    def unbiased(self) -> Tensor:
        """n / (n - 1), by which the running variance is larger than the batch's own."""
        return self.divisor / (self.divisor - 1).clamp(min=1)

    @cached_property
    def rate(self) -> Tensor:
        """How far the running statistics move; a model without a graph in this batch keeps its own."""
        return MOMENTUM * (self.count > 0).to(self.count.dtype)


@dataclass(frozen=True)
class Rows:
    """The rows of a batch after one round.

    Args:
        tiles: how they are laid out.
        counts: [T, B, 1], how many users each row stands for.
        together: the users of each model's rows.
        readout: [blocks, rows], the users of each row in each graph; a model's last block is its filling rows.
        matrices: what each row aggregates over, one or more.
        kept: how compiled kernels keep what they compute for each row: in single precision, or in half its bytes.
    """

    tiles: Tiles
    counts: Tensor
    together: Users
    readout: Matrix
    matrices: tuple[Matrix, ...]
    kept: torch.dtype = torch.float32


@dataclass(frozen=True)
class RowBatch:
    """B graphs for each of S models, on the device.

    Args:
        features: [T, B, width], of the rows of round 0.
        rounds: the rows after each round, and what they aggregate over.
        users: [S, B], users in each graph; 0 where a model has fewer graphs.
        summaries: [S, B, numbers], what a graph-level head sees of each graph.
    """

    features: Tensor
    rounds: tuple[Rows, ...]
    users: Tensor
    summaries: Tensor

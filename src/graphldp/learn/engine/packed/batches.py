"""Graphs on a device, and batches gathered from them there.

A batch is a gather of blocks (:mod:`graphldp.learn.engine.packed.store`): a table of what comes from where. The host
knows every block's size, so the tables of all steps of an epoch are made at once, and sent at once. Compiled kernels
read what a batch takes where the store keeps it, without a copy and without asking the device for a size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from graphldp.errors import DataError
from graphldp.learn.engine.packed import packing
from graphldp.learn.engine.packed.layout import index_type, lay_out, room_for, send
from graphldp.learn.engine.packed.store import Blocks, Dense, GraphStore
from graphldp.learn.engine.rows import Matrix, RowBatch, Rows, Tiles, Users, kernels_for
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.engine.gin import ModelSpec


TILE = 512  # rows; a model's last tile is half empty on average
SMALL_TILE = 128  # where few models leave a chip idle
FEW = 8

Room = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """Graphs packed on a device, ready for batches.

    Args:
        store: the packed graphs.
        ids: int64, which of them, on the host.
        classes: int64, the class of each graph of ``ids`` as 0 … C-1, or None.

    ::

        packed = PackedGraphs.pack(reports, spec, device, classes=codes)
        train, validation = packed.subset(train_ids), packed.subset(validation_ids)  # both share the packed graphs
    """

    store: GraphStore
    ids: NDArray[np.int64]
    classes: NDArray[np.int64] | None = None

    @classmethod
    def pack(
        cls,
        lists: NeighbourLists,
        spec: ModelSpec,
        device: torch.device,
        classes: ArrayLike | None = None,
        *,
        dtype: torch.dtype = torch.float32,
    ) -> Self:
        """Pack a set of graphs for models of one kind.

        Args:
            lists: the graphs; users who have not reported leave theirs.
            spec: what the models look like; the packed graphs serve any model of the same kind
                (:func:`~graphldp.learn.engine.packed.packing.kind_of`) with at most as many layers.
            device: where the graphs are to live.
            classes: one number 0 … C-1 per graph, where they are known.
            dtype: in which models compute.
        """
        graphs = lists.induced() if isinstance(lists, Reports) else lists
        codes = None if classes is None else np.asarray(classes, dtype=np.int64)
        if codes is not None and (codes.shape != graphs.shape or ((codes < 0) | (codes >= spec.num_classes)).any()):
            raise DataError(f"classes must hold a number from 0 to {spec.num_classes - 1} for each graph.")
        store = packing.build(graphs, spec, device, dtype)
        return cls(store, np.arange(graphs.num_graphs), codes)

    def __len__(self) -> int:
        return len(self.ids)

    def subset(self, positions: ArrayLike) -> Self:
        """The graphs at these positions; nothing is copied on the device."""
        picked = np.asarray(positions, dtype=np.int64)
        return replace(self, ids=self.ids[picked], classes=None if self.classes is None else self.classes[picked])

    @property
    def users(self) -> int:
        """The number of users of these graphs together."""
        return int(self.store.sizes[self.ids].sum())

    @property
    def device(self) -> torch.device:
        """The device of the graphs."""
        return self.store.codes.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of numbers in which models compute."""
        return self.store.dtype


def gather(store: GraphStore, ids: NDArray[np.int64], layers: int) -> Iterator[RowBatch]:
    """The batches of some graphs, one for each step; see :class:`Batches`."""
    yield from Batches(store, ids, layers, kernels_for(store.codes.device, store.dtype))


class Batches:
    """The batches of some steps.

    Args:
        store: packed graphs.
        ids: int64 [steps, S, B], which graphs; the number of graphs in the store where a model has fewer.
        layers: how many rounds the models use, the input's counted.
        kernels: the operations, see :func:`graphldp.learn.engine.rows.kernels_for`. Compiled ones get a little more
            room than a batch needs, so that few shapes serve all batches; filling rows stand for nobody.
        kept: see :class:`~graphldp.learn.engine.rows.Rows`.
    """

    def __init__(
        self,
        store: GraphStore,
        ids: NDArray[np.int64],
        layers: int,
        kernels: ModuleType,
        kept: torch.dtype = torch.float32,
    ) -> None:
        self._kept = kept
        self._store, self._kernels, self._shape = store, kernels, ids.shape[1:]
        self._rounds = store.rounds[:layers]
        models = ids.shape[1]
        if kernels.COMPILED:
            self._tile = SMALL_TILE if models < FEW else TILE
        else:
            self._tile = 1 if models == 1 else TILE
        distinct = [k for k, each in enumerate(self._rounds) if k == 0 or each is not self._rounds[k - 1]]
        self._place = [sum(k <= each for k in distinct) - 1 for each in range(len(self._rounds))]
        pointers = [self._rounds[k].row_ptr for k in distinct]
        parts = -(-np.append(store.sizes, 0) // kernels.PART) if store.dense else np.zeros(len(store.sizes) + 1, int)
        sizes = np.stack([*(np.append(np.diff(each), 0)[ids].sum(2) for each in pointers), parts[ids].sum(2)])
        if kernels.COMPILED:
            room = room_for(sizes.sum(2), np.array([*(each[-1] for each in pointers), parts.sum()]), models)
            # a model's last tile is filled up, so S models take up to S - 1 tiles more than one with all their rows
            room[:-1] = (-(-room[:-1] // self._tile) + models - 1) * self._tile
        else:
            room = (-(-sizes // self._tile) * self._tile).sum(2)
        self.rooms: list[Room] = [tuple(each) for each in room.T.tolist()]
        tables = [lay_out(each, ids, self._tile, total) for each, total in zip(pointers, room, strict=False)]
        self._widths = [ids[0].size, *(each for table in tables for each in (table.shape[2] - 1, table.shape[2]))]
        flat = [ids.reshape(len(ids), -1), *(each for table in tables for each in (table[1, :, :-1], table[2]))]
        device = store.codes.device
        self._places = send(np.hstack(flat), device, index_type(*pointers, *tables))
        self._users = send(np.append(store.sizes, 0)[ids], device, store.dtype)
        begin = tables[-1][2, :, :-1].reshape(len(ids), models, -1)[:, :, :-1].reshape(len(ids), -1)
        self._programs = send(_programs(ids, parts, begin, room[-1]), device, torch.int64)

    def __iter__(self) -> Iterator[RowBatch]:
        return (self.make(room, *self.tables(step)) for step, room in enumerate(self.rooms))

    def tables(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """What :meth:`make` makes a step's batch of, on the device; its shapes depend on the step's room alone."""
        return self._places[step], self._users[step], self._programs[step, :, : self.rooms[step][-1]]

    def make(self, room: Room, places: Tensor, users: Tensor, programs: Tensor) -> RowBatch:
        """A batch, of its room and its tables."""
        graphs, *found = torch.split(places, self._widths)
        models, together = self._shape[0], Users(users.sum(1, keepdim=True))
        shifts, targets = found[::2], found[1::2]
        made: list[Rows] = []
        laid_out: list[tuple[Tensor, Tensor]] = []
        for k, (each, place) in enumerate(zip(self._rounds, self._place, strict=True)):
            if k > 1 and place == self._place[k - 2]:  # of three rounds that are the same, the last two are alike
                made.append(made[-1])
                continue
            shift, target = shifts[place], targets[place]
            block, source, counts = self._kernels.lay_out(room[place], shift, target, each.counts)
            laid_out.append((block, source))
            blocks = len(shift) // models
            if self._tile > 1:
                tiles = Tiles(block[:: self._tile] // blocks, models, self._tile, target[::blocks] // self._tile)
            else:  # torch's operations take all rows of one model at a time
                tiles = Tiles(block.new_zeros(1), 1, room[place], target[::blocks])
            readout = self._kernels.readout(counts, target, block, blocks)
            columns = targets[self._place[k - 1]], target
            matrices = tuple(self._matrix(matrix, laid_out[-2:], columns, programs) for matrix in each.matrices)
            made.append(
                Rows(tiles, counts.view(len(tiles.model), tiles.size, 1), together, readout, matrices, self._kept)
            )
        features = self._store.inputs(laid_out[0][1]).view(*made[0].counts.shape[:2], self._store.width)
        summaries = self._store.summaries.index_select(0, graphs).view(*self._shape, -1)
        return RowBatch(features, tuple(made), users, summaries)

    def _matrix(
        self,
        blocks: Blocks | Dense,
        found: list[tuple[Tensor, Tensor]],
        targets: tuple[Tensor, Tensor],
        programs: Tensor,
    ) -> Matrix:
        """From the rows of the round before to those of a round: block and packed row of each in both."""
        if isinstance(blocks, Dense):
            return Matrix(*(self._kernels.DenseRows(blocks, *programs, transposed=each) for each in (False, True)))
        (before, source_before), (after, source_after) = found
        there = self._kernels.rows_of(blocks.there, source_after, after, targets[0])
        return Matrix(there, self._kernels.rows_of(blocks.back, source_before, before, targets[1]))


def _programs(
    ids: NDArray[np.int64], parts: NDArray[np.int64], begin: NDArray[np.int64], room: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Which graph and which part of its rows each program of a dense product works on, and where they begin.

    [steps, 3, programs]; a program that is not needed has part -1.
    """
    table = np.zeros((len(ids), 3, int(room.max(initial=0))), dtype=np.int64)
    table[:, 1] = -1
    if not parts.any():
        return table
    for step, graphs in enumerate(ids.reshape(len(ids), -1)):
        count = parts[graphs]
        own = table[step, :, : count.sum()]
        own[0] = np.repeat(graphs, count)
        own[1] = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        own[2] = np.repeat(begin[step], count)
    return table

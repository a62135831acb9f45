"""Batches that are read where the store keeps them, by compiled kernels: a batch is a table of what comes from where.

The tables of all steps of an epoch are made at once on the host, which knows every block's size, and sent at once. A
batch is given a little more room than it needs (:func:`graphldp.learn.engine.packed.layout.room_for`), so that few
shapes serve all batches; filling rows stand for nobody and change nothing.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.packed.layout import index_type, lay_out, room_for, send
from graphldp.learn.engine.packed.store import Blocks, Dense, GraphStore
from graphldp.learn.engine.rows import Matrix, RowBatch, Rows, Tiles, Users

TILE = 512  # rows; a model's last tile is half empty on average
SMALL_TILE = 128  # where few models leave a chip idle
FEW = 8

Room = tuple[int, ...]


class InPlace:
    """The batches of some steps.

    Args:
        store: packed graphs.
        ids: int64 [steps, S, B], which graphs; the number of graphs in the store where a model has fewer.
        layers: how many rounds the models use, the input's counted.
        kernels: :mod:`graphldp.learn.engine.cuda`.
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
        self._tile = SMALL_TILE if models < FEW else TILE
        distinct = [k for k, each in enumerate(self._rounds) if k == 0 or each is not self._rounds[k - 1]]
        self._place = [sum(k <= each for k in distinct) - 1 for each in range(len(self._rounds))]
        pointers = [self._rounds[k].row_ptr for k in distinct]
        parts = -(-np.append(store.sizes, 0) // kernels.PART) if store.dense else np.zeros(len(store.sizes) + 1, int)
        sizes = [*(np.append(np.diff(each), 0)[ids].sum((1, 2)) for each in pointers), parts[ids].sum((1, 2))]
        whole = np.array([*(each[-1] for each in pointers), parts.sum()])
        room = room_for(np.stack(sizes), whole, models)
        # a model's last tile is filled up, so S models take up to S - 1 tiles more than one with all their rows
        room[:-1] = (-(-room[:-1] // self._tile) + models - 1) * self._tile
        self.rooms: list[Room] = [tuple(each) for each in room.T.tolist()]
        tables = [lay_out(each, ids, self._tile, total) for each, total in zip(pointers, room, strict=False)]
        self._widths = [ids[0].size, *(each for table in tables for each in (table.shape[2] - 1, table.shape[2]))]
        flat = [ids.reshape(len(ids), -1), *(each for table in tables for each in (table[1, :, :-1], table[2]))]
        device = store.codes.device
        self._places = send(np.hstack(flat), device, index_type(*pointers, *tables))
        self._users = send(np.append(store.sizes, 0)[ids], device, store.dtype)
        begin = tables[-1][2, :, :-1].reshape(len(ids), models, -1)[:, :, :-1].reshape(len(ids), -1)
        self._programs = send(_programs(ids, parts, begin, room[-1]), device, torch.int64)

    def __len__(self) -> int:
        return len(self.rooms)

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
            tiles = Tiles(block[:: self._tile] // blocks, models, self._tile, target[::blocks] // self._tile)
            readout = Matrix(self._kernels.Readout(counts, target, blocks), self._kernels.Spread(counts, block))
            columns = targets[self._place[k - 1]], target
            matrices = tuple(self._matrix(matrix, laid_out[-2:], columns, programs) for matrix in each.matrices)
            made.append(Rows(tiles, counts.view(-1, self._tile, 1), together, readout, matrices, self._kept))
        features = self._store.inputs(laid_out[0][1]).view(-1, self._tile, self._store.width)
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
        there = blocks.crow, blocks.col, blocks.val
        back = blocks.transposed_crow, blocks.transposed_col, blocks.transposed_val
        return Matrix(
            self._kernels.StoreRows.of(there, source_after, after, targets[0]),
            self._kernels.StoreRows.of(back, source_before, before, targets[1]),
        )


def _programs(
    ids: NDArray[np.int64], parts: NDArray[np.int64], begin: NDArray[np.int64], room: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Which graph and which part of its rows each program of a dense product works on, and where they begin.

    Returns:
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

"""Graphs on a device, and batches gathered from them there.

A batch is a gather of blocks (:mod:`graphldp.learn.engine.packed.store`). The host knows every block's size, so it lays
out all batches of an epoch at once; the device is never asked for a size, and the host never waits for its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from graphldp.errors import DataError
from graphldp.learn.engine.packed import packing
from graphldp.learn.engine.packed.in_place import TILE, InPlace
from graphldp.learn.engine.packed.layout import Layout
from graphldp.learn.engine.packed.store import Blocks, Dense, GraphStore
from graphldp.learn.engine.rows import Csr, Matrix, RowBatch, Rows, Tiles, Users, kernels_for
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.engine.gin import ModelSpec


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
    def device(self) -> torch.device:
        """Where the graphs live."""
        return self.store.codes.device

    @property
    def dtype(self) -> torch.dtype:
        """In which models compute."""
        return self.store.dtype


def gather(store: GraphStore, ids: NDArray[np.int64], layers: int) -> Iterator[RowBatch]:
    """The batches of some graphs, one for each step.

    Args:
        store: packed graphs.
        ids: int64 [steps, S, B], which graphs; the number of graphs in the store where a model has fewer.
        layers: how many rounds the models use, the input's counted.
    """
    device, dtype, models = store.codes.device, store.dtype, ids.shape[1]
    kernels = kernels_for(device, dtype)
    if kernels is not None:
        laid_out = InPlace(store, ids, layers, kernels)
        yield from (laid_out.make(room, *laid_out.tables(step)) for step, room in enumerate(laid_out.rooms))
        return
    tile = 1 if models == 1 else TILE
    rounds = store.rounds[:layers]
    rows: list[Layout] = []
    for k, each in enumerate(rounds):
        same = k > 0 and each is rounds[k - 1]
        rows.append(rows[-1] if same else Layout.of(each.row_ptr, ids, tile, device))
    users = torch.from_numpy(np.append(store.sizes, 0)[ids]).to(device, dtype)
    totals = users.sum(2, keepdim=True)
    join = _Copies(store, ids, rows)
    graphs = torch.from_numpy(ids).to(device)
    for step in range(len(ids)):
        together = Users(totals[step])
        made: list[Rows] = []
        found: list[tuple[Tensor, Tensor]] = []
        for k, layout in enumerate(rows):
            block, source, counts = join.rows(k, step)
            found.append((block, source))
            matrices = [join.matrix(k, m, step, found[-2:]) for m in range(len(rounds[k].matrices))]
            tiles = _tiles(layout, step, block, models, tile)
            readout = join.readout(counts, layout.target[step], block)
            counts = counts.view(len(tiles.model), tiles.size, 1)
            made.append(Rows(tiles, counts, together, readout, tuple(matrices)))
        features = store.inputs(found[0][1])
        summaries = store.summaries.index_select(0, graphs[step].flatten()).view(*ids.shape[1:], -1)
        yield RowBatch(features.view(*made[0].counts.shape[:2], store.width), tuple(made), users[step], summaries)


def _tiles(layout: Layout, step: int, block: Tensor, models: int, tile: int) -> Tiles:
    blocks = layout.length.shape[1] // models
    if tile == 1:
        return Tiles(block.new_zeros(1), 1, int(layout.total[step]), layout.target[step, ::blocks])
    return Tiles(block[::tile] // blocks, models, tile, layout.target[step, ::blocks] // tile)


class _Copies:
    """A batch's matrices as copies of its graphs' entries."""

    def __init__(self, store: GraphStore, ids: NDArray[np.int64], rows: Sequence[Layout]) -> None:
        self._matrices, self._rows = [each.matrices for each in store.rounds], rows
        self._counts = [each.counts for each in store.rounds]
        self._entries = [
            [Layout.of(_entries(m), ids, 1, store.codes.device) for m in matrices]
            for matrices in self._matrices[: len(rows)]
        ]

    def rows(self, k: int, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """The rows of a round: the block of each, the packed row it comes from, and how many users it stands for."""
        layout, counts = self._rows[k], self._counts[k]
        block = layout.block(step)
        # a filling row comes from past the end, where the store keeps one row that stands for no user
        source = layout.source(step, block).clamp_(max=len(counts) - 1)
        return block, source, counts.index_select(0, source)

    def matrix(self, k: int, m: int, step: int, found: Sequence[tuple[Tensor, Tensor]]) -> Matrix:
        """From the rows of the round before to those of round k: block and packed row of each in both."""
        entries, blocks = self._entries[k][m], self._matrices[k][m]
        assert isinstance(blocks, Blocks)  # noqa: S101
        rows = self._rows[k - 1 : k + 1]
        of_entry = entries.block(step)
        origin = entries.source(step, of_entry)
        halves = []
        for crow, col, val, own, other in (
            (blocks.crow, blocks.col, blocks.val, 1, 0),
            (blocks.transposed_crow, blocks.transposed_col, blocks.transposed_val, 0, 1),
        ):
            block, source = found[own]
            begin = crow.index_select(0, source) - entries.shift[step].index_select(0, block)
            end = entries.target[step, -1:]
            offset = rows[other].target[step].int().index_select(0, of_entry)
            columns = col.index_select(0, origin).add_(offset)
            pointers = torch.cat((begin, end)).int()
            halves.append(Csr(pointers, columns, val.index_select(0, origin), len(found[other][0])))
        return Matrix(*halves)

    def readout(self, counts: Tensor, target: Tensor, block: Tensor) -> Matrix:
        """The sum over the rows of each block."""
        every = torch.arange(len(counts) + 1, dtype=torch.int32, device=counts.device)
        there = Csr(target.int(), every[:-1], counts, len(counts))
        return Matrix(there, Csr(every, block.int(), counts, len(target) - 1))


def _entries(blocks: Blocks | Dense) -> NDArray[np.int64]:
    assert isinstance(blocks, Blocks)  # noqa: S101
    return blocks.entry_ptr

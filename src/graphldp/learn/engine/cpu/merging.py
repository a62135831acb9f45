"""Batches on a CPU, where a colour that several graphs of a batch share is one row.

The packed graphs (:mod:`graphldp.learn.engine.store`) have a row for each colour of each graph. In a batch,
rows with the same colour become one row: their users are added up, and rows that aggregated over any of them aggregate
over it. The readout, which goes block by block in :mod:`graphldp.learn.engine.batches`, becomes a sparse matrix between
graphs and colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from graphldp.learn.engine.rows import Csr, Matrix, RowBatch, Rows, Tiles, Users
from graphldp.learn.engine.store import Blocks, GraphStore, Pointers

if TYPE_CHECKING:
    from scipy import sparse

Value = TypeVar("Value", bound=np.generic)


class _Round:
    """The rows of all graphs after one round, and where their colours are in the batch at hand."""

    def __init__(self, store: GraphStore, k: int) -> None:
        self._round, self._colour = store.rounds[k], store.colours[k]
        self._ends = np.append(self._round.row_ptr, self._round.row_ptr[-1])  # the graph past the last one is empty
        self._counts = self._round.counts.numpy()
        self._columns = store.column_colours[k]
        colours = int(self._colour.max(initial=-1)) + 1
        self._row = np.zeros(colours, dtype=np.int64)  # a packed row of each colour
        self._row[self._colour] = np.arange(len(self._colour))
        self._last, self._place = np.zeros((2, colours), dtype=np.int32)
        self.source = self._row

    def rows(self, graphs: Pointers, together: Users, before: _Round | None) -> Rows:
        """The rows of a batch; ``before`` has just made those of the round before."""
        start = self._ends[graphs]
        length = self._ends[graphs + 1] - start
        colour, counts = (_slices(values, start, length) for values in (self._colour, self._counts))
        every = np.arange(len(colour), dtype=np.int32)
        self._last[colour] = every  # of several rows of one colour the last one written stays, and stands for all
        own = colour[self._last.take(colour) == every]
        self._place[own] = every[: len(own)]
        self.source = self._row.take(own)
        place = self._place.take(colour)
        begin = np.zeros(len(graphs) + 2, dtype=np.int64)
        np.cumsum(length, out=begin[1:-1])
        begin[-1] = begin[-2]  # the last block is filling, of which a single model needs none
        readout = _matrix(begin, place, counts, len(own))
        matrices = [] if before is None else [self._aggregated(m, before) for m in range(len(self._columns))]
        total = np.bincount(place, weights=counts, minlength=len(own)).astype(counts.dtype)
        tiles = Tiles(torch.zeros(1, dtype=torch.int64), 1, len(own), torch.tensor([0, 1]))
        return Rows(tiles, torch.from_numpy(total).view(1, -1, 1), together, readout, tuple(matrices))

    def _aggregated(self, m: int, before: _Round) -> Matrix:
        blocks = self._round.matrices[m]
        assert isinstance(blocks, Blocks)  # noqa: S101
        crow = blocks.crow.numpy()
        start = crow.take(self.source)
        length = crow.take(self.source + 1) - start
        begin = np.zeros(len(length) + 1, dtype=np.int64)
        np.cumsum(length, out=begin[1:])
        entry = np.repeat(start - begin[:-1], length)
        entry += np.arange(len(entry))
        columns = before._place.take(self._columns[m].take(entry))
        return _matrix(begin, columns, blocks.val.numpy().take(entry), len(before.source))


def gather_merged(store: GraphStore, ids: Pointers, layers: int) -> Iterator[RowBatch]:
    """The batches of one model, [steps, 1, B]: see :func:`graphldp.learn.engine.batches.gather`."""
    rounds = [_Round(store, k) for k in range(layers)]
    users = torch.from_numpy(np.append(store.sizes, 0)[ids]).to(store.dtype)
    for step, graphs in enumerate(ids[:, 0]):
        together = Users(users[step].sum(1, keepdim=True))
        made = [each.rows(graphs, together, rounds[k - 1] if k else None) for k, each in enumerate(rounds)]
        features = store.inputs(torch.from_numpy(rounds[0].source))
        summaries = store.summaries[torch.from_numpy(graphs)]
        yield RowBatch(features[None], tuple(made), users[step], summaries[None])


def _slices(values: NDArray[Value], start: Pointers, length: Pointers) -> NDArray[Value]:
    """Pieces of an array, one after the other."""
    return np.concatenate([values[a : a + n] for a, n in zip(start.tolist(), length.tolist(), strict=True)])


def _matrix(begin: Pointers, col: NDArray[np.int32], val: NDArray[np.floating], columns: int) -> Matrix:
    """A sparse matrix and its transpose."""
    from scipy import sparse  # sets are packed for merging only where it is installed

    rows = len(begin) - 1
    there = sparse.csr_array((val, col, begin.astype(np.int32)), shape=(rows, columns))
    return Matrix(_csr(there, columns), _csr(there.tocsc(), rows))


def _csr(matrix: sparse.csr_array | sparse.csc_array, columns: int) -> Csr:
    """The arrays of a sparse matrix by rows, or by columns, which is its transpose by rows."""
    crow, col, val = (torch.from_numpy(each) for each in (matrix.indptr, matrix.indices, matrix.data))
    return Csr(crow, col, val, columns)

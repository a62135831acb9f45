"""Batches on a CPU, where a colour that several graphs of a batch share is one row.

The packed graphs (:mod:`graphldp.learn.engine.store`) have a row for each colour of each graph. In a batch,
rows with the same colour become one row: their users are added up, and rows that aggregated over any of them aggregate
over it. A graph's sum is taken over the rows of its colours.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.passes import Floats
from graphldp.learn.engine.cpu.spans import Spans, rows_of
from graphldp.learn.engine.rows import Matrix, RowBatch, Rows, Users
from graphldp.learn.engine.store import Blocks, GraphStore, Pointers

Places = NDArray[np.int32]


@njit(nogil=True, cache=True)
def _merge(
    graphs: Pointers,
    ends: Pointers,
    colour: Places,
    counts: Floats,
    mark: int,
    seen: Places,
    place: Places,
    source: Pointers,
    total: Floats,
    col: Places,
    val: Floats,
) -> int:
    """Give each colour of a batch a row; returns how many there are.

    Args:
        graphs: of the batch.
        ends: where each graph's packed rows begin.
        colour: of each packed row.
        counts: users of each packed row.
        mark: a number for this batch.
        seen: of each colour, the mark of the batch that saw it last.
        place: the row of each colour.
        source: of each row, a packed row of its colour.
        total: users of each row.
        col: the row of each packed row of the batch.
        val: the users of each packed row of the batch.
    """
    rows, entry = 0, 0
    for graph in graphs:
        for packed in range(ends[graph], ends[graph + 1]):
            own = colour[packed]
            if seen[own] != mark:
                seen[own], place[own], source[rows], total[rows] = mark, rows, packed, 0
                rows += 1
            total[place[own]] += counts[packed]
            col[entry], val[entry] = place[own], counts[packed]
            entry += 1
    return rows


@njit(nogil=True, cache=True)
def _entries(
    source: Pointers,
    crow: Pointers,
    columns: Places,
    values: Floats,
    place: Places,
    begin: Pointers,
    col: Places,
    val: Floats,
) -> None:
    """The entries of some packed rows; ``columns`` are colours, and ``place`` says which row each of them is."""
    entry = 0
    for row in range(len(source)):
        for packed in range(crow[source[row]], crow[source[row] + 1]):
            col[entry], val[entry] = place[columns[packed]], values[packed]
            entry += 1
        begin[row + 1] = entry


@njit(nogil=True, cache=True)
def _turn(begin: Pointers, col: Places, val: Floats, turned: Pointers, row_of: Places, val_of: Floats) -> None:
    """The transpose of a matrix; ``turned`` [columns + 1] begins as zeros."""
    for entry in range(len(col)):
        turned[col[entry] + 1] += 1
    for column in range(len(turned) - 1):
        turned[column + 1] += turned[column]
    after = turned.copy()
    for row in range(len(begin) - 1):
        for entry in range(begin[row], begin[row + 1]):
            place = after[col[entry]]
            row_of[place], val_of[place] = row, val[entry]
            after[col[entry]] += 1


class _Round:
    """The rows of all graphs after one round, and where their colours are in the batch at hand."""

    def __init__(self, store: GraphStore, k: int) -> None:
        self._round, self._colour = store.rounds[k], store.colours[k]
        self._ends = np.append(self._round.row_ptr, self._round.row_ptr[-1])  # the graph past the last one is empty
        self._counts = self._round.counts.numpy()
        self._columns = store.column_colours[k]
        colours = int(self._colour.max(initial=-1)) + 1
        self._seen, self._place = np.zeros((2, colours), dtype=np.int32)
        self._mark = 0
        self.source = np.zeros(0, dtype=np.int64)

    def rows(self, graphs: Pointers, together: Users, before: _Round | None) -> Rows:
        """The rows of a batch; ``before`` has just made those of the round before."""
        self._mark += 1
        begin = np.zeros(len(graphs) + 2, dtype=np.int64)
        np.cumsum(self._ends[graphs + 1] - self._ends[graphs], out=begin[1:-1])
        begin[-1] = begin[-2]  # the last block is filling, of which a single model needs none
        packed = int(begin[-1])
        source, col = np.empty(packed, np.int64), np.empty(packed, np.int32)
        total, val = np.empty((2, packed), self._counts.dtype)
        found = _merge(
            graphs, self._ends, self._colour, self._counts, self._mark, self._seen, self._place, source, total, col, val
        )
        self.source = source[:found]
        matrices = [] if before is None else [self._aggregated(m, before) for m in range(len(self._columns))]
        return rows_of(total[:found], together, _matrix(begin, col, val, found), tuple(matrices))

    def _aggregated(self, m: int, before: _Round) -> Matrix:
        blocks = self._round.matrices[m]
        assert isinstance(blocks, Blocks)  # noqa: S101
        crow, values = blocks.crow.numpy(), blocks.val.numpy()
        entries = int((crow.take(self.source + 1) - crow.take(self.source)).sum())
        begin = np.zeros(len(self.source) + 1, dtype=np.int64)
        col, val = np.empty(entries, np.int32), np.empty(entries, values.dtype)
        _entries(self.source, crow, self._columns[m], values, before._place, begin, col, val)
        return _matrix(begin, col, val, len(before.source))


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


def _matrix(begin: Pointers, col: Places, val: Floats, columns: int) -> Matrix:
    """A sparse matrix and its transpose."""
    turned = np.zeros(columns + 1, dtype=np.int64)
    row_of, val_of = np.empty_like(col), np.empty_like(val)
    _turn(begin, col, val, turned, row_of, val_of)
    return Matrix(Spans.plain(begin, col, val), Spans.plain(turned, row_of, val_of))

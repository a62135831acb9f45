"""Batches of one training on a CPU: which entries of the packed graphs each row sums up, read where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.cpu.passes import Entries, Floats, aggregate, tiles_of
from graphldp.learn.engine.rows import Matrix, RowBatch, Rows, Tiles, Users
from graphldp.learn.engine.store import Blocks, GraphStore, Pointers

_MODEL, _ENDS = torch.zeros(1, dtype=torch.int64), torch.tensor([0, 1])


@dataclass(frozen=True)
class Spans:
    """A sparse matrix whose rows lie anywhere.

    Args:
        begin: int64 [rows], the first entry of each row.
        end: int64 [rows], the entry after its last one.
        offset: int32 [rows], what is added to the columns of each row.
        col: int32, columns.
        val: values.
    """

    begin: Pointers
    end: Pointers
    offset: NDArray[np.int32]
    col: NDArray[np.int32]
    val: Floats

    @classmethod
    def plain(cls, crow: Pointers, col: NDArray[np.int32], val: Floats) -> Spans:
        """Rows one after the other."""
        return cls(crow[:-1], crow[1:], np.zeros(len(crow) - 1, np.int32), col, val)

    @property
    def arrays(self) -> Entries:
        """What compiled passes take."""
        return self.begin, self.end, self.offset, self.col, self.val

    def times(self, x: Floats) -> Floats:
        """The product with rows [columns, C]."""
        out = np.empty((len(self.begin), x.shape[1]), x.dtype)
        no_moments = np.empty(0, x.dtype), np.empty(0, x.dtype), np.empty((2, 0, 0), x.dtype)
        aggregate(0, tiles_of(len(out)), self.arrays, x, out, False, *no_moments)
        return out

    def __matmul__(self, x: Tensor) -> Tensor:
        return torch.from_numpy(self.times(x.numpy()))


def rows_of(counts: Floats, together: Users, readout: Matrix, matrices: tuple[Matrix, ...]) -> Rows:
    """The rows of one model, all in one tile."""
    return Rows(
        Tiles(_MODEL, 1, len(counts), _ENDS), torch.from_numpy(counts).view(1, -1, 1), together, readout, matrices
    )


@njit(nogil=True, cache=True)
def _place(
    graphs: Pointers,
    ends: Pointers,
    counts: Floats,
    graph: NDArray[np.int32],
    source: Pointers,
    own: Floats,
) -> None:
    """Of each row of a batch: the graph's place in it, the packed row, and its users."""
    row = 0
    for place in range(len(graphs)):
        for packed in range(ends[graphs[place]], ends[graphs[place] + 1]):
            graph[row], source[row], own[row] = place, packed, counts[packed]
            row += 1


@njit(nogil=True, cache=True)
def _point(
    source: Pointers,
    graph: NDArray[np.int32],
    crow: Pointers,
    first: Pointers,
    begin: Pointers,
    end: Pointers,
    offset: NDArray[np.int32],
) -> None:
    """Of each row of a batch: where its entries lie, and where its graph's columns begin in the batch."""
    for row in range(len(source)):
        begin[row], end[row] = crow[source[row]], crow[source[row] + 1]
        offset[row] = first[graph[row]]


class _Placed:
    """The rows of a round in one batch, each a packed row."""

    def __init__(self, graphs: Pointers, ends: Pointers, counts: Tensor) -> None:
        users = counts.numpy()
        self._first = np.zeros(len(graphs) + 2, np.int64)
        np.cumsum(ends[graphs + 1] - ends[graphs], out=self._first[1:-1])
        self._first[-1] = self._first[-2]  # the last block is filling, of which a single model needs none
        rows = int(self._first[-1])
        self.source, self._graph = np.empty(rows, np.int64), np.empty(rows, np.int32)
        self._counts = np.empty(rows, users.dtype)
        _place(graphs, ends, users, self._graph, self.source, self._counts)

    def spans(self, crow: Tensor, col: Tensor, val: Tensor, other: _Placed) -> Spans:
        """What these rows take from the rows of another round."""
        begin, end = np.empty((2, len(self.source)), np.int64)
        offset = np.empty(len(self.source), np.int32)
        _point(self.source, self._graph, crow.numpy(), other._first, begin, end, offset)
        return Spans(begin, end, offset, col.numpy(), val.numpy())

    def rows(self, together: Users, matrices: tuple[Matrix, ...]) -> Rows:
        """What passes take, with sums over each graph."""
        every = np.arange(len(self.source) + 1)
        there = Spans.plain(self._first, every.astype(np.int32), self._counts)
        back = Spans.plain(every, self._graph, self._counts)
        return rows_of(self._counts, together, Matrix(there, back), matrices)


def gather_in_place(store: GraphStore, ids: Pointers, layers: int) -> Iterator[RowBatch]:
    """The batches of one model, [steps, 1, B]: see :func:`graphldp.learn.engine.batches.gather`."""
    rounds = store.rounds[:layers]
    ends = [np.append(each.row_ptr, each.row_ptr[-1]) for each in rounds]  # the graph past the last one is empty
    users = torch.from_numpy(np.append(store.sizes, 0)[ids]).to(store.dtype)
    for step, graphs in enumerate(ids[:, 0]):
        together = Users(users[step].sum(1, keepdim=True))
        before = own = _Placed(graphs, ends[0], rounds[0].counts)
        features = store.inputs(torch.from_numpy(own.source))
        made: list[Rows] = []
        for k, each in enumerate(rounds):
            settled = k == 0 or each is rounds[k - 1]
            before, own = own, own if settled else _Placed(graphs, ends[k], each.counts)
            matrices = []
            for m in each.matrices:
                assert isinstance(m, Blocks)  # noqa: S101
                there = own.spans(m.crow, m.col, m.val, before)
                back = before.spans(m.transposed_crow, m.transposed_col, m.transposed_val, own)
                matrices.append(Matrix(there, back))
            made.append(own.rows(together, tuple(matrices)))
        summaries = store.summaries[torch.from_numpy(ids[step])]
        yield RowBatch(features[None], tuple(made), users[step], summaries)

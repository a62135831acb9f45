"""Batches of one training on a CPU: which entries of the packed graphs each row sums up, read where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.cpu.passes import Entries, Floats, aggregate, tiles_of
from graphldp.learn.engine.layout import lay_out
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


class _Placed:
    """The rows of a round in one batch: the graph of each, and the packed row that it is."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        length, shift, self._first = table
        self._graph = np.repeat(np.arange(len(length) - 1, dtype=np.int32), length[:-1])
        self.source = np.arange(len(self._graph)) + shift.take(self._graph)

    def spans(self, crow: Tensor, col: Tensor, val: Tensor, other: _Placed) -> Spans:
        """What these rows take from the rows of another round."""
        pointers, first = crow.numpy(), other._first.astype(np.int32)
        begin, end = pointers.take(self.source), pointers.take(self.source + 1)
        return Spans(begin, end, first.take(self._graph), col.numpy(), val.numpy())

    def rows(self, counts: Tensor, together: Users, matrices: tuple[Matrix, ...]) -> Rows:
        """What passes take, with sums over each graph."""
        own, every = counts.numpy().take(self.source), np.arange(len(self.source) + 1)
        there = Spans.plain(self._first, every.astype(np.int32), own)
        return rows_of(own, together, Matrix(there, Spans.plain(every, self._graph, own)), matrices)


def gather_in_place(store: GraphStore, ids: Pointers, layers: int) -> Iterator[RowBatch]:
    """The batches of one model, [steps, 1, B]: see :func:`graphldp.learn.engine.batches.gather`."""
    rounds = store.rounds[:layers]
    tables = [lay_out(each.row_ptr, ids, 1) for each in rounds]
    users = torch.from_numpy(np.append(store.sizes, 0)[ids]).to(store.dtype)
    for step in range(len(ids)):
        together = Users(users[step].sum(1, keepdim=True))
        before = own = _Placed(tables[0][:, step])
        features = store.inputs(torch.from_numpy(own.source))
        made: list[Rows] = []
        for k, each in enumerate(rounds):
            settled = k == 0 or each is rounds[k - 1]
            before, own = own, own if settled else _Placed(tables[k][:, step])
            matrices = []
            for m in each.matrices:
                assert isinstance(m, Blocks)  # noqa: S101
                there = own.spans(m.crow, m.col, m.val, before)
                back = before.spans(m.transposed_crow, m.transposed_col, m.transposed_val, own)
                matrices.append(Matrix(there, back))
            made.append(own.rows(each.counts, together, tuple(matrices)))
        summaries = store.summaries[torch.from_numpy(ids[step])]
        yield RowBatch(features[None], tuple(made), users[step], summaries)

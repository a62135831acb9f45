"""Torch's own operations where no kernels are compiled: a batch's matrices are copies of the packed graphs' entries."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from graphldp.learn.engine.packed.store import Entries
from graphldp.learn.engine.rows import Matrix, Rows

COMPILED = False

with warnings.catch_warnings():  # torch warns once per process that its CSR support is in beta
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 1))


def fits(weight: Tensor) -> bool:
    """Whether a compiled kernel computes a layer of these weights."""
    return False


@dataclass(frozen=True)
class Csr:
    """A sparse matrix by rows: int32 ``crow`` [rows + 1] and ``col`` [entries], ``val`` [entries]."""

    crow: Tensor
    col: Tensor
    val: Tensor
    columns: int

    @classmethod
    def rows_of(cls, entries: Entries, source: Tensor, block: Tensor, first: Tensor) -> Self:
        """Some packed rows; see :meth:`graphldp.learn.engine.cuda.lists.StoreRows.rows_of`."""
        begin = entries.crow[source]
        length = entries.crow[(source + 1).clamp_(max=len(entries.crow) - 1)] - begin
        crow = torch.cat((length.new_zeros(1), torch.cumsum(length, 0)))
        row = torch.repeat_interleave(length)
        entry = torch.arange(len(row), device=row.device) + (begin - crow[:-1])[row]
        columns = entries.col[entry].add_(first[block].int()[row])
        return cls(crow.int(), columns, entries.val[entry], int(first[-1]))

    def __matmul__(self, x: Tensor) -> Tensor:
        if x.device.type == "cuda":
            return self.in_order(x)
        rows = len(self.crow) - 1
        if x.device.type == "mps":  # which has no sparse CSR; this path is untested
            row = torch.repeat_interleave(self.crow.diff().long(), output_size=len(self.col))
            return x.new_zeros(rows, x.shape[1]).index_add_(0, row, x[self.col] * self.val[:, None])
        matrix = torch.sparse_csr_tensor(self.crow, self.col, self.val, (rows, self.columns), check_invariants=False)
        # torch's own A @ x fills its result with zeros and copies it, which takes longer than the product
        return x.new_empty(rows, x.shape[1]).addmm_(matrix, x, beta=0)

    def in_order(self, x: Tensor) -> Tensor:
        """The product with each row added up from left to right; CUDA's own sparse product promises no order."""
        gathered = x.index_select(0, self.col) * self.val[:, None]
        return torch.segment_reduce(gathered, "sum", offsets=self.crow.long(), axis=0, initial=0)


rows_of = Csr.rows_of


def lay_out(total: int, shift: Tensor, target: Tensor, counts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The block of each row of a batch, the packed row it comes from, and how many users it stands for."""
    block = torch.repeat_interleave(target.diff(), output_size=total)
    source = torch.arange(total, dtype=block.dtype, device=block.device).add_(shift.index_select(0, block))
    source.clamp_(max=len(counts) - 1)  # a filling row comes from past the end, and stands for nobody
    return block, source, counts.index_select(0, source)


def readout(counts: Tensor, target: Tensor, block: Tensor, blocks: int) -> Matrix:
    """The sum over the rows of each block, and back."""
    every = torch.arange(len(counts) + 1, dtype=torch.int32, device=counts.device)
    there = Csr(target.int(), every[:-1], counts, len(counts))
    return Matrix(there, Csr(every, block.int(), counts, len(target) - 1))


def hand_down(
    sums: Tensor, rows: Rows, matrices: Sequence[Matrix], grads: Sequence[Tensor], kept: torch.dtype
) -> Tensor:
    """What a round's rows get back: from the sums of their graphs, and from all that aggregates over them."""
    total = rows.readout.backward @ sums
    for matrix, grad in zip(matrices, grads, strict=True):
        total.add_(matrix.backward @ grad)
    return total

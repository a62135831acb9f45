"""Sums over lists and over graphs: what starts :mod:`graphldp.learn.engine.cuda.list_kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
import triton
from torch import Tensor

from graphldp.learn.engine.cuda import list_kernels
from graphldp.learn.engine.packed.store import Dense, Entries
from graphldp.learn.engine.rows import Matrix, Rows

PART = 128  # rows of a dense matrix that a program works on
_COLUMNS = 64  # columns of a dense matrix that it reads at a time, as one word of each row
_STEP = 64  # rows that a program hands back to at a time
_ENTRIES = 64  # rows that a readout adds up at a time
_NARROW = 16  # channels below which a program works on one of them
_MANY = 1 << 17  # rows that fill a chip with programs of several rows
_FEW_ROWS = {"ROWS": 1, "ENTRIES": 32, "num_warps": 1}  # a long list holds up nobody else
_MANY_ROWS = {"ROWS": 2, "ENTRIES": 8, "num_warps": 1}  # two thirds of the time on a million rows
_MANY_SHORT = {"ROWS": 4, "ENTRIES": 8, "num_warps": 1}  # the same for rows in half the bytes
_LOCATED = 128  # rows that a program looks up at a time
_INT32 = torch.iinfo(torch.int32).max


@dataclass(frozen=True)
class StoreRows:
    """A batch's sparse matrix: rows of the packed graphs, read where they lie.

    Args:
        col: columns, counted from the beginning of the graph's block.
        val: values.
        start: int32 or int64 [rows], where each row's entries begin.
        length: [rows], how many they are.
        shift: [rows], where the columns of the row's block begin in the batch.
        block: [rows], the block of each row.
    """

    col: Tensor
    val: Tensor
    start: Tensor
    length: Tensor
    shift: Tensor
    block: Tensor

    @classmethod
    def rows_of(cls, entries: Entries, source: Tensor, block: Tensor, first: Tensor) -> Self:
        """Find the entries of a batch's rows once, for all products with them.

        Args:
            entries: of the packed graphs.
            source: int32 or int64 [rows], which packed row each row of the batch is; past the end for a filling row.
            block: [rows], the block of each row.
            first: [blocks + 1], where each block's columns begin in the batch.
        """
        crow, col, val = entries
        start = torch.empty_like(source, dtype=torch.int64 if len(col) > _INT32 else torch.int32)
        length, shift = torch.empty((2, len(source)), dtype=source.dtype, device=source.device)
        grid = (len(source) // _LOCATED,)  # rows fill whole tiles
        given = source, block, crow, len(crow) - 1, first
        list_kernels.locate[grid](*given, start, length, shift, STEP=_LOCATED)
        return cls(col, val, start, length, shift, block)

    def __matmul__(self, x: Tensor) -> Tensor:
        return self.times(x)

    def times(self, x: Tensor, plus: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """The product; plus, for each user of a row, what its block has: the blocks' values, and users of each row."""
        rows, channels = len(self.block), x.shape[1]
        out = x.new_empty(rows, channels)
        tables = self.start, self.length, self.shift, self.col, self.val
        if channels < _NARROW:
            grid = rows // _LOCATED, channels
            list_kernels.aggregate_narrow[grid](x, out, *tables, channels, BLOCK=_LOCATED)
            return out if plus is None else out.add_(Spread(plus[1], self.block).times(plus[0], x.dtype))
        given, width = plus or (x, x), triton.next_power_of_2(channels)
        many = _MANY_SHORT if x.dtype == torch.bfloat16 else _MANY_ROWS
        shape = many if rows >= _MANY else _FEW_ROWS
        own = {"PLUS": plus is not None, "CHANNELS": channels, "WIDTH": width}
        list_kernels.aggregate[rows // shape["ROWS"],](x, out, *tables, self.block, *given, **own, **shape)
        return out


@dataclass(frozen=True)
class DenseRows:
    """A batch's dense 0/1 matrix, read where the packed graphs keep it.

    Args:
        dense: the bits.
        graph: int64 [programs], which graph each program works on.
        part: int64 [programs], which part of the graph's rows.
        first: int64 [programs], where the graph's rows and columns begin in the batch.
        transposed: whether columns are aggregated over rows.
    """

    dense: Dense
    graph: Tensor
    part: Tensor
    first: Tensor
    transposed: bool

    def __matmul__(self, x: Tensor) -> Tensor:
        out = torch.zeros_like(x)  # filling rows aggregate nothing
        parts = torch.empty((3, *x.shape), dtype=torch.bfloat16, device=x.device)
        list_kernels.split[triton.cdiv(x.numel(), 1024),](x, parts, x.numel(), BLOCK=1024)
        width = max(triton.next_power_of_2(x.shape[1]), 16)
        tables = self.graph, self.part, self.first, self.dense.begin, self.dense.size, self.dense.words
        shape = {"TRANSPOSED": self.transposed, "WIDTH": width, "ROWS": PART, "COLUMNS": _COLUMNS}
        list_kernels.aggregate_dense[len(self.graph),](parts, out, *tables, x.shape[1], x.numel(), **shape)
        return out


@dataclass(frozen=True)
class Readout:
    """The sum over the rows of each block, weighted by how many users they stand for.

    Args:
        counts: [rows], users of each row.
        target: [blocks + 1], where each block begins.
        blocks: of a model; the last is filling, and its sum is left out.
    """

    counts: Tensor
    target: Tensor
    blocks: int

    def __matmul__(self, x: Tensor) -> Tensor:
        blocks, channels = len(self.target) - 1, x.shape[1]
        out = self.counts.new_empty(blocks, channels)
        width = triton.next_power_of_2(channels)
        tables = self.counts, self.target, self.blocks
        list_kernels.readout[blocks,](x, out, *tables, channels, WIDTH=width, ENTRIES=_ENTRIES, num_warps=2)
        return out


@dataclass(frozen=True)
class Spread:
    """What each graph hands back to its rows, for each of their users."""

    counts: Tensor
    block: Tensor

    def __matmul__(self, grad: Tensor) -> Tensor:
        return self.times(grad, grad.dtype)

    def times(self, grad: Tensor, kept: torch.dtype) -> Tensor:
        """The product, kept as rows are."""
        count, channels = len(self.block), grad.shape[1]
        out = grad.new_empty(count, channels, dtype=kept)
        grid, width = (triton.cdiv(count, _STEP),), triton.next_power_of_2(channels)
        list_kernels.spread[grid](grad, out, self.block, self.counts, count, channels, ROWS=_STEP, WIDTH=width)
        return out


def readout(counts: Tensor, target: Tensor, block: Tensor, blocks: int) -> Matrix:
    """The sum over the rows of each block, and back; ``blocks`` of them are a model's."""
    return Matrix(Readout(counts, target, blocks), Spread(counts, block))


def lay_out(total: int, shift: Tensor, target: Tensor, counts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The block of each row of a batch, the packed row it comes from, and how many users it stands for."""
    block, source = torch.empty((2, total), dtype=target.dtype, device=target.device)
    own = counts.new_empty(total)
    list_kernels.lay_out[len(shift),](shift, target, counts, len(counts) - 1, block, source, own, STEP=256)
    return block, source, own


def hand_down(
    sums: Tensor, rows: Rows, matrices: Sequence[Matrix], grads: Sequence[Tensor], kept: torch.dtype
) -> Tensor:
    """What a round's rows get back: from the sums of their graphs, and from all that aggregates over them."""
    spread = rows.readout.backward
    first = matrices[0].backward if matrices else None
    if isinstance(first, StoreRows) and isinstance(spread, Spread):
        total = first.times(grads[0], (sums, spread.counts))
        matrices, grads = matrices[1:], grads[1:]
    else:
        total = spread.times(sums, kept) if isinstance(spread, Spread) else spread @ sums
    for matrix, grad in zip(matrices, grads, strict=True):
        total.add_(matrix.backward @ grad)
    return total

"""The network's operations as CUDA kernels in Triton; :mod:`graphldp.learn.engine.layers` says what they compute.

They read the packed graphs where they lie, so a batch is a table of where its rows come from and no copy of its
entries, and they pass over memory a third as often as separate operations would. Every sum has a fixed order: the same
seed gives the same bits, which the vendor's sparse product does not promise. Products of floats use three passes of
tensor-core arithmetic, which keeps single precision; one of bfloat16 where rows are kept in half the bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import torch
import triton
from torch import Tensor

from graphldp.learn.engine import triton_lists, triton_maps
from graphldp.learn.engine.rows import EPS, MOMENTUM

if TYPE_CHECKING:
    from graphldp.learn.engine.rows import Map, Matrix, Rows
    from graphldp.learn.engine.store import Dense

WIDEST = 128  # hidden units or inputs of a layer that a kernel holds in registers
PART = 128  # rows of a dense matrix that a program works on
_COLUMNS = 64  # columns of a dense matrix that it reads at a time, as one word of each row
_STEP = 64  # rows of a tile that a program works on at a time
_TILES = 32  # tiles that are added up at a time
_ENTRIES = 16  # rows that a readout adds up at a time, by the quarter
_NARROW = 16  # channels below which a program works on one of them
_MANY = 1 << 17  # rows that fill a chip with programs of several rows
_FEW_ROWS = {"ROWS": 1, "ENTRIES": 16, "num_warps": 1}  # a long list holds up nobody else
_MANY_ROWS = {"ROWS": 4, "ENTRIES": 4, "num_warps": 1}  # half of the time on a million rows
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
    def of(cls, entries: tuple[Tensor, Tensor, Tensor], source: Tensor, block: Tensor, first: Tensor) -> Self:
        """Find the entries of a batch's rows once, for all products with them.

        Args:
            entries: of the packed graphs: where each row's begin, their columns and values.
            source: int32 or int64 [rows], which packed row each row of the batch is; past the end for a filling row.
            block: [rows], the block of each row.
            first: [blocks + 1], where each block's columns begin in the batch.
        """
        crow, col, val = entries
        start = torch.empty_like(source, dtype=torch.int64 if len(col) > _INT32 else torch.int32)
        length, shift = torch.empty((2, len(source)), dtype=source.dtype, device=source.device)
        grid = (len(source) // _LOCATED,)  # rows fill whole tiles
        given = source, block, crow, len(crow) - 1, first
        triton_lists.locate[grid](*given, start, length, shift, STEP=_LOCATED)
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
            triton_lists.aggregate_narrow[grid](x, out, *tables, channels, BLOCK=_LOCATED)
            return out if plus is None else out.add_(Spread(plus[1], self.block).times(plus[0], x.dtype))
        given, width = plus or (x, x), triton.next_power_of_2(channels)
        shape = (_MANY_ROWS if rows >= _MANY else _FEW_ROWS) | {"PLUS": plus is not None, "WIDTH": width}
        triton_lists.aggregate[rows // shape["ROWS"],](x, out, *tables, self.block, *given, channels, **shape)
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
        triton_lists.split[triton.cdiv(x.numel(), 1024),](x, parts, x.numel(), BLOCK=1024)
        width = max(triton.next_power_of_2(x.shape[1]), 16)
        tables = self.graph, self.part, self.first, self.dense.begin, self.dense.size, self.dense.words
        shape = {"TRANSPOSED": self.transposed, "WIDTH": width, "ROWS": PART, "COLUMNS": _COLUMNS}
        triton_lists.aggregate_dense[len(self.graph),](parts, out, *tables, x.shape[1], x.numel(), **shape)
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
        triton_lists.readout[blocks,](x, out, *tables, channels, WIDTH=width, ENTRIES=4 * _ENTRIES)
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
        triton_lists.spread[grid](grad, out, self.block, self.counts, count, channels, ROWS=_STEP, WIDTH=width)
        return out


def fits(weight: Tensor) -> bool:
    """Whether a layer of these weights is one that the kernels hold in registers."""
    return max(weight.shape[1:]) <= WIDEST


def lay_out(total: int, shift: Tensor, target: Tensor, counts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The block of each row of a batch, the packed row it comes from, and how many users it stands for."""
    block, source = torch.empty((2, total), dtype=target.dtype, device=target.device)
    own = counts.new_empty(total)
    triton_lists.lay_out[len(shift),](shift, target, counts, len(counts) - 1, block, source, own, STEP=256)
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


@dataclass(frozen=True)
class BatchNorm:
    """How a map's result is normalised, [S, C] each: relu((y - mean) steep + beta).

    Args:
        mean: over the users of each model.
        scale: 1 / sd.
        steep: gamma / sd.
        beta: the map's parameter.
    """

    mean: Tensor
    scale: Tensor
    steep: Tensor
    beta: Tensor

    @property
    def tables(self) -> tuple[Tensor, Tensor, Tensor, int]:
        """What kernels read."""
        return self.mean, self.steep, self.beta, self.beta.stride(0)


def forward(x: Tensor, one: Map, rows: Rows, before: BatchNorm | None) -> tuple[Tensor, BatchNorm]:
    """W x [T, B, outputs] and its batch norm; where ``before`` is given, of x normalised by it; see layers."""
    weight, bias, gamma, beta, mean, var = one
    tiles, outputs = rows.tiles, weight.shape[1]
    y, weights, parts = _linear(x, weight, rows, before)
    norm = weight.new_empty(3, tiles.num_models, outputs)
    given = bias, gamma, gamma.stride(0), mean, var, mean.stride(0), MOMENTUM, EPS
    grid = (tiles.num_models,)
    own = {"WIDTH": triton.next_power_of_2(outputs), "TILES": _TILES}
    triton_maps.statistics[grid](weights, *parts, tiles.first, *given, *norm, outputs, **own)
    return y, BatchNorm(norm[0], norm[1], norm[2], beta)


def _linear(x: Tensor, weight: Tensor, rows: Rows, before: BatchNorm | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """W x, and of each tile its users, [T], and their mean and sum of squares, [2, T, outputs]."""
    tiles, count, (outputs, inputs) = rows.tiles, len(rows.tiles.model), weight.shape[1:]
    y = x.new_empty(*x.shape[:2], outputs, dtype=rows.kept)
    weights, parts = weight.new_empty(count), weight.new_empty(2, count, outputs)
    tables = tiles.model, rows.counts, *_tables(before, weight), y, weights, *parts
    shape = _shape(x, outputs, tiles.size) | {"NORM": before is not None}
    triton_maps.linear[count,](x, weight, weight.stride(0), *tables, inputs, outputs, **shape)
    return y, weights, parts


def evaluate(x: Tensor, one: Map, rows: Rows) -> Tensor:
    """relu(bn(W x + b)) with the running statistics."""
    weight, bias, gamma, beta, mean, var = one
    y = _linear(x.contiguous(), weight, rows)[0]
    scale = torch.rsqrt(var + EPS)
    return normalise(y, BatchNorm(mean - bias, scale, gamma * scale, beta), rows)


def normalise(y: Tensor, norm: BatchNorm, rows: Rows) -> Tensor:
    """What a map gives, normalised, [T, B, C]."""
    out = torch.empty_like(y)
    channels = y.shape[2]
    shape = {"STEP": _STEP, "SIZE": rows.tiles.size, "WIDTH": triton.next_power_of_2(channels)}
    triton_maps.normalise[len(y),](y, out, rows.tiles.model, *norm.tables, channels, **shape)
    return out


def gradient_sums(grad: Tensor, y: Tensor, norm: BatchNorm, rows: Rows) -> Tensor:
    """Of each tile, [2, T, C]: the sums over its rows of the gradient behind relu, and of that times y - mean."""
    channels = y.shape[2]
    sums = norm.mean.new_empty(2, len(y), channels)
    shape = {"STEP": _STEP, "SIZE": rows.tiles.size, "WIDTH": triton.next_power_of_2(channels)}
    triton_maps.gradient_sums[len(y),](grad, y, rows.tiles.model, *norm.tables, *sums, channels, **shape)
    return sums


def backward(
    grad: Tensor,
    x: Tensor,
    y: Tensor,
    weight: Tensor,
    norm: BatchNorm,
    rows: Rows,
    sums: Tensor,
    before: BatchNorm | None,
    *,
    to_x: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of x (if asked for), weight, gamma and beta; and the sums of its own for the batch norm before.

    Args:
        grad: of what the map gives, normalised.
        x: what the map was given; not yet normalised where ``before`` is given.
        y: what it gave.
        weight: its weights.
        norm: how y was normalised.
        rows: what rows stand for.
        sums: :func:`gradient_sums` of y.
        before: how x was normalised, if it was.
        to_x: whether to compute the gradient of x.
    """
    tiles, (outputs, inputs) = rows.tiles, weight.shape[1:]
    count, shape = len(tiles.model), _shape(x, outputs, rows.tiles.size)
    totals = weight.new_empty(4, tiles.num_models, outputs)  # of beta and gamma, then what each user takes away
    own = {"WIDTH": triton.next_power_of_2(outputs), "TILES": _TILES}
    given = *sums, tiles.first, rows.together.count, norm.scale
    triton_maps.gradient_totals[tiles.num_models,](*given, *totals, outputs, **own)
    d_x = torch.empty_like(x) if to_x else x
    tile_weight, x_sums = weight.new_empty(count, outputs * inputs), weight.new_empty(2, count, inputs)
    tables = weight, weight.stride(0), tiles.model, rows.counts, *norm.tables, *totals[2:], *_tables(before, weight)
    made = d_x, tile_weight, *x_sums, inputs, outputs
    triton_maps.gradients[count,](grad, x, y, *tables, *made, TO_X=to_x, NORM=before is not None, **shape)
    d_weight = weight.new_empty(tiles.num_models, outputs, inputs)
    size = outputs * inputs
    grid = tiles.num_models, triton.cdiv(size, 64)
    triton_maps.totals[grid](tile_weight, tiles.first, d_weight, size, WIDTH=64, TILES=_TILES)
    return d_x, d_weight, totals[1], totals[0], x_sums


def _tables(norm: BatchNorm | None, unread: Tensor) -> tuple[Tensor, Tensor, Tensor, int]:
    """What kernels read of a batch norm before a map, where there is one."""
    return (unread, unread, unread, 0) if norm is None else norm.tables


def _shape(x: Tensor, outputs: int, size: int) -> dict[str, int]:
    """The powers of two that hold a layer (a product of blocks has at least 16 of each), and rows at a time."""
    widths = [max(triton.next_power_of_2(each), 16) for each in (x.shape[2], outputs)]
    narrow = max(widths) <= _STEP
    step, warps = _STEP if narrow else _STEP // 2, 2 if narrow and x.dtype == torch.bfloat16 else 4
    return {"IN": widths[0], "OUT": widths[1], "SIZE": size, "STEP": step, "num_warps": warps}

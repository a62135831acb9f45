"""Linear maps with their batch norms: what starts :mod:`graphldp.learn.engine.cuda.map_kernels`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import triton
from torch import Tensor

from graphldp.learn.engine.cuda import map_kernels
from graphldp.learn.engine.rows import EPS, MOMENTUM

if TYPE_CHECKING:
    from graphldp.learn.engine.rows import Map, Rows

WIDEST = 128  # hidden units or inputs of a layer that a kernel holds in registers
_STEP = 64  # rows of a tile that a program works on at a time
_TILES = 32  # tiles that are added up at a time


def fits(weight: Tensor) -> bool:
    """Whether a layer of these weights is one that the kernels hold in registers."""
    return max(weight.shape[1:]) <= WIDEST


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
    map_kernels.statistics[grid](weights, *parts, tiles.first, *given, *norm, outputs, **own)
    return y, BatchNorm(norm[0], norm[1], norm[2], beta)


def _linear(x: Tensor, weight: Tensor, rows: Rows, before: BatchNorm | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """W x, and of each tile its users, [T], and their mean and sum of squares, [2, T, outputs]."""
    tiles, count, (outputs, inputs) = rows.tiles, len(rows.tiles.model), weight.shape[1:]
    y = x.new_empty(*x.shape[:2], outputs, dtype=rows.kept)
    weights, parts = weight.new_empty(count), weight.new_empty(2, count, outputs)
    tables = tiles.model, rows.counts, *_tables(before, weight), y, weights, *parts
    shape = _shape(x, outputs, tiles.size) | {"NORM": before is not None}
    map_kernels.linear[count,](x, weight, weight.stride(0), *tables, inputs, outputs, **shape)
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
    map_kernels.normalise[len(y),](y, out, rows.tiles.model, *norm.tables, channels, **shape)
    return out


def gradient_sums(grad: Tensor, y: Tensor, norm: BatchNorm, rows: Rows) -> Tensor:
    """Of each tile, [2, T, C]: the sums over its rows of the gradient behind relu, and of that times y - mean."""
    channels = y.shape[2]
    sums = norm.mean.new_empty(2, len(y), channels)
    shape = {"STEP": _STEP, "SIZE": rows.tiles.size, "WIDTH": triton.next_power_of_2(channels)}
    map_kernels.gradient_sums[len(y),](grad, y, rows.tiles.model, *norm.tables, *sums, channels, **shape)
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
    map_kernels.gradient_totals[tiles.num_models,](*given, *totals, outputs, **own)
    d_x = torch.empty_like(x) if to_x else x
    tile_weight, x_sums = weight.new_empty(count, outputs * inputs), weight.new_empty(2, count, inputs)
    tables = weight, weight.stride(0), tiles.model, rows.counts, *norm.tables, *totals[2:], *_tables(before, weight)
    made = d_x, tile_weight, *x_sums, inputs, outputs
    map_kernels.gradients[count,](grad, x, y, *tables, *made, TO_X=to_x, NORM=before is not None, **shape)
    d_weight = weight.new_empty(tiles.num_models, outputs, inputs)
    size = outputs * inputs
    grid = tiles.num_models, triton.cdiv(size, 64)
    map_kernels.totals[grid](tile_weight, tiles.first, d_weight, size, WIDTH=64, TILES=_TILES)
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

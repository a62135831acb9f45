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
    shape = _shape(x, outputs, tiles.size) | {"NORM": before is not None, "num_warps": _warps(x)}
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


def backward(
    grad: Tensor,
    x: Tensor,
    y: Tensor,
    weight: Tensor,
    norm: BatchNorm,
    rows: Rows,
    before: BatchNorm | None,
    *,
    to_x: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients of x (``to_x``), weight, gamma and beta, from that of y = W x as it is normalised by ``norm``.

    Where ``before`` is given, x is not yet normalised by it.
    """
    tiles, (outputs, inputs) = rows.tiles, weight.shape[1:]
    count, width = len(tiles.model), triton.next_power_of_2(outputs)
    parts = weight.new_empty(2, count, outputs)
    own = {"STEP": _STEP, "SIZE": tiles.size, "WIDTH": width, "num_warps": _warps(y)}
    map_kernels.gradient_sums[count,](grad, y, tiles.model, *norm.tables, *parts, outputs, **own)
    sums = weight.new_empty(4, tiles.num_models, outputs)  # of beta and gamma, then what each user takes away
    given = *parts, tiles.first, rows.together.count, norm.scale
    map_kernels.gradient_totals[tiles.num_models,](*given, *sums, outputs, WIDTH=width, TILES=_TILES)
    d_x, tile_weight = torch.empty_like(x) if to_x else x, weight.new_empty(count, outputs * inputs)
    tables = weight, weight.stride(0), tiles.model, rows.counts, *norm.tables, *sums[2:], *_tables(before, weight)
    shape = _shape(x, outputs, tiles.size) | {"TO_X": to_x, "NORM": before is not None, "num_warps": 4}
    map_kernels.gradients[count,](grad, x, y, *tables, d_x, tile_weight, inputs, outputs, **shape)
    d_weight = weight.new_empty(tiles.num_models, outputs, inputs)
    size = outputs * inputs
    grid = tiles.num_models, triton.cdiv(size, 64)
    map_kernels.totals[grid](tile_weight, tiles.first, d_weight, size, WIDTH=64, TILES=_TILES)
    return d_x, d_weight, sums[1], sums[0]


def _tables(norm: BatchNorm | None, unread: Tensor) -> tuple[Tensor, Tensor, Tensor, int]:
    """What kernels read of a batch norm before a map, where there is one."""
    return (unread, unread, unread, 0) if norm is None else norm.tables


def _shape(x: Tensor, outputs: int, size: int) -> dict[str, int]:
    """The powers of two that hold a layer (a product of blocks has at least 16 of each), and rows at a time."""
    widths = [max(triton.next_power_of_2(each), 16) for each in (x.shape[2], outputs)]
    return {"IN": widths[0], "OUT": widths[1], "SIZE": size, "STEP": _STEP if max(widths) <= _STEP else _STEP // 2}


def _warps(x: Tensor) -> int:
    """How many warps a program over rows has: narrow ones in half the bytes take half as many."""
    return 2 if x.dtype == torch.bfloat16 and x.shape[2] <= _STEP else 4

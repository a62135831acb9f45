"""The operations of the network on distinct colours, each standing for as many users as share it.

Rows are laid out as [T, B, C]: T tiles of B rows, each tile belonging to one of S models. One model has one tile;
several have their rows filled up to whole tiles, so that a linear map is one batched product whatever the number of
rows of each model. A filling row stands for no user: it weighs nothing in batch norm and readout, and nobody
aggregates over it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Protocol

import torch
from torch import Tensor

EPS = 1e-5
MOMENTUM = 0.1  # both as in torch.nn.BatchNorm1d

with warnings.catch_warnings():  # torch warns once per process that its CSR support is in beta
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 1))


@cache
def kernels_for(device: torch.device, dtype: torch.dtype) -> ModuleType | None:
    """Compiled kernels of these operations (:mod:`graphldp.learn.cuda`), None where there are none."""
    served = device.type == "cuda" and dtype == torch.float32 and find_spec("triton") is not None
    return import_module("graphldp.learn.cuda") if served else None


class Operator(Protocol):
    """Something that rows [rows, C] can be multiplied by."""

    def __matmul__(self, x: Tensor, /) -> Tensor: ...


@dataclass(frozen=True)
class Tiles:
    """Which model each tile of rows belongs to.

    Args:
        model: int64 [T], rising.
        num_models: S.
        size: rows in a tile.
        first: [S + 1], each model's first tile.
    """

    model: Tensor
    num_models: int
    size: int
    first: Tensor

    def spread(self, values: Tensor) -> Tensor:
        """Each model's values [S, …], for each tile [T, …]."""
        return values if len(self.model) == 1 else values.index_select(0, self.model)

    def collect(self, values: Tensor) -> Tensor:
        """The sum over each model's tiles, [T, …] to [S, …]: as a product, which has a fixed order on every device."""
        if len(self.model) == 1:
            return values
        models = torch.arange(self.num_models, device=values.device)
        member = (models[:, None] == self.model).to(values.dtype)
        return (member @ values.flatten(1)).view(-1, *values.shape[1:])


@dataclass(frozen=True)
class Csr:
    """A sparse matrix by rows: int32 ``crow`` [rows + 1] and ``col`` [entries], ``val`` [entries]."""

    crow: Tensor
    col: Tensor
    val: Tensor
    columns: int

    def __matmul__(self, x: Tensor) -> Tensor:
        rows = len(self.crow) - 1
        if x.device.type == "cuda":
            return self.in_order(x)
        if x.device.type == "mps":  # which has no sparse CSR; this path is untested
            row = torch.repeat_interleave(self.crow.diff().long(), output_size=len(self.col))
            return x.new_zeros(rows, x.shape[1]).index_add_(0, row, x[self.col] * self.val[:, None])
        matrix = torch.sparse_csr_tensor(self.crow, self.col, self.val, (rows, self.columns), check_invariants=False)
        return matrix @ x

    def in_order(self, x: Tensor) -> Tensor:
        """The product with each row added up from left to right; CUDA's own sparse product promises no order."""
        gathered = x.index_select(0, self.col) * self.val[:, None]
        return torch.segment_reduce(gathered, "sum", offsets=self.crow.long(), axis=0, initial=0)


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix and its transpose: rows aggregate over the previous round's rows, gradients flow back."""

    forward: Operator
    backward: Operator


@dataclass(frozen=True)
class Rows:
    """The rows of a batch after one round.

    Args:
        tiles: how they are laid out.
        counts: [T, B, 1], how many users each row stands for.
        users: [S, 1], how many users each model's rows stand for together.
        readout: [blocks, rows], the users of each row in each graph; a model's last block is its filling rows.
        block: [rows], the block of each row.
        matrices: what each row aggregates over, one or more.
    """

    tiles: Tiles
    counts: Tensor
    users: Tensor
    readout: Operator
    block: Tensor
    matrices: tuple[Matrix, ...]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Matrix) -> Tensor:
        ctx.matrix = matrix
        return matrix.forward @ x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None]:
        return ctx.matrix.backward @ grads[0].contiguous() if ctx.needs_input_grad[0] else None, None


_apply_product: Callable[[Tensor, Matrix], Tensor] = _Product.apply


def product(matrix: Matrix, x: Tensor, rows: Rows) -> Tensor:
    """What each row aggregates: the matrix times the previous round's rows [T', B', C], as [T, B, C]."""
    return _apply_product(x.flatten(0, 1), matrix).view(len(rows.tiles.model), rows.tiles.size, x.shape[2])


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows) -> Tensor:
        ctx.rows = rows
        return rows.readout @ x.flatten(0, 1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        rows: Rows = ctx.rows
        kernels = kernels_for(grads[0].device, grads[0].dtype)
        if kernels is not None:
            return kernels.spread(grads[0].contiguous(), rows), None
        spread = grads[0].index_select(0, rows.block).view(*rows.counts.shape[:2], -1)
        return spread.mul_(rows.counts), None


_apply_pool: Callable[[Tensor, Rows], Tensor] = _Pool.apply


def pool(x: Tensor, rows: Rows) -> Tensor:
    """The sum over each graph's users: [T, B, C] to [S, graphs, C]."""
    sums = _apply_pool(x, rows)
    return sums.view(rows.tiles.num_models, -1, x.shape[2])[:, :-1]  # the last block of each model is filling


class _LinearNormRelu(torch.autograd.Function):
    """relu(bn(W x + b)) with batch norm over users.

    The bias moves the mean and nothing else, so it is left out here and its gradient is zero.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        gamma: Tensor,
        beta: Tensor,
        rows: Rows,
        mean: Tensor,
        var: Tensor,
    ) -> Tensor:
        tiles, users = rows.tiles, rows.users.clamp(min=1)
        # the mean of a linear map is the map of the mean, so the product itself takes it away
        batch_mean = torch.bmm(weight, (tiles.collect(_weighted_sum(rows.counts, x)) / users)[:, :, None])[:, :, 0]
        y = torch.baddbmm(tiles.spread(-batch_mean)[:, None], x, tiles.spread(weight).mT)
        batch_var = tiles.collect(_weighted_sum(rows.counts, y * y)) / users
        scale = torch.rsqrt(batch_var + EPS)
        out = torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(scale * gamma)[:, None]).relu_()
        _remember(mean, var, batch_mean + bias, batch_var, rows)
        ctx.save_for_backward(x, weight, gamma, y, out, scale)
        ctx.rows = rows
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, gamma, y, out, scale = ctx.saved_tensors
        rows: Rows = ctx.rows
        tiles, users = rows.tiles, rows.users.clamp(min=1)
        grad = torch.ops.aten.threshold_backward(grads[0], out, 0)
        once = torch.ones_like(rows.counts)
        d_beta = tiles.collect(_weighted_sum(once, grad))
        d_gamma = tiles.collect(_weighted_sum(once, grad * y)) * scale
        # batch norm's backward pass, g - counts (d_beta + y scale d_gamma) / users; its last factor scale gamma is one
        # number a column, so it waits for the small products. y is not needed again and lends its memory.
        shared, slope = tiles.spread(d_beta / users)[:, None], tiles.spread(scale * d_gamma / users)[:, None]
        grad = grad.addcmul_(torch.addcmul(shared, y, slope, out=y), rows.counts, value=-1)
        steep = (scale * gamma)[:, :, None]
        d_weight = tiles.collect(torch.bmm(grad.mT, x)) * steep
        d_x = torch.bmm(grad, tiles.spread(weight * steep)) if ctx.needs_input_grad[0] else None
        return d_x, d_weight, None, d_gamma, d_beta, None, None, None


_apply_linear_norm_relu: Callable[..., Tensor] = _LinearNormRelu.apply


class _FusedLinearNormRelu(torch.autograd.Function):
    """The same by compiled kernels."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        gamma: Tensor,
        beta: Tensor,
        rows: Rows,
        mean: Tensor,
        var: Tensor,
        kernels: ModuleType,
    ) -> Tensor:
        x = x.contiguous()
        y, norm = kernels.forward(x, weight, bias, gamma, mean, var, rows)
        ctx.save_for_backward(x, y, weight, beta, *norm)
        ctx.rows, ctx.kernels = rows, kernels
        out: Tensor = kernels.normalise(y, norm, beta, rows)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, y, weight, beta, *norm = ctx.saved_tensors
        d_x, d_weight, d_gamma, d_beta = ctx.kernels.backward(
            grads[0].contiguous(), x, y, weight, beta, norm, ctx.rows, to_x=ctx.needs_input_grad[0]
        )
        return d_x, d_weight, None, d_gamma, d_beta, None, None, None, None


_apply_fused: Callable[..., Tensor] = _FusedLinearNormRelu.apply


def _remember(mean: Tensor, var: Tensor, batch_mean: Tensor, batch_var: Tensor, rows: Rows) -> None:
    """Move the running statistics; a model without a graph in this batch keeps its own."""
    users = rows.users.clamp(min=1)
    rate = MOMENTUM * (rows.users > 0).to(mean.dtype)
    mean += rate * (batch_mean - mean)
    var += rate * (batch_var * (users / (users - 1).clamp(min=1)) - var)


def linear_norm_relu(
    x: Tensor, rows: Rows, weight: Tensor, bias: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor
) -> Tensor:
    """relu(bn(W x + b)) in training: normalised over the batch's users; updates the running ``mean`` and ``var``.

    Args:
        x: [T, B, inputs].
        rows: what the rows stand for.
        weight: [S, outputs, inputs].
        bias: [S, outputs]; its gradient is zero, since batch norm takes any constant away.
        gamma: [S, outputs].
        beta: [S, outputs].
        mean: [S, outputs].
        var: [S, outputs].
    """
    kernels = kernels_for(x.device, x.dtype)
    if kernels is not None and kernels.fits(weight):
        return _apply_fused(x, weight, bias, gamma, beta, rows, mean, var, kernels)
    return _apply_linear_norm_relu(x, weight, bias, gamma, beta, rows, mean, var)


def linear_norm_relu_fixed(
    x: Tensor, rows: Rows, weight: Tensor, bias: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor
) -> Tensor:
    """relu(bn(W x + b)) in evaluation: normalised by the running ``mean`` and ``var``."""
    tiles = rows.tiles
    # the mean is taken away before scaling, as in training: folding it into the shift would cancel large numbers later
    y = torch.bmm(x, tiles.spread(weight).mT) - tiles.spread(mean - bias)[:, None]
    scale = gamma * torch.rsqrt(var + EPS)
    return torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(scale)[:, None]).relu()


def _weighted_sum(weights: Tensor, values: Tensor) -> Tensor:
    """The sum over rows, [T, B, 1] and [T, B, C] to [T, C]."""
    if len(values) == 1:  # the plain product is the faster one
        return weights[0].T @ values[0]
    return torch.bmm(weights.mT, values)[:, 0]

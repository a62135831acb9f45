"""The operations of the network on distinct colours; :mod:`graphldp.learn.rows` says how these are laid out.

A pass over the rows costs about as much as a third of a linear map, and one training's many small tensors cost time of
their own, so each operation here is written with its gradient, in place wherever nobody else reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from graphldp.learn.rows import EPS, Csr, Matrix, Rows, kernels_for

Map = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


class _Read(torch.autograd.Function):
    """What is read from a round's rows: each graph's sum, and what the next round aggregates."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, matrices: Sequence[Matrix]) -> tuple[Tensor, ...]:
        ctx.rows, ctx.matrices = rows, matrices
        flat = x.flatten(0, 1)
        sums = (rows.readout.forward @ flat).view(rows.tiles.num_models, -1, x.shape[2])
        # the last block of each model is filling
        return sums[:, :-1], *(matrix.forward @ flat for matrix in matrices)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None, None]:
        if not ctx.needs_input_grad[0]:
            return None, None, None
        rows: Rows = ctx.rows
        sums = pad(grads[0], (0, 0, 0, 1)).flatten(0, 1)
        total = rows.readout.backward @ sums
        for matrix, grad in zip(ctx.matrices, grads[1:], strict=True):
            if isinstance(matrix.backward, Csr):
                matrix.backward.add_to(total, grad.contiguous())
            else:
                total.add_(matrix.backward @ grad.contiguous())
        return total.view(*rows.counts.shape[:2], sums.shape[1]), None, None


_apply_read: Callable[..., tuple[Tensor, ...]] = _Read.apply


def read(x: Tensor, rows: Rows, later: Rows | None) -> tuple[Tensor, list[Tensor]]:
    """The sum over each graph's users, and what the rows of the next round aggregate.

    Args:
        x: [T, B, C].
        rows: what its rows stand for.
        later: the rows of the next round, if there is one.

    Returns:
        [S, graphs, C], and [T', B', C] for each matrix of the next round.
    """
    if later is None:
        return _apply_read(x, rows, ())[0], []
    sums, *found = _apply_read(x, rows, later.matrices)
    return sums, [each.view(*later.counts.shape[:2], x.shape[2]) for each in found]


class _LinearNormRelu(torch.autograd.Function):
    """relu(bn(W x + b)) with batch norm over users, once or several times in a row.

    The bias moves the mean and nothing else, so it is left out here and its gradient is zero.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, *tensors: Tensor) -> Tensor:
        tiles, users = rows.tiles, rows.together
        saved: list[Tensor] = []
        for weight, bias, gamma, beta, mean, var in _maps(tensors):
            # the mean of a linear map is the map of the mean
            centre = torch.bmm((tiles.collect(_sums(rows.counts, x)) / users.divisor)[:, None], weight.mT)
            y = _times(x, tiles.spread(weight).mT).sub_(tiles.spread(centre))
            out = y * y
            batch_var = tiles.collect(_sums(rows.counts, out)) / users.divisor
            scale = torch.rsqrt(batch_var + EPS)
            steep = scale * gamma
            torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(steep)[:, None], out=out).relu_()
            mean.lerp_(centre[:, 0] + bias, users.rate)
            var.lerp_(batch_var * users.unbiased, users.rate)
            saved += (x, weight, y, out, scale, steep)
            x = out
        ctx.save_for_backward(*saved)
        ctx.rows = rows
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        rows: Rows = ctx.rows
        tiles, users = rows.tiles, rows.together.divisor
        once = torch.ones_like(rows.counts)
        found: list[Tensor | None] = []
        given, grad = grads[0], torch.empty_like(grads[0])
        for x, weight, y, out, scale, steep in reversed(_maps(ctx.saved_tensors)):
            torch.ops.aten.threshold_backward.grad_input(given, out, 0, grad_input=grad)
            d_beta = tiles.collect(_sums(once, grad))
            d_gamma = tiles.collect(_sums(once, grad * y)) * scale
            # batch norm's backward pass, g - counts (d_beta + y scale d_gamma) / users; its last factor scale gamma is
            # one number a column, so it waits for the small products. y is not needed again and lends its memory.
            shared, slope = tiles.spread(d_beta / users)[:, None], tiles.spread(scale * d_gamma / users)[:, None]
            grad.addcmul_(torch.addcmul(shared, y, slope, out=y), rows.counts, value=-1)
            d_weight = tiles.collect(_times(grad.mT, x)) * steep[:, :, None]
            found = [d_weight, None, d_gamma, d_beta, None, None, *found]
            if len(found) < len(ctx.needs_input_grad) - 2 or ctx.needs_input_grad[0]:
                given = grad = _times(grad, tiles.spread(weight * steep[:, :, None]))
        return grad if ctx.needs_input_grad[0] else None, None, *found


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


def linear_norm_relu(x: Tensor, rows: Rows, *maps: Map) -> Tensor:
    """relu(bn(W x + b)) in training, once or several times in a row: normalised over the batch's users.

    Args:
        x: [T, B, inputs].
        rows: what the rows stand for.
        maps: weight [S, outputs, inputs], bias, gamma, beta, mean, var [S, outputs] of each. The bias's gradient is
            zero, since batch norm takes any constant away; the running mean and var are updated.
    """
    kernels = kernels_for(x.device, x.dtype)
    if kernels is None:
        return _apply_linear_norm_relu(x, rows, *(each for one in maps for each in one))
    for one in maps:
        fits = kernels.fits(one[0])
        x = _apply_fused(x, *one[:4], rows, *one[4:], kernels) if fits else _apply_linear_norm_relu(x, rows, *one)
    return x


def linear_norm_relu_fixed(x: Tensor, rows: Rows, *maps: Map) -> Tensor:
    """relu(bn(W x + b)) in evaluation: normalised by the running ``mean`` and ``var``."""
    tiles = rows.tiles
    for weight, bias, gamma, beta, mean, var in maps:
        # the mean is taken away before scaling, as in training: in the shift it would cancel large numbers later
        y = torch.bmm(x, tiles.spread(weight).mT) - tiles.spread(mean - bias)[:, None]
        scale = gamma * torch.rsqrt(var + EPS)
        x = torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(scale)[:, None]).relu()
    return x


def _maps(tensors: Sequence[Tensor]) -> list[Map]:
    """Tensors in sixes."""
    return list(zip(*(tensors[place::6] for place in range(6)), strict=True))


def _times(a: Tensor, b: Tensor) -> Tensor:
    """The product of [T, n, k] and [T, k, m]; for a single tile the plain one is faster."""
    return torch.mm(a[0], b[0])[None] if a.shape[0] == 1 else torch.bmm(a, b)


def _sums(weights: Tensor, values: Tensor) -> Tensor:
    """The weighted sum over rows, [T, B, 1] and [T, B, C] to [T, C]."""
    return _times(weights.mT, values)[:, 0]

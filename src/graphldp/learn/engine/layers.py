"""The operations of the network on distinct colours; :mod:`graphldp.learn.engine.rows` says how these are laid out.

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

from graphldp.learn.engine.rows import EPS, Matrix, Rows, kernels_for

Map = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


class _Read(torch.autograd.Function):
    """What is read from a round's rows: each graph's sum, and what the next round aggregates."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, matrices: Sequence[Matrix]) -> tuple[Tensor, ...]:
        ctx.rows, ctx.matrices, ctx.kept = rows, matrices, x.dtype
        return _sum_up(x, rows), *(matrix.forward @ x.flatten(0, 1) for matrix in matrices)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None, None]:
        if not ctx.needs_input_grad[0]:
            return None, None, None
        kernels, later = kernels_for(grads[0].device, grads[0].dtype), [grad.contiguous() for grad in grads[1:]]
        if kernels is not None:
            sums = pad(grads[0], (0, 0, 0, 1)).flatten(0, 1)
            down: Tensor = kernels.hand_down(sums, ctx.rows, ctx.matrices, later, ctx.kept)
            return down.view(*ctx.rows.counts.shape[:2], sums.shape[1]), None, None
        total = _hand_down(grads[0], ctx.rows)
        for matrix, grad in zip(ctx.matrices, later, strict=True):
            total.add_((matrix.backward @ grad).view_as(total))
        return total, None, None


_apply_read: Callable[..., tuple[Tensor, ...]] = _Read.apply


def _read(x: Tensor, rows: Rows, later: Rows | None) -> tuple[Tensor, list[Tensor]]:
    """The sum over each graph's users, [S, graphs, C], and what the next round's rows aggregate, [T', B', C] each."""
    if later is None:
        return _apply_read(x, rows, ())[0], []
    sums, *found = _apply_read(x, rows, later.matrices)
    return sums, [each.view(*later.counts.shape[:2], x.shape[2]) for each in found]


class _Convolve(torch.autograd.Function):
    """Each graph's sum of x, and relu(bn(W A x + b)) with batch norm over users; more maps may follow, without A.

    A round has fewer rows than the next, so W A x is computed as A (W x). The bias moves the mean and nothing else, so
    it is left out here and its gradient is zero. Without rows of a round before there is no A and no sum: so a map runs
    that the compiled kernels do not fit. The backward pass writes over what was saved: it can run once.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, before: Rows | None, rows: Rows, *tensors: Tensor) -> tuple[Tensor, Tensor]:
        tiles, users = rows.tiles, rows.together
        sums = x.new_empty(0) if before is None else _sum_up(x, before)
        saved: list[Tensor] = []
        aggregates = before
        for weight, bias, gamma, beta, mean, var in _maps(tensors):
            if aggregates is not None:
                y = _aggregate(x, weight, aggregates, rows)
                centre = (tiles.collect(_sums(rows.counts, y)) / users.divisor)[:, None]
            else:
                # the mean of a linear map is the map of the mean
                centre = torch.bmm((tiles.collect(_sums(rows.counts, x)) / users.divisor)[:, None], weight.mT)
                y = _times(x, tiles.spread(weight).mT)
            y.sub_(tiles.spread(centre))
            out = y * y
            batch_var = tiles.collect(_sums(rows.counts, out)) / users.divisor
            scale = torch.rsqrt(batch_var + EPS)
            steep = scale * gamma
            torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(steep)[:, None], out=out).relu_()
            mean.lerp_(centre[:, 0] + bias, users.rate)
            var.lerp_(batch_var * users.unbiased, users.rate)
            saved += (x, weight, y, out, scale, steep)
            x, aggregates = out, None
        ctx.save_for_backward(*saved)
        ctx.before, ctx.rows = before, rows
        return sums, x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        before: Rows | None = ctx.before
        rows: Rows = ctx.rows
        tiles, users = rows.tiles, rows.together.divisor
        once = torch.ones_like(rows.counts)
        found: list[Tensor | None] = []
        given, grad = grads[1], torch.empty_like(grads[1])
        wanted = ctx.needs_input_grad[0]
        d_x = _hand_down(grads[0], before) if before is not None and wanted else None
        for place, (x, weight, y, out, scale, steep) in reversed(list(enumerate(_maps(ctx.saved_tensors)))):
            torch.ops.aten.threshold_backward.grad_input(given, out, 0, grad_input=grad)
            d_beta = tiles.collect(_sums(once, grad))
            d_gamma = tiles.collect(_sums(once, grad * y)) * scale
            # batch norm's backward pass, g - counts (d_beta + y scale d_gamma) / users; its last factor scale gamma is
            # one number a column, so it waits for the small products. y is not needed again and lends its memory.
            shared, slope = tiles.spread(d_beta / users)[:, None], tiles.spread(scale * d_gamma / users)[:, None]
            grad.addcmul_(torch.addcmul(shared, y, slope, out=y), rows.counts, value=-1)
            steeper = weight * steep[:, :, None]
            if place == 0 and before is not None:
                d_weight = _aggregate_back(grad, x, steeper, d_x, before, rows)
            else:
                d_weight = tiles.collect(_times(grad.mT, x))
                if place or wanted:
                    d_before = _times(grad, tiles.spread(steeper))
                    if place:
                        given = grad = d_before
                    else:
                        d_x = d_before
            found = [d_weight * steep[:, :, None], None, d_gamma, d_beta, None, None, *found]
        return d_x, None, None, *found


_apply_convolve: Callable[..., tuple[Tensor, Tensor]] = _Convolve.apply


def _aggregate(x: Tensor, weight: Tensor, before: Rows, rows: Rows) -> Tensor:
    """The linear map of what a round's rows take from those before, [T', B', inputs] to [T, B, outputs]."""
    parts = weight.chunk(len(rows.matrices), dim=2)
    total, *others = (
        matrix.forward @ _times(x, before.tiles.spread(part).mT).flatten(0, 1)
        for matrix, part in zip(rows.matrices, parts, strict=True)
    )
    for each in others:
        total.add_(each)
    return total.view(*rows.counts.shape[:2], weight.shape[1])


def _aggregate_back(grad: Tensor, x: Tensor, weight: Tensor, d_x: Tensor | None, before: Rows, rows: Rows) -> Tensor:
    """The weight's gradient by that of what :func:`_aggregate` gives; that of x is added to ``d_x``."""
    found = []
    for matrix, part in zip(rows.matrices, weight.chunk(len(rows.matrices), dim=2), strict=True):
        back = (matrix.backward @ grad.flatten(0, 1)).view(*before.counts.shape[:2], grad.shape[2])
        found.append(before.tiles.collect(_times(back.mT, x)))
        if d_x is not None:
            _add_product(d_x, back, before.tiles.spread(part))
    return torch.cat(found, dim=2)


def _sum_up(x: Tensor, rows: Rows) -> Tensor:
    """The sum over each graph's users, [T, B, C] to [S, graphs, C]: a model's last block is filling."""
    return (rows.readout.forward @ x.flatten(0, 1)).view(rows.tiles.num_models, -1, x.shape[2])[:, :-1]


def _hand_down(grad: Tensor, rows: Rows) -> Tensor:
    """The gradient of :func:`_sum_up`."""
    sums = pad(grad, (0, 0, 0, 1)).flatten(0, 1)
    return (rows.readout.backward @ sums).view(*rows.counts.shape[:2], grad.shape[2])


class _FusedLinearNormRelu(torch.autograd.Function):
    """relu(bn(W x + b)) by compiled kernels."""

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


def convolve(x: Tensor, rows: Rows, later: Rows, *maps: Map, training: bool) -> tuple[Tensor, Tensor]:
    """The sum over each graph's users; and what the next round aggregates, after relu(bn(W · + b)) once or more.

    Args:
        x: [T, B, C].
        rows: what its rows stand for.
        later: the rows of the next round, and what they aggregate.
        maps: weight [S, outputs, inputs], bias, gamma, beta, mean, var [S, outputs] of each. In training the bias's
            gradient is zero, since batch norm takes any constant away, and the running mean and var are updated.
        training: normalise over the batch's users, else by the running statistics.

    Returns:
        [S, graphs, C], and [T', B', outputs].
    """
    kernels = kernels_for(x.device, rows.counts.dtype)
    if training and kernels is None:
        return _apply_convolve(x, rows, later, *(each for one in maps for each in one))
    sums, parts = _read(x, rows, later)
    x = parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)
    for one in maps:
        if not training:
            fused = kernels is not None and kernels.fits(one[0])
            x = kernels.evaluate(x, *one, later) if kernels and fused else _linear_norm_relu_fixed(x, later, *one)
        elif kernels is not None and kernels.fits(one[0]):
            x = _apply_fused(x, *one[:4], later, *one[4:], kernels)
        else:
            x = _apply_convolve(x, None, later, *one)[1]
    return sums, x


def sum_up(x: Tensor, rows: Rows) -> Tensor:
    """The sum over each graph's users, [T, B, C] to [S, graphs, C]."""
    return _read(x, rows, None)[0]


def _linear_norm_relu_fixed(
    x: Tensor, rows: Rows, weight: Tensor, bias: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor
) -> Tensor:
    """relu(bn(W x + b)) in evaluation: normalised by the running ``mean`` and ``var``."""
    tiles = rows.tiles
    # the mean is taken away before scaling, as in training: in the shift it would cancel large numbers later
    y = torch.bmm(x, tiles.spread(weight).mT) - tiles.spread(mean - bias)[:, None]
    scale = gamma * torch.rsqrt(var + EPS)
    return torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(scale)[:, None]).relu()


def _maps(tensors: Sequence[Tensor]) -> list[Map]:
    """Tensors in sixes."""
    return list(zip(*(tensors[place::6] for place in range(6)), strict=True))


def _times(a: Tensor, b: Tensor) -> Tensor:
    """The product of [T, n, k] and [T, k, m]; for a single tile the plain one is faster."""
    return torch.mm(a[0], b[0])[None] if a.shape[0] == 1 else torch.bmm(a, b)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """Add a product to what there is, in place."""
    if a.shape[0] == 1:
        total[0].addmm_(a[0], b[0])
    else:
        total.baddbmm_(a, b)


def _sums(weights: Tensor, values: Tensor) -> Tensor:
    """The weighted sum over rows, [T, B, 1] and [T, B, C] to [T, C]."""
    return _times(weights.mT, values)[:, 0]

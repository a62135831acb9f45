"""The operations of the network on distinct colours; :mod:`graphldp.learn.engine.rows` says how these are laid out.

On a CUDA GPU compiled kernels take the place of these operations (:mod:`graphldp.learn.engine.cuda`). One model on a
CPU does without them (:mod:`graphldp.learn.engine.cpu`). Plain operations serve all else: several models on a CPU,
double precision on a GPU, and machines without the compilers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from graphldp.learn.engine.rows import EPS, Head, Map, Matrix, Rows, kernels_for


class _Read(torch.autograd.Function):
    """What is read from a round's rows: each graph's sum, and what the next round aggregates."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, matrices: Sequence[Matrix]) -> tuple[Tensor, ...]:
        ctx.rows, ctx.matrices, ctx.kept = rows, matrices, x.dtype
        # a model's last block is filling
        sums = (rows.readout.forward @ x.flatten(0, 1)).view(rows.tiles.num_models, -1, x.shape[2])[:, :-1]
        return sums, *(matrix.forward @ x.flatten(0, 1) for matrix in matrices)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None, None]:
        if not ctx.needs_input_grad[0]:
            return None, None, None
        kernels, later = kernels_for(grads[0].device, grads[0].dtype), [grad.contiguous() for grad in grads[1:]]
        sums = pad(grads[0], (0, 0, 0, 1)).flatten(0, 1)
        total: Tensor = kernels.hand_down(sums, ctx.rows, ctx.matrices, later, ctx.kept)
        return total.view(*ctx.rows.counts.shape[:2], sums.shape[1]), None, None


_apply_read: Callable[..., tuple[Tensor, ...]] = _Read.apply


def _read(x: Tensor, rows: Rows, later: Rows | None) -> tuple[Tensor, list[Tensor]]:
    """The sum over each graph's users, [S, graphs, C], and what the next round's rows aggregate, [T', B', C] each."""
    if later is None:
        return _apply_read(x, rows, ())[0], []
    sums, *found = _apply_read(x, rows, later.matrices)
    return sums, [each.view(*later.counts.shape[:2], x.shape[2]) for each in found]


class _Fused(torch.autograd.Function):
    """relu(bn(W x + b)) once or more, by compiled kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, kernels: ModuleType, *tensors: Tensor) -> Tensor:
        x, norm = x.contiguous(), None
        saved = [x]
        for one in _maps(tensors):
            x, norm = kernels.forward(x, one, rows, norm)
            saved += (one[0], x, norm.mean, norm.scale, norm.steep, norm.beta)
        ctx.save_for_backward(*saved)
        ctx.rows, ctx.kernels = rows, kernels
        out: Tensor = kernels.normalise(x, norm, rows)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        rows, kernels = ctx.rows, ctx.kernels
        x, *saved = ctx.saved_tensors
        maps = [(weight, y, kernels.BatchNorm(*norm)) for weight, y, *norm in _maps(saved)]
        given, before = [x, *(y for _, y, _ in maps)], [None, *(norm for *_, norm in maps)]
        grad = grads[0].contiguous()
        found: list[Tensor | None] = []
        for place, (weight, y, norm) in reversed(list(enumerate(maps))):
            to_x = place > 0 or ctx.needs_input_grad[0]
            grad, d_weight, d_gamma, d_beta = kernels.backward(
                grad, given[place], y, weight, norm, rows, before[place], to_x=to_x
            )
            found = [d_weight, None, d_gamma, d_beta, None, None, *found]
        return grad if ctx.needs_input_grad[0] else None, None, None, *found


_apply_fused: Callable[..., Tensor] = _Fused.apply


def score(
    x: Tensor,
    rounds: Sequence[Rows],
    layers: Sequence[Sequence[Map]],
    heads: Sequence[Head],
    size: Tensor,
    kept: Tensor | None,
    *,
    training: bool,
) -> Tensor:
    """The sum over all rounds of V_k · Σ h_k / size + c_k, [S, graphs, classes], Σ being over a graph's users.

    Args:
        x: h_0, [T, B, C], of the rows of round 0.
        rounds: what rows stand for, and what they aggregate over.
        layers: the maps from each round to the next, relu(bn(W · + b)) once or more. In training a bias has no
            gradient, since batch norm takes any constant away, and the running mean and var are updated.
        heads: V_k and c_k.
        size: [S, graphs, 1].
        kept: [S, graphs, rounds · classes], the factors of dropout, if any.
        training: normalise over the batch's users, else by the running statistics.
    """
    factors = [None] * len(heads) if kept is None else kept.chunk(len(heads), dim=2)
    total = torch.zeros((), dtype=size.dtype, device=size.device)
    for sums, (weight, bias), factor in zip(_pool(x, rounds, layers, training=training), heads, factors, strict=True):
        one = torch.baddbmm(bias[:, None], sums / size, weight.mT)
        total = total + (one if factor is None else one * factor)
    return total


def _pool(x: Tensor, rounds: Sequence[Rows], layers: Sequence[Sequence[Map]], *, training: bool) -> Iterator[Tensor]:
    """The sum over each graph's users [S, graphs, C] after each round."""
    kernels = kernels_for(x.device, rounds[0].counts.dtype)
    for k, maps in enumerate(layers):
        later = rounds[k + 1]
        sums, parts = _read(x, rounds[k], later)
        yield sums
        x = parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)
        fitting = [one for one in maps if kernels.fits(one[0])]
        for one in maps[: len(maps) - len(fitting)]:  # the first, of very many inputs; or all
            x = _linear_norm_relu(x.to(one[0].dtype), later, *one, training=training)
        if fitting and training:
            x = _apply_fused(x, later, kernels, *(each for one in fitting for each in one))
        else:
            for one in fitting:
                x = kernels.evaluate(x, one, later)
    yield _read(x, rounds[-1], None)[0]


def _linear_norm_relu(
    x: Tensor,
    rows: Rows,
    weight: Tensor,
    bias: Tensor,
    gamma: Tensor,
    beta: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    training: bool,
) -> Tensor:
    """relu(bn(W x + b)); the bias moves the mean and nothing else, so in training it is left out."""
    tiles, users = rows.tiles, rows.together
    y = torch.bmm(x, tiles.spread(weight).mT)
    if training:
        centre = tiles.collect(_sums(rows.counts, y)) / users.divisor
        y = y - tiles.spread(centre)[:, None]
        spread = tiles.collect(_sums(rows.counts, y * y)) / users.divisor
        mean.lerp_(centre.detach() + bias.detach(), users.rate)
        var.lerp_(spread.detach() * users.unbiased, users.rate)
    else:
        # the mean is taken away before scaling, as in training: in the shift it would cancel large numbers later
        y, spread = y - tiles.spread(mean - bias)[:, None], var
    steep = gamma * torch.rsqrt(spread + EPS)
    return torch.addcmul(tiles.spread(beta)[:, None], y, tiles.spread(steep)[:, None]).relu()


def _sums(weights: Tensor, values: Tensor) -> Tensor:
    """The weighted sum over rows, [T, B, 1] and [T, B, C] to [T, C]."""
    return torch.bmm(weights.mT, values)[:, 0]


def _maps(tensors: Sequence[Tensor]) -> list[Map]:
    """The maps whose tensors these are, six of each one after the other."""
    return list(zip(*(tensors[place::6] for place in range(6)), strict=True))

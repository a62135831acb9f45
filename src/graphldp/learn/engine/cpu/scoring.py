"""The scores of one model on a CPU, with their gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphldp.learn.engine.cpu.passes import Floats
from graphldp.learn.engine.cpu.tower import Ahead, Back, Layers, MapArrays, quietly
from graphldp.learn.engine.rows import Head, Map, Rows


class _Heads:
    """The scores by what is pooled after each round, V · sum / size + c each, and their gradients."""

    def __init__(self, heads: Sequence[tuple[Floats, Floats]], size: Floats, kept: Floats | None) -> None:
        self._heads, self._size = heads, size
        self._factors = np.split(
            np.ones_like(size, shape=(1, len(heads))) if kept is None else kept, len(heads), axis=1
        )
        self._means: list[Floats] = []

    @quietly
    def scores(self, sums: Iterable[Floats]) -> Floats:
        """[graphs, classes]; the last block of sums is filling."""
        self._means = [each[:-1] / self._size for each in sums]
        total = self._size * 0
        for mean, (weight, bias), factor in zip(self._means, self._heads, self._factors, strict=True):
            total = total + (mean @ weight.T + bias) * factor
        return total

    @quietly
    def gradients(self, grad: Floats) -> tuple[list[Floats], list[tuple[Floats, Floats]]]:
        """Of the sums, and of weight and bias of each round."""
        d_sums: list[Floats] = []
        found: list[tuple[Floats, Floats]] = []
        for mean, (weight, _), factor in zip(self._means, self._heads, self._factors, strict=True):
            own = grad * factor
            down = np.zeros((len(mean) + 1, mean.shape[1]), mean.dtype)
            np.divide(own @ weight, self._size, out=down[:-1])
            d_sums.append(down)
            found.append((own.T @ mean, own.sum(0)))
        return d_sums, found


class _Tower(torch.autograd.Function):
    """The scores of one model in training; the backward pass writes over what was kept: it can run once."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        rounds: Sequence[Rows],
        size: Tensor,
        kept: Tensor | None,
        lengths: Sequence[int],
        *tensors: Tensor,
    ) -> Tensor:
        layers, heads = _arrays(lengths, tensors)
        ahead = Ahead(rounds, layers, training=True)
        ctx.x, ctx.heads = x[0].numpy(), _Heads(heads, size[0].numpy(), None if kept is None else kept[0].numpy())
        found = ctx.heads.scores(ahead.pooled(ctx.x))
        ctx.back = Back(rounds, layers, ahead.kept)
        return torch.from_numpy(found)[None]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        d_sums, d_heads = ctx.heads.gradients(grads[0][0].numpy())
        flat: list[Tensor | None] = []
        for weight, gamma, beta in ctx.back.gradients(ctx.x, d_sums):
            flat += [_tensor(weight), None, _tensor(gamma), _tensor(beta), None, None]
        return None, None, None, None, None, *flat, *(_tensor(each) for pair in d_heads for each in pair)


_apply: Callable[..., Tensor] = _Tower.apply


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
    """See :func:`graphldp.learn.engine.layers.score`."""
    lengths = [len(maps) for maps in layers]
    tensors = [each for maps in layers for one in maps for each in one] + [each for pair in heads for each in pair]
    if training:
        return _apply(x, rounds, size, kept, lengths, *tensors)
    arrays, own = _arrays(lengths, tensors)
    sums = Ahead(rounds, arrays, training=False).pooled(x[0].numpy())
    return _tensor(_Heads(own, size[0].numpy(), None if kept is None else kept[0].numpy()).scores(sums))


def _arrays(lengths: Sequence[int], tensors: Sequence[Tensor]) -> tuple[Layers, list[tuple[Floats, Floats]]]:
    """The maps of each layer, and the heads."""
    arrays = iter([each.detach().numpy()[0] for each in tensors])
    layers = [[MapArrays(*islice(arrays, 6)) for _ in range(length)] for length in lengths]
    return layers, list(zip(arrays, arrays, strict=True))


def _tensor(array: Floats) -> Tensor:
    return torch.from_numpy(array)[None]

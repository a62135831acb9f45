"""The tables that an epoch's steps read of several trainings, [steps, S, …]: made on the host, sent to the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.one_training import Training
from graphldp.learn.engine.packed.layout import send

BETAS = 0.9, 0.999
EPS = 1e-8  # both as in torch.optim.Adam


def in_batches(values: Sequence[NDArray[np.int64]], sizes: Sequence[int], filling: int) -> NDArray[np.int64]:
    """Each training's values in batches of its own size, [steps, S, B]; ``filling`` where it has fewer than others."""
    steps = max(-(-len(each) // size) for each, size in zip(values, sizes, strict=True))
    found = np.full((steps, len(values), max(sizes)), filling, dtype=np.int64)
    for s, (each, size) in enumerate(zip(values, sizes, strict=True)):
        step, place = np.divmod(np.arange(len(each)), size)
        found[step, s, place] = each
    return found


def dropout(members: Sequence[Training], shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Dropout's factors for the next epoch, [steps, S, B, spec.dropouts]."""
    draws = np.ones((*shape, members[0].spec.dropouts), dtype=np.float32)
    for s, member in enumerate(members):
        step, place = np.divmod(np.arange(len(member.train_set)), int(member.options.batch_size))
        draws[step, s, place] = member.coming.dropout
    rates = np.array([member.spec.dropout for member in members])[:, None, None]
    rate = send(rates, like.device, torch.float32).to(like.dtype)
    return (send(draws, like.device, like.dtype) >= rate) / (1 - rate)


def adam(members: Sequence[Training], steps: int, like: Tensor) -> Tensor:
    """[steps, 4, S, 1]: for each step and training its rates of change, its step size and its second correction."""
    plan = np.zeros((steps, 4, len(members), 1))
    for s, member in enumerate(members):
        options, own = member.options, member.batches
        lr = options.lr * options.lr_decay ** (member.epochs // options.lr_step)
        number = member.epochs * own + np.arange(1, own + 1)
        plan[:own, 0, s, 0] = 1 - BETAS[0]
        plan[:own, 1, s, 0] = 1 - BETAS[1]
        plan[:own, 2, s, 0] = lr / (1 - BETAS[0] ** number)
        plan[:own, 3, s, 0] = 1 / np.sqrt(1 - BETAS[1] ** number)
    return send(plan, like.device, like.dtype)

"""The layout of a batch: where its blocks come from and go to, and how much room it is given."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

GRADES = 4
"""Sizes of room in an octave, for one model: a batch has at most a fifth more room than its largest part needs."""


def lay_out(
    pointers: NDArray[np.int64], ids: NDArray[np.int64], tile: int, total: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Length, shift and target of blocks [steps, S, B] and of the block that fills up each model's: [3, steps, …].

    Args:
        pointers: where each graph's block begins in the store.
        ids: which graphs; the number of graphs in the store where a model has fewer.
        tile: the length of each model's blocks is a multiple of it.
        total: the length of each step's blocks together, where it is to be larger: the last block gets the rest.
    """
    ends = np.append(pointers, pointers[-1])  # the graph past the last one is empty
    source = ends[ids]
    length = ends[ids + 1] - source
    filling = -length.sum(axis=2, keepdims=True) % tile
    if total is not None:
        filling[:, -1, 0] += total - length.sum(axis=(1, 2)) - filling.sum(axis=(1, 2))
    table = np.zeros((3, len(ids), ids.shape[1] * (ids.shape[2] + 1) + 1), dtype=np.int64)
    table[0, :, :-1] = np.concatenate((length, filling), axis=2).reshape(len(ids), -1)
    np.cumsum(table[0, :, :-1], axis=1, out=table[2, :, 1:])
    past = np.full_like(filling, pointers[-1])
    table[1, :, :-1] = np.concatenate((source, past), axis=2).reshape(len(ids), -1) - table[2, :, :-1]
    return table


def index_type(*tables: NDArray[np.int64]) -> torch.dtype:
    """The smallest type that holds places in these tables."""
    large = max(int(np.abs(each).max(initial=0)) for each in tables) > np.iinfo(np.int32).max
    return torch.int64 if large else torch.int32


def room_for(sizes: NDArray[np.int64], whole: NDArray[np.int64], models: int = 1) -> NDArray[np.int64]:
    """Room for what each step needs, in few sizes: all parts of a step's room grow together.

    Args:
        sizes: [parts, steps], what is needed.
        whole: [parts], how large each part of the store is; the parts of a room are to each other as these.
        models: S; the batches of many together differ less, by the root of their number, so sizes are finer.
    """
    share = whole[:, None] / max(int(whole.max(initial=0)), 1)
    needed = np.divide(sizes, share, where=share > 0, out=np.ones(sizes.shape)).max(axis=0)
    grades = GRADES * models**0.5
    grade = np.ceil(grades * np.log2(np.maximum(needed, 1)))
    return np.asarray(np.ceil(share * 2.0 ** (grade / grades)), dtype=np.int64)


def send(values: NDArray[np.generic], device: torch.device, dtype: torch.dtype) -> Tensor:
    """Values of the host on a device, without waiting for what the device has still to do."""
    found = torch.from_numpy(values).to(dtype)
    if device.type != "cuda":
        return found.to(device)
    return found.pin_memory().to(device, non_blocking=True)

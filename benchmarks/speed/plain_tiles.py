"""What :mod:`graphldp.learn.engine.cpu.tiles` does, in loops as numba compiles them: measured beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], Floats]
Norm = Floats
TILE = 240
FAST = {"contract"}


@njit(nogil=True, cache=True)
def tiles_of(rows: int) -> int:
    """How many tiles there are."""
    return -(-rows // TILE)


@njit(nogil=True, cache=True, fastmath=FAST)
def sum_lists(width: int, lists: Entries, first: int, last: int, x: Floats, out: Floats, place: int, add: bool) -> None:
    """The weighted sum over each row's list."""
    begin, end, offset, col, val = lists
    for row in range(first, last):
        total = out[place + row - first]
        if not add:
            total[:] = 0
        shift = offset[row]
        for entry in range(begin[row], end[row]):
            own, value = x[col[entry] + shift], val[entry]
            for j in range(width):
                total[j] += value * own[j]


@njit(nogil=True, cache=True, fastmath=FAST)
def pool_lists(width: int, lists: Entries, first: int, last: int, y: Floats, norm: Floats, out: Floats) -> None:
    """The weighted sum of relu(bn(y)) over each row's list."""
    begin, end, offset, col, val = lists
    mean, steep, beta = norm[0], norm[2], norm[3]
    zero = y.dtype.type(0)
    for row in range(first, last):
        total, shift = out[row], offset[row]
        total[:] = 0
        for entry in range(begin[row], end[row]):
            own, value = y[col[entry] + shift], val[entry]
            for j in range(width):
                v = (own[j] - mean[j]) * steep[j] + beta[j]
                total[j] += value * (zero if v < zero else v)


@njit(nogil=True, cache=True, fastmath=FAST)
def moments(y: Floats, counts: Floats, tile: int, first: int, last: int, weights: Floats, parts: Floats) -> None:
    """Users of a tile, and of each column their mean and the squares of what differs from it."""
    total = counts.dtype.type(0)
    for i in range(first, last):
        total += counts[i]
    weights[tile] = total
    share = counts.dtype.type(1) / total if total > 0 else counts.dtype.type(0)
    mean, squares = parts[0, tile], parts[1, tile]
    mean[:] = 0
    squares[:] = 0
    width = y.shape[1]
    for i in range(first, last):
        own, c = y[i], counts[i]
        for j in range(width):
            mean[j] += c * own[j]
    for j in range(width):
        mean[j] *= share
    for i in range(first, last):
        own, c = y[i], counts[i]
        for j in range(width):
            off = own[j] - mean[j]
            squares[j] += (c * off) * off


@njit(nogil=True, cache=True, fastmath=FAST)
def normalise(width: int, y: Floats, norm: Floats, first: int, last: int, out: Floats) -> None:
    """relu(bn(y)) of a tile."""
    mean, steep, beta = norm[0], norm[2], norm[3]
    zero = y.dtype.type(0)
    for i in range(first, last):
        own, there = y[i], out[i - first]
        for j in range(width):
            v = (own[j] - mean[j]) * steep[j] + beta[j]
            there[j] = zero if v < zero else v


@njit(nogil=True, cache=True, fastmath=FAST)
def through_relu(
    width: int, grad: Floats, y: Floats, norm: Floats, tile: int, first: int, last: int, sums: Floats
) -> None:
    """Gradients stop where relu was 0."""
    mean, steep, beta = norm[0], norm[2], norm[3]
    plain, sloped = sums[0, tile], sums[1, tile]
    plain[:] = 0
    sloped[:] = 0
    zero = y.dtype.type(0)
    for i in range(first, last):
        own, g = y[i], grad[i]
        for j in range(width):
            off = own[j] - mean[j]
            passed = g[j] if off * steep[j] + beta[j] > zero else zero
            g[j] = passed
            plain[j] += passed
            sloped[j] += passed * off


@njit(nogil=True, cache=True, fastmath=FAST)
def take(
    width: int,
    grad: Floats,
    y: Floats,
    norm: Floats,
    taken: Floats,
    counts: Floats,
    first: int,
    last: int,
    out: Floats,
    place: int,
) -> None:
    """Batch norm's backward pass."""
    mean, plain, sloped = norm[0], taken[0], taken[1]
    for i in range(first, last):
        own, g, there, c = y[i], grad[i], out[place + i - first], counts[i]
        for j in range(width):
            share = sloped[j] * (own[j] - mean[j]) + plain[j]
            there[j] = g[j] - c * share

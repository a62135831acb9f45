"""What a pass does with the rows of a tile: sums over lists, moments, batch norm and relu, there and back.

All of it is loops over rows with columns in registers (:mod:`graphldp.learn.engine.cpu.vectors`). A function begins
with the number of columns. It may write where it reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.vectors import (
    in_columns,
    load,
    minus,
    plus,
    relu,
    spread,
    store,
    times_plus,
    where_positive,
    zeros,
)

Floats = NDArray[np.floating[Any]]
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], Floats]
"""Of each row: the first entry, the one after the last, what is added to columns; then columns, and values."""
Norm = Floats
"""[4, columns]: mean, 1/sd, gamma/sd and beta."""

TILE = 240
"""Rows. Of 64 numbers they are 60 KB, of which two or three lie in the second-level cache. OpenBLAS has faster products
of up to a million multiplications: with 64 inputs and outputs, up to 244 rows."""


@njit(nogil=True, cache=True)
def tiles_of(rows: int) -> int:
    """How many tiles there are."""
    return -(-rows // TILE)


@in_columns
def sum_lists(
    lanes: Any, j: int, lists: Entries, first: int, last: int, x: Floats, out: Floats, place: int, add: bool
) -> None:
    """The weighted sum over each row's list, from row ``place`` of ``out`` on, added to what there is or not."""
    begin, end, offset, col, val = lists
    for row in range(first, last):
        shift, total = offset[row], zeros(lanes, out)
        if add:
            total = load(lanes, out, place + row - first, j)
        for entry in range(begin[row], end[row]):
            total = times_plus(spread(val[entry], total), load(lanes, x, col[entry] + shift, j), total)
        store(out, place + row - first, j, total)


@in_columns
def pool_lists(lanes: Any, j: int, lists: Entries, first: int, last: int, y: Floats, norm: Norm, out: Floats) -> None:
    """The weighted sum of relu(bn(y)) over each row's list."""
    mean, steep, beta = load(lanes, norm, 0, j), load(lanes, norm, 2, j), load(lanes, norm, 3, j)
    begin, end, offset, col, val = lists
    for row in range(first, last):
        shift, total = offset[row], zeros(lanes, out)
        for entry in range(begin[row], end[row]):
            value = minus(load(lanes, y, col[entry] + shift, j), mean)
            total = times_plus(spread(val[entry], total), relu(times_plus(value, steep, beta)), total)
        store(out, row, j, total)


@in_columns
def _spreads(
    lanes: Any, j: int, y: Floats, counts: Floats, tile: int, first: int, last: int, share: float, parts: Floats
) -> None:
    """Of each column the mean over the users of a tile, and the squares of what differs from it."""
    mean = squares = zeros(lanes, y)
    for i in range(first, last):
        mean = times_plus(spread(counts[i], mean), load(lanes, y, i, j), mean)
    mean = times_plus(spread(share, mean), mean, zeros(lanes, y))
    for i in range(first, last):
        off = minus(load(lanes, y, i, j), mean)
        squares = times_plus(times_plus(spread(counts[i], off), off, zeros(lanes, y)), off, squares)
    store(parts[0], tile, j, mean)
    store(parts[1], tile, j, squares)


@njit(nogil=True, cache=True)
def moments(y: Floats, counts: Floats, tile: int, first: int, last: int, weights: Floats, parts: Floats) -> None:
    """Users of a tile, and of each column their mean and the squares of what differs from it."""
    total = counts.dtype.type(0)
    for i in range(first, last):
        total += counts[i]
    weights[tile] = total
    share = counts.dtype.type(1) / total if total > 0 else counts.dtype.type(0)
    _spreads(y.shape[1], y, counts, tile, first, last, share, parts)


@in_columns
def normalise(lanes: Any, j: int, y: Floats, norm: Norm, first: int, last: int, out: Floats) -> None:
    """relu(bn(y)) of a tile, from row 0 of ``out`` on."""
    mean, steep, beta = load(lanes, norm, 0, j), load(lanes, norm, 2, j), load(lanes, norm, 3, j)
    for i in range(first, last):
        store(out, i - first, j, relu(times_plus(minus(load(lanes, y, i, j), mean), steep, beta)))


@in_columns
def through_relu(
    lanes: Any, j: int, grad: Floats, y: Floats, norm: Norm, tile: int, first: int, last: int, sums: Floats
) -> None:
    """Gradients stop where relu was 0. Of those that pass: their sum, and that of their products with y - mean."""
    mean, steep, beta = load(lanes, norm, 0, j), load(lanes, norm, 2, j), load(lanes, norm, 3, j)
    plain = sloped = zeros(lanes, y)
    for i in range(first, last):
        off = minus(load(lanes, y, i, j), mean)
        passed = where_positive(load(lanes, grad, i, j), times_plus(off, steep, beta))
        store(grad, i, j, passed)
        plain, sloped = plus(plain, passed), times_plus(passed, off, sloped)
    store(sums[0], tile, j, plain)
    store(sums[1], tile, j, sloped)


@in_columns
def take(
    lanes: Any,
    j: int,
    grad: Floats,
    y: Floats,
    norm: Norm,
    taken: Floats,
    counts: Floats,
    first: int,
    last: int,
    out: Floats,
    place: int,
) -> None:
    """Batch norm's backward pass, from row ``place`` of ``out`` on, but for its last factor, gamma/sd.

    That one waits for small matrices. ``taken`` is what :func:`graphldp.learn.engine.cpu.passes.totals` gives.
    """
    mean, plain, sloped = load(lanes, norm, 0, j), load(lanes, taken, 0, j), load(lanes, taken, 1, j)
    for i in range(first, last):
        share = times_plus(sloped, minus(load(lanes, y, i, j), mean), plain)
        less = spread(-counts[i], share)
        store(out, place + i - first, j, times_plus(less, share, load(lanes, grad, i, j)))

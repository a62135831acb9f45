"""The compiled passes over rows on a CPU; :mod:`graphldp.learn.engine.cpu.tower` says how a step is made of them.

A pass takes :data:`TILE` rows at a time, few enough to stay in the cache, and does all that can be done with them: a
sum over lists, a linear map, batch norm, relu, and the sums that the next batch norm needs. Each tile has its own part
of every sum, and parts are added up in order. So the result does not depend on which thread works on which tile.

A pass over tiles begins with the first of them and the one after the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.rows import EPS

Floats = NDArray[np.floating[Any]]
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], Floats]
"""Of each row: the first entry, the one after the last, what is added to columns; then columns, and values."""
Norm = Floats
"""[4, columns]: mean, 1/sd, gamma/sd and beta."""

TILE = 256  # rows of 64 numbers are 64 KB, of which two or three lie in the second-level cache
FAST = {"contract"}  # a product and a sum may be one operation; nothing else may change


@njit(nogil=True, cache=True)
def tiles_of(rows: int) -> int:
    """How many tiles there are."""
    return -(-rows // TILE)


@njit(nogil=True, cache=True, fastmath=FAST)
def _add_list(lists: Entries, row: int, x: Floats, out: Floats) -> None:
    """Add the weighted sum over a row's list, four entries at a time."""
    begin, end, offset, col, val = lists
    width, shift = len(out), offset[row]
    entry, stop = begin[row], end[row]
    while entry + 4 <= stop:
        a, b, c, d = val[entry], val[entry + 1], val[entry + 2], val[entry + 3]
        p, q = x[col[entry] + shift], x[col[entry + 1] + shift]
        r, s = x[col[entry + 2] + shift], x[col[entry + 3] + shift]
        for j in range(width):
            out[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
        entry += 4
    while entry < stop:
        a, p = val[entry], x[col[entry] + shift]
        for j in range(width):
            out[j] += a * p[j]
        entry += 1


@njit(nogil=True, cache=True, fastmath=FAST)
def _moments(y: Floats, counts: Floats, tile: int, first: int, last: int, weights: Floats, parts: Floats) -> None:
    """Users of a tile, and of each column their mean and the squares of what differs from it."""
    width, total = y.shape[1], counts.dtype.type(0)
    mean, squares = parts[0, tile], parts[1, tile]
    mean[:] = 0
    squares[:] = 0
    for i in range(first, last):
        total += counts[i]
        for j in range(width):
            mean[j] += counts[i] * y[i, j]
    weights[tile] = total
    if total > 0:
        for j in range(width):
            mean[j] /= total
    for i in range(first, last):
        for j in range(width):
            off = y[i, j] - mean[j]
            squares[j] += counts[i] * off * off


@njit(nogil=True, cache=True, fastmath=FAST)
def _normalise(y: Floats, norm: Norm, first: int, last: int, out: Floats) -> None:
    """relu(bn(y)) of a tile, from row 0 of ``out`` on."""
    mean, steep, beta = norm[0], norm[2], norm[3]
    zero = y.dtype.type(0)
    for i in range(first, last):
        for j in range(y.shape[1]):
            value = (y[i, j] - mean[j]) * steep[j] + beta[j]
            out[i - first, j] = zero if value < zero else value  # what is not a number stays so, and is noticed


@njit(nogil=True, cache=True, fastmath=FAST)
def aggregate(
    start: int,
    stop: int,
    lists: Entries,
    x: Floats,
    out: Floats,
    add: bool,
    counts: Floats,
    weights: Floats,
    parts: Floats,
) -> None:
    """The sum over each row's list, added to what there is or not; its moments where ``weights`` has room."""
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(out))
        for i in range(first, last):
            if not add:
                out[i] = 0
            _add_list(lists, i, x, out[i])
        if len(weights):
            _moments(out, counts, tile, first, last, weights, parts)


@njit(nogil=True, cache=True, fastmath=FAST)
def advance(
    start: int,
    stop: int,
    y: Floats,
    norm: Norm,
    weight: Floats,
    x: Floats,
    out: Floats,
    counts: Floats,
    weights: Floats,
    parts: Floats,
) -> None:
    """relu(bn(y)), kept where ``x`` has room; its maps by ``weight`` [maps, inputs, outputs]; moments likewise."""
    room = np.empty((TILE, y.shape[1]), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        own = x[first:last] if len(x) else room[: last - first]
        _normalise(y, norm, first, last, own)
        for m in range(len(weight)):
            np.dot(own, weight[m], out[m][first:last])
        if len(weights):
            _moments(out[0], counts, tile, first, last, weights, parts)


@njit(nogil=True, cache=True, fastmath=FAST)
def settle(weights: Floats, parts: Floats, rate: float, bias: Floats, mean: Floats, var: Floats, norm: Norm) -> None:
    """Mean and 1/sd over all users by the moments of tiles, into ``norm``; the running ``mean`` and ``var`` move."""
    users, width = 0.0, len(mean)
    centre, squares = np.zeros(width), np.zeros(width)
    for tile in range(len(weights)):
        users += weights[tile]
        for j in range(width):
            centre[j] += np.float64(weights[tile]) * parts[0, tile, j]
    users = max(users, 1.0)
    for j in range(width):
        centre[j] /= users
    for tile in range(len(weights)):
        for j in range(width):
            off = parts[0, tile, j] - centre[j]
            squares[j] += parts[1, tile, j] + weights[tile] * off * off
    for j in range(width):
        norm[0, j] = centre[j]
        norm[1, j] = 1 / np.sqrt(squares[j] / users + EPS)
        mean[j] += rate * (centre[j] + bias[j] - mean[j])
        var[j] += rate * (squares[j] / max(users - 1, 1.0) - var[j])


@njit(nogil=True, cache=True, fastmath=FAST)
def _through_relu(grad: Floats, y: Floats, norm: Norm, tile: int, first: int, last: int, sums: Floats) -> None:
    """Gradients stop where relu was 0. Of those that pass: their sum, and that of their products with y - mean."""
    mean, steep, beta = norm[0], norm[2], norm[3]
    plain, sloped = sums[0, tile], sums[1, tile]
    plain[:] = 0
    sloped[:] = 0
    width, zero = y.shape[1], y.dtype.type(0)
    for i in range(first, last):  # three short loops: one that writes to three arrays would not be vectorised
        for j in range(width):
            value = (y[i, j] - mean[j]) * steep[j] + beta[j]
            grad[i, j] = grad[i, j] if value > zero else zero
        for j in range(width):
            plain[j] += grad[i, j]
        for j in range(width):
            sloped[j] += grad[i, j] * (y[i, j] - mean[j])


@njit(nogil=True, cache=True, fastmath=FAST)
def totals(sums: Floats, norm: Norm, users: float, d_gamma: Floats, d_beta: Floats, taken: Floats) -> None:
    """The gradients of gamma and beta; and what batch norm takes from each user, ``taken[0] + taken[1] (y - mean)``."""
    width = len(d_gamma)
    both = np.zeros((2, width))
    for tile in range(sums.shape[1]):
        for j in range(width):
            both[0, j] += sums[0, tile, j]
            both[1, j] += sums[1, tile, j]
    for j in range(width):
        d_beta[j] = both[0, j]
        d_gamma[j] = both[1, j] * norm[1, j]
        taken[0, j] = both[0, j] / users
        taken[1, j] = both[1, j] * norm[1, j] * norm[1, j] / users


@njit(nogil=True, cache=True, fastmath=FAST)
def take(start: int, stop: int, grad: Floats, y: Floats, norm: Norm, taken: Floats, counts: Floats) -> None:
    """Batch norm's backward pass, in place, but for its last factor, gamma/sd, which waits for small matrices."""
    mean, plain, sloped = norm[0], taken[0], taken[1]
    for i in range(start * TILE, min(stop * TILE, len(y))):
        for j in range(y.shape[1]):
            grad[i, j] -= counts[i] * (plain[j] + sloped[j] * (y[i, j] - mean[j]))


@njit(nogil=True, cache=True, fastmath=FAST)
def map_back(
    start: int,
    stop: int,
    grad: Floats,
    y: Floats,
    norm: Norm,
    taken: Floats,
    counts: Floats,
    weight: Floats,
    before: Floats,
    norm_before: Norm,
    d_weight: Floats,
    sums: Floats,
) -> None:
    """Back through batch norm and a map of relu(bn(before)), and through that relu: ``grad`` in place.

    Args:
        start: the first tile.
        stop: the tile after the last one.
        grad: of bn(y), past its relu.
        y: what the map gave.
        norm: of y.
        taken: see :func:`totals`.
        counts: users of each row.
        weight: [outputs, inputs], each row times gamma/sd.
        before: relu(bn(before)) was mapped.
        norm_before: of that.
        d_weight: [tiles, outputs, inputs], the gradient of each tile.
        sums: see :func:`totals`, of ``before``.
    """
    room = np.empty((2, TILE, y.shape[1]), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        x, own = room[0, : last - first], room[1, : last - first]
        take(tile, tile + 1, grad, y, norm, taken, counts)
        for i in range(first, last):  # not into grad and own at once: a loop that may write where it reads is slow
            for j in range(y.shape[1]):
                own[i - first, j] = grad[i, j]
        _normalise(before, norm_before, first, last, x)
        np.dot(own.T, x, d_weight[tile])
        np.dot(own, weight, grad[first:last])
        _through_relu(grad, before, norm_before, tile, first, last, sums)


@njit(nogil=True, cache=True, fastmath=FAST)
def hand_down(
    start: int,
    stop: int,
    lists: Entries,
    grad: Floats,
    weight: Floats,
    y: Floats,
    norm: Norm,
    d_weight: Floats,
    down: Floats,
    add: bool,
    readout: Entries,
    d_pooled: Floats,
    sums: Floats,
) -> None:
    """Back to the rows of the round before: through lists and the map before them, and from the sums of graphs.

    Args:
        start: the first tile.
        stop: the tile after the last one.
        lists: who aggregated over each row.
        grad: of the rows that aggregated.
        weight: [outputs, inputs], each row times gamma/sd.
        y: relu(bn(y)) was mapped and aggregated over.
        norm: of y.
        d_weight: [tiles, outputs, inputs], the gradient of each tile; empty where nobody aggregated.
        down: the gradient of bn(y), past its relu once all is handed down.
        add: whether there is something in ``down``.
        readout: the graphs of each row.
        d_pooled: the gradient of graphs' sums; empty where there is more to hand down.
        sums: see :func:`totals`.
    """
    width = y.shape[1]
    room, x = np.empty((TILE, grad.shape[1]), y.dtype), np.empty((TILE, width), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        if len(d_weight):
            own, back = x[: last - first], room[: last - first]
            for i in range(first, last):
                back[i - first] = 0
                _add_list(lists, i, grad, back[i - first])
            _normalise(y, norm, first, last, own)
            np.dot(back.T, own, d_weight[tile])
            if add:
                np.dot(back, weight, own)
                for i in range(first, last):
                    for j in range(width):
                        down[i, j] += own[i - first, j]
            else:
                np.dot(back, weight, down[first:last])
        elif not add:
            down[first:last] = 0
        if len(d_pooled):
            for i in range(first, last):
                _add_list(readout, i, d_pooled, down[i])
            _through_relu(down, y, norm, tile, first, last, sums)

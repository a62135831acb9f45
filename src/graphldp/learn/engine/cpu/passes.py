"""The compiled passes over rows on a CPU; :mod:`graphldp.learn.engine.cpu.tower` says how a step is made of them.

A pass takes :data:`~graphldp.learn.engine.cpu.tiles.TILE` rows at a time, few enough to stay in the cache, and does all
that can be done with them: a sum over lists, a linear map, batch norm, relu, and the sums that the next batch norm
needs. Each tile has its own part of every sum, and parts are added up in order. So the result does not depend on which
thread works on which tile.

A pass over tiles begins with the first of them and the one after the last. Its other arguments:

    y, before       [rows, width], what linear maps gave; relu(bn(y)) is mapped on, aggregated over or pooled
    norm            how y is normalised (:data:`~graphldp.learn.engine.cpu.tiles.Norm`)
    counts          users of each row
    weights, parts  users of each tile, and the moments of its rows; without room where nobody needs them
    grad, down      gradients of bn(y), past its relu; or of what was aggregated
    weight          [outputs, inputs]; on the way back each row times gamma/sd
    d_weight        [tiles, outputs, inputs], the gradient of each tile
    sums, taken     what tiles give to :func:`totals`, and what it gives back
"""

from __future__ import annotations

import numpy as np
from numba import njit

from graphldp.learn.engine.cpu.tiles import (
    TILE,
    Entries,
    Floats,
    Norm,
    moments,
    normalise,
    pool_lists,
    sum_lists,
    take,
    through_relu,
)
from graphldp.learn.engine.rows import EPS
from graphldp.machines.compiling import tell_when_compiling

tell_when_compiling()
FAST = {"contract"}  # a product and a sum may be one operation; nothing else may change


@njit(nogil=True, cache=True)
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
        sum_lists(x.shape[1], lists, first, last, x, out, first, add)
        if len(weights):
            moments(out, counts, tile, first, last, weights, parts)


@njit(nogil=True, cache=True)
def pool(start: int, stop: int, readout: Entries, y: Floats, norm: Norm, out: Floats) -> None:
    """The sum of relu(bn(y)) over the users of graphs ``start`` up to ``stop``."""
    pool_lists(y.shape[1], readout, start, stop, y, norm, out)


@njit(nogil=True, cache=True)
def advance(
    start: int,
    stop: int,
    y: Floats,
    norm: Norm,
    weight: Floats,
    out: Floats,
    counts: Floats,
    weights: Floats,
    parts: Floats,
) -> None:
    """The maps of relu(bn(y)) by ``weight`` [maps, inputs, outputs]; moments where ``weights`` has room."""
    room = np.empty((TILE, y.shape[1]), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        own = room[: last - first]
        normalise(y.shape[1], y, norm, first, last, own)
        for m in range(len(weight)):
            np.dot(own, weight[m], out[m][first:last])
        if len(weights):
            moments(out[0], counts, tile, first, last, weights, parts)


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


@njit(nogil=True, cache=True)
def take_all(start: int, stop: int, grad: Floats, y: Floats, norm: Norm, taken: Floats, counts: Floats) -> None:
    """Batch norm's backward pass, in place: see :func:`graphldp.learn.engine.cpu.tiles.take`."""
    first, last = start * TILE, min(stop * TILE, len(y))
    take(y.shape[1], grad, y, norm, taken, counts, first, last, grad, first)


@njit(nogil=True, cache=True)
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
    """Back through batch norm and a map of relu(bn(before)), and through that relu: ``grad`` in place."""
    room = np.empty((2, TILE, y.shape[1]), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        x, own = room[0, : last - first], room[1, : last - first]
        take(y.shape[1], grad, y, norm, taken, counts, first, last, own, 0)
        normalise(y.shape[1], before, norm_before, first, last, x)
        np.dot(own.T, x, d_weight[tile])
        np.dot(own, weight, grad[first:last])
        through_relu(y.shape[1], grad, before, norm_before, tile, first, last, sums)


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

    ``lists`` say who aggregated over each row, ``readout`` the graphs of each row, whose sums have the gradient
    ``d_pooled``. It is empty where there is more to hand down, and ``d_weight`` where nobody aggregated. ``add`` says
    whether there is something in ``down``.
    """
    width = y.shape[1]
    room, x = np.empty((TILE, grad.shape[1]), y.dtype), np.empty((TILE, width), y.dtype)
    for tile in range(start, stop):
        first, last = tile * TILE, min((tile + 1) * TILE, len(y))
        if len(d_weight):
            own, back = x[: last - first], room[: last - first]
            sum_lists(grad.shape[1], lists, first, last, grad, back, 0, False)
            normalise(width, y, norm, first, last, own)
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
            sum_lists(width, readout, first, last, d_pooled, down, first, True)
            through_relu(width, down, y, norm, tile, first, last, sums)

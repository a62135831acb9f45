"""The layers of one model on a CPU, forward and back, in few passes (:mod:`graphldp.learn.engine.cpu.passes`).

What is kept between the two ways is what each linear map gave, y, and how it was normalised. relu(bn(y)) takes less
time to compute again than to read. A round has fewer rows than the next, so W A x is computed as A (W x). The bias
moves the mean and nothing else, so it is left out here and its gradient is zero.

A layer is written once and used in two ways. Compiled as a whole it is one call, which a batch of small graphs needs:
starting its passes one by one would take as long as the passes. As it stands it is Python that starts one pass after
the other, each shared between threads (:func:`graphldp.learn.engine.cpu.sharing.shared`). So that both give the same
bits, all arithmetic is in compiled functions.

Parameters, their gradients and statistics are flat. ``maps`` [maps, 6] says where those of a layer's maps begin:
weight, bias, gamma and beta among parameters, mean and var among statistics. ``first`` and ``following`` say where the
weight of a layer's first map begins, and of the next layer's. A round aggregates by one matrix or several, each with
its part of that weight. ``ys`` [maps, rows, hidden] begins with what was aggregated; the others are what each map gave,
and ``norms`` how each was normalised. Other arguments are those of passes.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.passes import (
    FAST,
    advance,
    aggregate,
    hand_down,
    map_back,
    pool,
    settle,
    take_all,
    totals,
)
from graphldp.learn.engine.cpu.sharing import shared
from graphldp.learn.engine.cpu.tiles import TILE, Entries, Floats, tiles_of
from graphldp.learn.engine.rows import EPS

Offsets = NDArray[np.int64]

over_aggregate, over_advance, over_pool = shared(aggregate, TILE), shared(advance, TILE), shared(pool, 1)
over_take, over_map_back, over_hand_down = shared(take_all, TILE), shared(map_back, TILE), shared(hand_down, TILE)


@njit(nogil=True, cache=True)
def _turned(params: Floats, begin: int, outputs: int, parts: int, inputs: int) -> Floats:
    """A weight [outputs, parts · inputs] as one map for each of its parts, [parts, inputs, outputs]; none before 0."""
    found = np.empty((parts if begin >= 0 else 0, inputs, outputs), params.dtype)
    for m in range(len(found)):
        for o in range(outputs):
            row = params[begin + (o * parts + m) * inputs : begin + (o * parts + m + 1) * inputs]
            for i in range(inputs):
                found[m, i, o] = row[i]
    return found


@njit(nogil=True, cache=True, fastmath=FAST)
def _norm(
    weights: Floats,
    parts: Floats,
    rate: float,
    training: bool,
    at: Offsets,
    params: Floats,
    running: Floats,
    norm: Floats,
) -> None:
    """How what a map gave is normalised: by the batch, or by the running statistics."""
    width = norm.shape[1]
    bias, gamma = params[at[1] : at[1] + width], params[at[2] : at[2] + width]
    mean, var = running[at[4] : at[4] + width], running[at[5] : at[5] + width]
    if training:
        settle(weights, parts, rate, bias, mean, var, norm)
    else:  # the mean is taken away before scaling: in the shift it would cancel large numbers later
        for j in range(width):
            norm[0, j], norm[1, j] = mean[j] - bias[j], 1 / np.sqrt(var[j] + EPS)
    for j in range(width):
        norm[2, j], norm[3, j] = norm[1, j] * gamma[j], params[at[3] + j]


@njit(nogil=True, cache=True)
def begin(x: Floats, readout: Entries, params: Floats, first: int, hidden: int, matrices: int) -> tuple[Floats, Floats]:
    """The sum over each graph's users of the input, and its maps that the first layer aggregates."""
    sums = np.empty((len(readout[0]), x.shape[1]), x.dtype)
    aggregate(0, tiles_of(len(sums)), readout, x, sums, False, x[:0, 0], x[:0, 0], np.empty((2, 0, 0), x.dtype))
    weight = _turned(params, first, hidden, matrices, x.shape[1])
    z = np.empty((matrices, len(x), hidden), x.dtype)
    for m in range(matrices):
        np.dot(x, weight[m], z[m])
    return sums, z


def ahead(
    ys: Floats,
    weights: Floats,
    parts: Floats,
    readout: Entries,
    counts: Floats,
    maps: Offsets,
    following: int,
    matrices: int,
    params: Floats,
    running: Floats,
    rate: float,
    training: bool,
    sums: Floats,
) -> tuple[Floats, Floats]:
    """One layer from what it aggregated: how each map was normalised, and what the next layer aggregates.

    ``sums`` [graphs + 1, hidden] become those over each graph's users. In training the batch normalises, and running
    statistics move by ``rate``; else they normalise. After the last layer ``following`` is -1.
    """
    rows, hidden = ys.shape[1:]
    norms = np.empty((len(maps), 4, hidden), ys.dtype)
    _norm(weights, parts, rate, training, maps[0], params, running, norms[0])
    for j in range(1, len(maps)):
        weight = _turned(params, maps[j, 0], hidden, 1, hidden)
        over_advance(rows, ys[j - 1], norms[j - 1], weight, ys[j : j + 1], counts, weights, parts)
        _norm(weights, parts, rate, training, maps[j], params, running, norms[j])
    weight = _turned(params, following, hidden, matrices, hidden)
    after = np.empty((len(weight), rows, hidden), ys.dtype)
    if len(weight):
        over_advance(rows, ys[-1], norms[-1], weight, after, counts, weights[:0], parts)
    over_pool(len(sums), readout, ys[-1], norms[-1], sums)
    return norms, after


def turn(y: Floats, norm: Floats, spread: Entries, d_pooled: Floats) -> tuple[Floats, Floats]:
    """Where the way back begins: the last rows, over which nobody aggregates; see :func:`back`."""
    down, sums = np.empty_like(y), np.empty((2, tiles_of(len(y)), y.shape[1]), y.dtype)
    no_weight = np.empty((0, 0, 0), y.dtype)
    over_hand_down(len(y), spread, down, y[:0], y, norm, no_weight, down, False, spread, d_pooled, sums)
    return down, sums


@njit(nogil=True, cache=True, fastmath=FAST)
def _steep(params: Floats, begin: int, norm: Floats, part: int, parts: int, inputs: int) -> Floats:
    """A part of a weight, [outputs, inputs], each row times gamma/sd."""
    outputs = norm.shape[1]
    found = np.empty((outputs, inputs), params.dtype)
    for o in range(outputs):
        for i in range(inputs):
            found[o, i] = params[begin + (o * parts + part) * inputs + i] * norm[2, o]
    return found


@njit(nogil=True, cache=True, fastmath=FAST)
def _collect(d_weight: Floats, norm: Floats, part: int, parts: int, gradient: Floats, begin: int) -> None:
    """Add up the gradients of tiles, in order, each row times gamma/sd: a part of the gradient of a weight."""
    outputs, inputs = d_weight.shape[1:]
    total = np.empty(inputs, d_weight.dtype)
    for o in range(outputs):
        total[:] = 0
        for tile in range(len(d_weight)):
            for i in range(inputs):
                total[i] += d_weight[tile, o, i]
        for i in range(inputs):
            gradient[begin + (o * parts + part) * inputs + i] = total[i] * norm[2, o]


@njit(nogil=True, cache=True)
def _totals(sums: Floats, norm: Floats, users: float, at: Offsets, gradient: Floats, taken: Floats) -> None:
    width = norm.shape[1]
    totals(sums, norm, users, gradient[at[2] : at[2] + width], gradient[at[3] : at[3] + width], taken)


def back(
    grad: Floats,
    sums: Floats,
    ys: Floats,
    norms: Floats,
    counts: Floats,
    maps: Offsets,
    params: Floats,
    users: float,
    gradient: Floats,
) -> None:
    """Back through the maps of a layer, to what it aggregated: ``grad`` in place, of the last bn(y) at first."""
    rows, hidden = grad.shape
    taken = np.empty((2, hidden), grad.dtype)
    for j in range(len(maps) - 1, 0, -1):
        _totals(sums, norms[j], users, maps[j], gradient, taken)
        weight = _steep(params, maps[j, 0], norms[j], 0, 1, hidden)
        d_weight = np.empty((tiles_of(rows), hidden, hidden), grad.dtype)
        own, before = (ys[j], norms[j]), (ys[j - 1], norms[j - 1])
        over_map_back(rows, grad, own[0], own[1], taken, counts, weight, before[0], before[1], d_weight, sums)
        _collect(d_weight, norms[j], 0, 1, gradient, maps[j, 0])
    _totals(sums, norms[0], users, maps[0], gradient, taken)
    over_take(rows, grad, ys[0], norms[0], taken, counts)


def descend(
    grad: Floats,
    norm: Floats,
    lists: Entries,
    part: int,
    parts: int,
    y: Floats,
    norm_before: Floats,
    spread: Entries,
    d_pooled: Floats,
    first: int,
    params: Floats,
    gradient: Floats,
    down: Floats,
    sums: Floats,
) -> None:
    """Back to the rows of the layer before, by one matrix after the other: ``part`` of ``parts``.

    ``norm`` is of what was aggregated; y, ``norm_before``, ``spread`` (the graphs of each row) and ``d_pooled`` are of
    the layer before. Its gradient goes to ``down``, and what its tiles sum up to ``sums``.
    """
    hidden = y.shape[1]
    d_weight = np.empty((tiles_of(len(y)), hidden, hidden), y.dtype)
    given = d_pooled if part + 1 == parts else d_pooled[:0]
    weight = _steep(params, first, norm, part, parts, hidden)
    over_hand_down(len(y), lists, grad, weight, y, norm_before, d_weight, down, part > 0, spread, given, sums)
    _collect(d_weight, norm, part, parts, gradient, first)


@njit(nogil=True, cache=True, fastmath=FAST)
def end(
    grad: Floats, norm: Floats, lists: Entries, part: int, parts: int, x: Floats, first: int, gradient: Floats
) -> None:
    """The gradient of the weight of the first layer's first map, by one matrix after the other: see :func:`descend`."""
    back = np.empty((len(x), grad.shape[1]), grad.dtype)
    d_weight = np.empty((1, grad.shape[1], x.shape[1]), grad.dtype)
    aggregate(0, tiles_of(len(x)), lists, grad, back, False, x[:0, 0], x[:0, 0], np.empty((2, 0, 0), x.dtype))
    np.dot(back.T, x, d_weight[0])
    _collect(d_weight, norm, part, parts, gradient, first)


ALONE = SimpleNamespace(**{each.__name__: njit(nogil=True, cache=True)(each) for each in (ahead, turn, back, descend)})
"""The same, compiled as a whole."""

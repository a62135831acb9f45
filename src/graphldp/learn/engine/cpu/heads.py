"""The scores of graphs by what is pooled, the loss, and the gradients of both; and one step of Adam.

Parameters and their gradients are flat, as in :mod:`graphldp.learn.engine.cpu.tower`.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.passes import FAST
from graphldp.learn.engine.cpu.tiles import Floats
from graphldp.learn.engine.cpu.tower import Offsets
from graphldp.learn.engine.stacking.plans import EPS


@njit(nogil=True, cache=True)
def _matrix(flat: Floats, begin: int, rows: int, columns: int) -> Floats:
    return flat[begin : begin + rows * columns].reshape(rows, columns)


@njit(nogil=True, cache=True, fastmath=FAST)
def read_out(
    first: Floats, later: Floats, size: Floats, heads: Offsets, params: Floats, kept: Floats, classes: int
) -> Floats:
    """Σ_k (V_k · sum / size + c_k) · factor, [graphs, classes].

    Args:
        first: [graphs + 1, width], the sums over each graph's users at the input; becomes sums / size.
        later: [layers - 1, graphs + 1, hidden], those after each layer; likewise. The last graph is filling.
        size: [graphs].
        heads: [layers, 2], where V_k and c_k begin.
        params: flat.
        kept: [graphs, layers · classes or more], the factors of dropout.
        classes: how many there are.
    """
    graphs = len(size)
    scores = np.zeros((graphs, classes), first.dtype)
    for k in range(len(heads)):
        pooled = (first if k == 0 else later[k - 1])[:graphs]
        for g in range(graphs):
            for j in range(pooled.shape[1]):
                pooled[g, j] /= size[g]
        found = np.dot(pooled, _matrix(params, heads[k, 0], classes, pooled.shape[1]).T)
        for g in range(graphs):
            for c in range(classes):
                scores[g, c] += (found[g, c] + params[heads[k, 1] + c]) * kept[g, k * classes + c]
    return scores


@njit(nogil=True, cache=True, fastmath=FAST)
def read_back(
    d_scores: Floats,
    first: Floats,
    later: Floats,
    size: Floats,
    heads: Offsets,
    params: Floats,
    kept: Floats,
    gradient: Floats,
) -> None:
    """The way back of :func:`read_out`: ``later`` becomes the gradient of the sums after each layer."""
    graphs, classes = d_scores.shape
    own = np.empty_like(d_scores)
    for k in range(len(heads)):
        pooled, total = first if k == 0 else later[k - 1], gradient[heads[k, 1] : heads[k, 1] + classes]
        total[:] = 0
        for g in range(graphs):
            for c in range(classes):
                own[g, c] = d_scores[g, c] * kept[g, k * classes + c]
                total[c] += own[g, c]
        width = pooled.shape[1]
        np.dot(own.T, pooled[:graphs], _matrix(gradient, heads[k, 0], classes, width))
        if k > 0:
            down = np.dot(own, _matrix(params, heads[k, 0], classes, width))
            for g in range(graphs):
                for j in range(width):
                    pooled[g, j] = down[g, j] / size[g]
            pooled[graphs] = 0


@njit(nogil=True, cache=True, fastmath=FAST)
def look(z: Floats, at: Offsets, params: Floats, kept: Floats, scores: Floats) -> Floats:
    """Add B · relu(A z + a) · factor + b, the head of a graph's own numbers; relu(A z + a) · factor comes back.

    ``at`` says where A, a, B and b begin; the factors of dropout come last in ``kept``.
    """
    hidden, (graphs, classes) = at[1] - at[0], scores.shape
    hidden //= z.shape[1]
    inner: Floats = np.dot(z, _matrix(params, at[0], hidden, z.shape[1]).T)
    zero = z.dtype.type(0)
    for g in range(graphs):
        for j in range(hidden):
            value = inner[g, j] + params[at[1] + j]
            inner[g, j] = (zero if value < zero else value) * kept[g, kept.shape[1] - hidden + j]
    found = np.dot(inner, _matrix(params, at[2], classes, hidden).T)
    for g in range(graphs):
        for c in range(classes):
            scores[g, c] += found[g, c] + params[at[3] + c]
    return inner


@njit(nogil=True, cache=True, fastmath=FAST)
def look_back(
    d_scores: Floats, z: Floats, inner: Floats, at: Offsets, params: Floats, kept: Floats, gradient: Floats
) -> None:
    """The way back of :func:`look`, whose result is ``inner``."""
    (graphs, hidden), classes = inner.shape, d_scores.shape[1]
    np.dot(d_scores.T, inner, _matrix(gradient, at[2], classes, hidden))
    down = np.dot(d_scores, _matrix(params, at[2], classes, hidden))
    a, b = gradient[at[1] : at[1] + hidden], gradient[at[3] : at[3] + classes]
    a[:] = 0
    b[:] = 0
    zero = z.dtype.type(0)
    for g in range(graphs):
        for c in range(classes):
            b[c] += d_scores[g, c]
        for j in range(hidden):
            down[g, j] = down[g, j] * kept[g, kept.shape[1] - hidden + j] if inner[g, j] > zero else zero
            a[j] += down[g, j]
    np.dot(down.T, z, _matrix(gradient, at[0], hidden, z.shape[1]))


@njit(nogil=True, cache=True, fastmath=FAST)
def cross_entropy(scores: Floats, targets: NDArray[np.int64], weight: Floats) -> float:
    """The weighted sum of losses; ``scores`` become the gradient of their weighted mean."""
    (graphs, classes), total, weights = scores.shape, 0.0, 0.0
    for g in range(graphs):
        weights += weight[g]
    for g in range(graphs):
        own = scores[g]
        top, sum_ = own.max(), own.dtype.type(0)
        for c in range(classes):
            sum_ += np.exp(own[c] - top)
        total += weight[g] * (np.log(sum_) + top - own[targets[g]])
        share = weight[g] / max(weights, 1.0)
        for c in range(classes):
            own[c] = share * (np.exp(own[c] - top) / sum_ - (c == targets[g]))
    return total


@njit(nogil=True, cache=True, fastmath=FAST)
def adam(params: Floats, gradient: Floats, first: Floats, second: Floats, plan: Floats) -> None:
    """One step of Adam by ``plan``: the rates of change, the step size and the second correction."""
    rate, second_rate, size, correction = plan[0], plan[1], plan[2], plan[3]
    tiny = params.dtype.type(EPS)
    for i in range(len(params)):
        first[i] += rate * (gradient[i] - first[i])
        second[i] += second_rate * (gradient[i] * gradient[i] - second[i])
        params[i] -= size * first[i] / (np.sqrt(second[i]) * correction + tiny)

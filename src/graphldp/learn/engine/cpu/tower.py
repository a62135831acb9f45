"""The convolutions of one model on a CPU, forward and back, in few passes (:mod:`graphldp.learn.engine.cpu.passes`).

What is kept between the two ways is what each linear map gave, y, and how it was normalised. relu(bn(y)) takes less
time to compute again than to read. A round has fewer rows than the next, so W A x is computed as A (W x). The bias
moves the mean and nothing else, so it is left out here and its gradient is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from graphldp.learn.engine.cpu import passes
from graphldp.learn.engine.cpu.passes import Floats, Norm, tiles_of
from graphldp.learn.engine.cpu.sharing import share
from graphldp.learn.engine.cpu.spans import Spans
from graphldp.learn.engine.rows import EPS, MOMENTUM, Matrix, Rows

quietly = np.errstate(over="ignore", invalid="ignore")  # a loss that is not a number is an error, and says so


class MapArrays(NamedTuple):
    """A linear map and its batch norm."""

    weight: Floats
    bias: Floats
    gamma: Floats
    beta: Floats
    mean: Floats
    var: Floats


class Kept(NamedTuple):
    """What a map gave, and how it was normalised."""

    y: Floats
    norm: Norm


Layers = Sequence[Sequence[MapArrays]]
Moments = tuple[Floats, Floats]


class Ahead:
    """The way forward."""

    def __init__(self, rounds: Sequence[Rows], layers: Layers, *, training: bool) -> None:
        self._rounds, self._layers, self._training = rounds, layers, training
        self._rate = MOMENTUM * (float(rounds[0].together.count) > 0)
        self.kept: list[list[Kept]] = []

    @quietly
    def pooled(self, x: Floats) -> list[Floats]:
        """The sum over each graph's users, after each round."""
        sums = [_there(self._rounds[0].readout).times(x)]
        z = np.stack([x @ part for part in self._parts(0)])
        for k, maps in enumerate(self._layers):
            self.kept.append([self._aggregate(z, maps[0], self._rounds[k + 1])])
            for one in maps[1:]:
                self.kept[k].append(self._map(self.kept[k][-1], one, self._rounds[k + 1]))
            x, z = self._read(k)
            sums.append(_there(self._rounds[k + 1].readout).times(x))
        return sums

    def _parts(self, k: int) -> Floats:
        """The first map of a layer, for what each matrix gives: [matrices, inputs, outputs]; none after the last."""
        if k == len(self._layers):
            last = self._layers[-1][-1].weight
            return np.empty((0, len(last), len(last)), last.dtype)
        weight, matrices = self._layers[k][0].weight, self._rounds[k + 1].matrices
        return np.ascontiguousarray(weight.reshape(len(weight), len(matrices), -1).transpose(1, 2, 0))

    def _aggregate(self, z: Floats, one: MapArrays, rows: Rows) -> Kept:
        counts = _counts(rows)
        y = np.empty((len(counts), z.shape[2]), z.dtype)
        moments = self._moments(y)
        for m, matrix in enumerate(rows.matrices):
            weights = moments[0] if m + 1 == len(rows.matrices) else moments[0][:0]
            share(passes.aggregate, len(y), _there(matrix).arrays, z[m], y, m > 0, counts, weights, moments[1])
        return Kept(y, self._norm(one, moments))

    def _map(self, before: Kept, one: MapArrays, rows: Rows) -> Kept:
        y = np.empty((1, len(before.y), len(one.weight)), before.y.dtype)
        moments = self._moments(y[0])
        weight = np.ascontiguousarray(one.weight.T)[None]
        share(passes.advance, len(before.y), *before, weight, before.y[:0], y, _counts(rows), *moments)
        return Kept(y[0], self._norm(one, moments))

    def _read(self, k: int) -> tuple[Floats, Floats]:
        """The rows after a layer, and their maps that the next one aggregates."""
        last, weight = self.kept[k][-1], self._parts(k + 1)
        x, z = np.empty_like(last.y), np.empty((len(weight), len(last.y), weight.shape[2]), last.y.dtype)
        nothing = last.y[:0, 0], last.y[:0, 0], np.empty((2, 0, 0), last.y.dtype)
        share(passes.advance, len(x), *last, weight, x, z, *nothing)
        return x, z

    def _moments(self, y: Floats) -> Moments:
        """Room for the moments of each tile, if they are needed."""
        tiles = tiles_of(len(y)) if self._training else 0
        return np.empty(tiles, y.dtype), np.empty((2, tiles, y.shape[1]), y.dtype)

    def _norm(self, one: MapArrays, moments: Moments) -> Norm:
        if (
            not self._training
        ):  # the mean is taken away before scaling: in the shift it would cancel large numbers later
            return one.mean - one.bias, one.mean, one.gamma / np.sqrt(one.var + one.var.dtype.type(EPS)), one.beta
        norm = np.empty((3, len(one.gamma)), one.gamma.dtype)
        passes.settle(*moments, EPS, self._rate, one.bias, one.gamma, one.mean, one.var, norm)
        return norm[0], norm[1], norm[2], one.beta


class Back:
    """The way back: the gradients of each layer's maps, from those of graphs' sums."""

    def __init__(self, rounds: Sequence[Rows], layers: Layers, kept: list[list[Kept]]) -> None:
        self._rounds, self._layers, self._kept = rounds, layers, kept
        self._users = max(float(rounds[0].together.count), 1.0)

    @quietly
    def gradients(self, x: Floats, d_pooled: Sequence[Floats]) -> list[tuple[Floats, Floats, Floats]]:
        """Of weight, gamma and beta of each map."""
        found: list[tuple[Floats, Floats, Floats]] = []
        grad, sums = self._begin(d_pooled[-1])
        for k in reversed(range(len(self._layers))):
            for j in reversed(range(len(self._layers[k]))):
                kept = self._kept[k][j]
                room = np.empty((4, len(kept.norm[1])), grad.dtype)
                d_gamma, d_beta, taken = room[0], room[1], room[2:]
                passes.totals(sums, kept.norm[1], self._users, d_gamma, d_beta, taken)
                steep = kept.norm[2][:, None]
                weight = self._layers[k][j].weight * steep
                if j:
                    d_weight, sums = self._map(k, j, grad, taken, weight)
                else:
                    share(passes.take, len(grad), grad, *kept, taken, _counts(self._rounds[k + 1]))
                    if k:
                        d_weight, grad, sums = self._hand_down(k, grad, weight, d_pooled[k])
                    else:
                        backs = [_back(matrix).times(grad) for matrix in self._rounds[1].matrices]
                        d_weight = np.concatenate([back.T @ x for back in backs], axis=1)
                found.append((d_weight * steep, d_gamma, d_beta))
        return found[::-1]

    def _begin(self, d_pooled: Floats) -> tuple[Floats, Floats]:
        """The last rows, over which nobody aggregates."""
        last, spread = self._kept[-1][-1], _back(self._rounds[-1].readout).arrays
        down, sums = _room(last)
        nothing = last.y[:0], np.empty((0, 0, 0), down.dtype)
        share(
            passes.hand_down,
            len(down),
            spread,
            down,
            nothing[0],
            *last,
            nothing[1],
            down,
            False,
            spread,
            d_pooled,
            sums,
        )
        return down, sums

    def _map(self, k: int, j: int, grad: Floats, taken: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Back through a map that is not the first of its layer."""
        own, before = self._kept[k][j], self._kept[k][j - 1]
        parts = np.empty((tiles_of(len(grad)), *weight.shape), grad.dtype)
        sums = _room(before)[1]
        counts = _counts(self._rounds[k + 1])
        share(passes.map_back, len(grad), grad, *own, taken, counts, weight, *before, parts, sums)
        return parts.sum(0), sums

    def _hand_down(self, k: int, grad: Floats, weight: Floats, d_pooled: Floats) -> tuple[Floats, Floats, Floats]:
        """Back to the rows of the layer before."""
        last, spread = self._kept[k - 1][-1], _back(self._rounds[k].readout).arrays
        down, sums = _room(last)
        matrices, inputs, found = self._rounds[k + 1].matrices, last.y.shape[1], []
        for m, matrix in enumerate(matrices):
            given = d_pooled if m + 1 == len(matrices) else d_pooled[:0]
            part = np.ascontiguousarray(weight[:, m * inputs : (m + 1) * inputs])
            parts = np.empty((tiles_of(len(down)), *part.shape), grad.dtype)
            way = _back(matrix).arrays, grad, part, *last
            share(passes.hand_down, len(down), *way, parts, down, m > 0, spread, given, sums)
            found.append(parts.sum(0))
        return np.concatenate(found, axis=1), down, sums


def _room(kept: Kept) -> tuple[Floats, Floats]:
    """Room for a gradient of rows, and for the sums of each tile."""
    return np.empty_like(kept.y), np.empty((2, tiles_of(len(kept.y)), kept.y.shape[1]), kept.y.dtype)


def _counts(rows: Rows) -> Floats:
    counts: Floats = rows.counts.numpy().ravel()
    return counts


def _there(matrix: Matrix) -> Spans:
    assert isinstance(matrix.forward, Spans)  # noqa: S101
    return matrix.forward


def _back(matrix: Matrix) -> Spans:
    assert isinstance(matrix.backward, Spans)  # noqa: S101
    return matrix.backward

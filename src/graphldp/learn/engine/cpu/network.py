"""One model on a CPU: scores of a batch, gradients, and steps of Adam, by some twenty calls of compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine import gin
from graphldp.learn.engine.cpu import heads, tower
from graphldp.learn.engine.cpu.gathering import HostBatch
from graphldp.learn.engine.cpu.tiles import Floats, tiles_of
from graphldp.learn.engine.gin import CUT, ModelSpec
from graphldp.learn.engine.rows import MOMENTUM


class _Kept(NamedTuple):
    """What the way back needs: the input, y and norm of each layer's maps, what was pooled, and the head's numbers."""

    x: Floats
    layers: list[tuple[Floats, Floats]]
    first: Floats
    later: Floats
    size: Floats
    z: Floats
    inner: Floats


class Network:
    """A model: parameters and statistics (:mod:`graphldp.learn.engine.gin`) lie one after the other, flat.

    Training changes the parameters, and the statistics of batch norms, in place.
    """

    def __init__(self, spec: ModelSpec, params: Floats, running: Floats) -> None:
        self._spec, self._params, self._running = spec, params, running
        self._gradient = np.zeros_like(params)
        at, there = gin.begins(gin.parameters(spec)), gin.begins(gin.statistics(spec))
        both, count = at | there, 2 if spec.convolution == "gin" else 1
        parts = "weight", "bias", "gamma", "beta", "mean", "var"
        self._maps = [
            np.array([[both[f"conv{k}.{j}.{part}"] for part in parts] for j in range(count)])
            for k in range(1, spec.layers)
        ]
        self._heads = np.array([[at[f"head{k}.{part}"] for part in parts[:2]] for k in range(spec.layers)])
        self._graph = np.array([at[f"graph.{j}.{part}"] for j in (0, 1) for part in parts[:2] if spec.summaries], int)
        scaled = {"columns": spec.num_features, "graph": spec.summaries}
        self._scales = {
            name: [running[there[each] : there[each] + width] for each in (f"{name}.mean", f"{name}.deviation")]
            for name, width in scaled.items()
            if f"{name}.mean" in there
        }

    @classmethod
    def of(cls, spec: ModelSpec, state: Mapping[str, Tensor], dtype: torch.dtype) -> Network:
        """A model by its named parameters and statistics, which are copied."""
        flat = [
            torch.cat([state[name].detach().flatten().to(dtype) for name in slots(spec)]).numpy()
            for slots in (gin.parameters, gin.statistics)
        ]
        return cls(spec, *flat)

    def scores(self, batch: HostBatch, *, training: bool = False) -> Floats:
        """[graphs, classes] without dropout, normalised by the running statistics; in training by the batch."""
        kept = np.ones((len(batch.users), self._spec.dropouts), self._params.dtype)
        return self._forward(batch, kept, training=training)[0]

    def learn(
        self,
        batch: HostBatch,
        targets: NDArray[np.int64],
        weight: Floats,
        kept: Floats,
        moments: tuple[Floats, Floats],
        plan: Floats,
    ) -> float:
        """One step of Adam (see :func:`graphldp.learn.engine.cpu.heads.adam`); the sum of losses before it."""
        loss, gradient = self.gradient(batch, targets, weight, kept)
        heads.adam(self._params, gradient, *moments, plan)
        return loss

    def gradient(
        self, batch: HostBatch, targets: NDArray[np.int64], weight: Floats, kept: Floats
    ) -> tuple[float, Floats]:
        """The sum of losses, and the gradient of their mean; it is valid until the next one.

        ``weight`` is 1 for each graph, 0 where there is none; ``kept`` [graphs, spec.dropouts] is 0 for what is
        dropped, 1 / (1 - dropout) for what is kept.
        """
        scores, found = self._forward(batch, kept, training=True)
        loss = heads.cross_entropy(scores, targets, weight)
        if self._spec.summaries:
            heads.look_back(scores, found.z, found.inner, self._graph, self._params, kept, self._gradient)
        way = found.first, found.later, found.size, self._heads, self._params, kept, self._gradient
        heads.read_back(scores, *way)
        self._backward(batch, found)
        return loss, self._gradient

    def _forward(self, batch: HostBatch, kept: Floats, *, training: bool) -> tuple[Floats, _Kept]:
        layer = tower.ALONE if torch.get_num_threads() == 1 else tower
        spec, rounds, params = self._spec, batch.rounds, self._params
        rate = MOMENTUM * bool(batch.users.any())
        x = batch.features
        if spec.features == "columns":
            mean, deviation = self._scales["columns"]
            x = np.concatenate((x[:, : -len(mean)], (x[:, -len(mean) :] - mean) / deviation), axis=1)
        firsts = [int(maps[0, 0]) for maps in self._maps] + [-1]
        matrices = len(rounds[1].matrices)
        first, z = tower.begin(x, rounds[0].readout.there, params, firsts[0], spec.hidden, matrices)
        later = np.empty((len(self._maps), len(first), spec.hidden), x.dtype)
        layers = []
        for k, (maps, rows) in enumerate(zip(self._maps, rounds[1:], strict=True)):
            ys = np.empty((len(maps), len(rows.counts), spec.hidden), x.dtype)
            tiles = tiles_of(len(rows.counts)) if training else 0  # whose moments are needed
            moments = np.empty(tiles, x.dtype), np.empty((2, tiles, spec.hidden), x.dtype)
            for m, each in enumerate(rows.matrices):
                there = moments if m + 1 == matrices else (moments[0][:0], moments[1])
                tower.over_aggregate(len(rows.counts), each.there, z[m], ys[0], m > 0, rows.counts, *there)
            own = rows.readout.there, rows.counts, maps, firsts[k + 1], matrices
            norms, z = layer.ahead(ys, *moments, *own, params, self._running, rate, training, later[k])
            layers.append((ys, norms))
        size = np.maximum(batch.users, 1) if spec.readout == "mean" else np.ones_like(batch.users)
        scores = heads.read_out(first, later, size, self._heads, params, kept, spec.num_classes)
        z = inner = batch.summaries
        if spec.summaries:
            mean, deviation = self._scales["graph"]
            z = np.clip((z - mean) / deviation, -CUT, CUT)
            inner = heads.look(z, self._graph, params, kept, scores)
        return scores, _Kept(x, layers, first, later, size, z, inner)

    def _backward(self, batch: HostBatch, kept: _Kept) -> None:
        layer = tower.ALONE if torch.get_num_threads() == 1 else tower
        rounds, params, gradient = batch.rounds, self._params, self._gradient
        users = max(float(batch.users.sum()), 1.0)
        grad, sums = layer.turn(kept.layers[-1][0][-1], kept.layers[-1][1][-1], rounds[-1].readout.back, kept.later[-1])
        for k in reversed(range(len(self._maps))):
            (ys, norms), rows, maps = kept.layers[k], rounds[k + 1], self._maps[k]
            layer.back(grad, sums, ys, norms, rows.counts, maps, params, users, gradient)
            ways = [(grad, norms[0], each.back, m, len(rows.matrices)) for m, each in enumerate(rows.matrices)]
            first = int(maps[0, 0])
            if k == 0:
                for way in ways:
                    tower.end(*way, kept.x, first, gradient)
                return
            y, norm = (each[-1] for each in kept.layers[k - 1])
            below = y, norm, rounds[k].readout.back, kept.later[k - 1]
            grad, sums = np.empty_like(y), np.empty((2, tiles_of(len(y)), y.shape[1]), y.dtype)
            for way in ways:
                layer.descend(*way, *below, first, params, gradient, grad, sums)

"""The graph neural network: GIN-0 (Xu et al. 2019, *How Powerful are Graph Neural Networks?*), GCN and GraphSAGE.

Layers are counted with the input layer: L layers are L - 1 convolutions. With h_0 the input feature,

    GIN-0   h_k = relu(bn(W₂ relu(bn(W₁ (h_i + Σ_j h_j) + b₁)) + b₂)),            j over i's own reported list
    GCN     h_k = relu(bn(Σ_j W h_j / √((1 + |list of i|)(1 + |list of j|)) + b)),  j over i's own list and i
    SAGE    h_k = relu(bn(W [mean_j h_j, h_i] + b)),                                j over i's own list.

With ``directions="both"`` GIN-0 takes [h_i + Σ_j h_j, Σ_l h_l] in place of h_i + Σ_j h_j, l over those who list i.
With ``weights="posterior"`` each h_j and h_l is multiplied by how likely the edge is
(:data:`graphldp.learn.engine.packed.packing.LEVELS`). A graph's scores are Σ_k dropout(V_k pool(h_k) + c_k),
k = 0 … L - 1, pool being the mean or the sum over its users.

A graph-level head adds B dropout(relu(A z + a)) + b, where z are the numbers of
:mod:`graphldp.learn.engine.features.summaries`, each minus its mean and divided by its deviation in the training set,
then cut off at ±:data:`CUT`. With ``features="columns"`` the columns of h_0 are scaled in the same way, over the users
of the training set: a model learns the same whatever unit a column is in.

Several models of one architecture are computed at once: every parameter has a leading axis of S models, and a batch
holds one batch of graphs for each of them (see :mod:`graphldp.learn.engine.packed.batches`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import bad_parameter, check_whole
from graphldp.learn.engine.features.codes import input_width
from graphldp.learn.engine.features.summaries import SMOOTH_COLUMNS
from graphldp.learn.engine.layers import score
from graphldp.learn.engine.rows import Map, RowBatch

CUT = 5.0  # deviations: a bin that was empty in nearly all training graphs must not decide a score alone


@dataclass(frozen=True)
class ModelSpec:
    """The shape of a model; the other parameters are those of :class:`graphldp.learn.classifier.GraphClassifier`.

    Args:
        num_features: positions for the length of the list, where the feature is ``"degree"``; how many columns there
            are, where it is ``"columns"``; else 1.
        directions: other than ``"own"`` for GIN only.
        weights: other than ``"none"`` for GIN only.
    """

    num_classes: int
    layers: int = 5
    hidden: int = 64
    dropout: float = 0.5
    readout: Literal["mean", "sum"] = "mean"
    convolution: Literal["gin", "gcn", "sage"] = "gin"
    features: Literal["constant", "degree", "noisy-degree", "size", "profile", "columns"] = "constant"
    num_features: int = 1
    graph_features: Literal["none", "size", "degrees"] = "none"
    directions: Literal["own", "both"] = "own"
    weights: Literal["none", "posterior"] = "none"

    def __post_init__(self) -> None:
        for name, least in (("num_classes", 2), ("layers", 2), ("hidden", 1), ("num_features", 1)):
            check_whole(getattr(self, name), name, "ModelSpec", least)
        if not 0 <= self.dropout < 1:
            raise bad_parameter("dropout", "ModelSpec", "a number in [0, 1)", self.dropout)
        for name, kind in get_type_hints(ModelSpec).items():
            if get_origin(kind) is Literal and getattr(self, name) not in get_args(kind):
                must_be = " or ".join(map(repr, get_args(kind)))
                raise bad_parameter(name, "ModelSpec", must_be, getattr(self, name))
        for name, plain in (("directions", "own"), ("weights", "none")):
            if getattr(self, name) != plain and self.convolution != "gin":
                must_be = f"{plain!r} unless convolution is 'gin'"
                raise bad_parameter(name, "ModelSpec", must_be, getattr(self, name))
        if self.features not in ("degree", "columns") and self.num_features != 1:
            must_be = "1 unless features is 'degree' or 'columns'"
            raise bad_parameter("num_features", "ModelSpec", must_be, self.num_features)

    @property
    def convolutions(self) -> int:
        """The number of convolutions."""
        return self.layers - 1

    @property
    def width(self) -> int:
        """The length of the input feature."""
        return input_width(self.features, self.num_features)

    @property
    def summaries(self) -> int:
        """The number of values of a graph that the head sees."""
        return {"none": 0, "size": 1, "degrees": SMOOTH_COLUMNS}[self.graph_features]

    @property
    def dropouts(self) -> int:
        """How many numbers of a graph dropout acts on: its scores of each layer, and the head's hidden units."""
        return self.layers * self.num_classes + (self.hidden if self.summaries else 0)


@dataclass(frozen=True)
class Slot:
    """One tensor of a model: its shape, and how it begins, uniform in ±bound or at one value."""

    shape: tuple[int, ...]
    bound: float = 0.0
    value: float = 0.0


def parameters(spec: ModelSpec) -> dict[str, Slot]:
    """The parameters of one model, with the starting values of PyTorch's and PyTorch Geometric's own modules."""
    slots: dict[str, Slot] = {}
    width = spec.width
    for k in range(1, spec.layers):
        for j in range(2 if spec.convolution == "gin" else 1):
            twice = spec.convolution == "sage" or (spec.directions == "both" and j == 0)
            inputs = 2 * width if twice else width
            bound = 1 / math.sqrt(width if spec.convolution == "sage" else inputs)  # GraphSAGE has two maps, added
            if spec.convolution == "gcn":
                slots[f"conv{k}.{j}.weight"] = Slot((spec.hidden, inputs), math.sqrt(6 / (inputs + spec.hidden)))
                slots[f"conv{k}.{j}.bias"] = Slot((spec.hidden,))
            else:
                slots[f"conv{k}.{j}.weight"] = Slot((spec.hidden, inputs), bound)
                slots[f"conv{k}.{j}.bias"] = Slot((spec.hidden,), bound)
            slots[f"conv{k}.{j}.gamma"] = Slot((spec.hidden,), value=1.0)
            slots[f"conv{k}.{j}.beta"] = Slot((spec.hidden,))
            width = spec.hidden
    for k in range(spec.layers):
        width = spec.hidden if k else spec.width
        slots[f"head{k}.weight"] = Slot((spec.num_classes, width), 1 / math.sqrt(width))
        slots[f"head{k}.bias"] = Slot((spec.num_classes,), 1 / math.sqrt(width))
    if spec.summaries:
        for j, (outputs, inputs) in enumerate(((spec.hidden, spec.summaries), (spec.num_classes, spec.hidden))):
            slots[f"graph.{j}.weight"] = Slot((outputs, inputs), 1 / math.sqrt(inputs))
            slots[f"graph.{j}.bias"] = Slot((outputs,), 1 / math.sqrt(inputs))
    return slots


def statistics(spec: ModelSpec) -> dict[str, Slot]:
    """Mean and variance of each batch norm of one model, and the scales of columns and of what its head sees."""
    norms = [name.removesuffix(".gamma") for name in parameters(spec) if name.endswith(".gamma")]
    slots = {
        f"{norm}.{what}": Slot((spec.hidden,), value=value)
        for norm in norms
        for what, value in (("mean", 0.0), ("var", 1.0))
    }
    if spec.features == "columns":
        slots |= {
            "columns.mean": Slot((spec.num_features,)),
            "columns.deviation": Slot((spec.num_features,), value=1.0),
        }
    if spec.summaries:
        slots |= {"graph.mean": Slot((spec.summaries,)), "graph.deviation": Slot((spec.summaries,), value=1.0)}
    return slots


def initial(slots: Mapping[str, Slot], rng: np.random.Generator) -> NDArray[np.float64]:
    """Starting values, one after the other in one flat array."""
    parts = [rng.uniform(-1, 1, s.shape).ravel() * s.bound + s.value for s in slots.values()]
    return np.concatenate(parts)


def begins(slots: Mapping[str, Slot]) -> dict[str, int]:
    """Where each tensor begins in that array."""
    ends = accumulate((math.prod(slot.shape) for slot in slots.values()), initial=0)
    return dict(zip(slots, ends, strict=False))


def views(slots: Mapping[str, Slot], flat: Tensor) -> dict[str, Tensor]:
    """The tensors that lie in the flat [S, P] tensor, each with a leading axis of S."""
    return {
        name: flat[:, begin : begin + math.prod(slots[name].shape)].view(-1, *slots[name].shape)
        for name, begin in begins(slots).items()
    }


def scores(
    spec: ModelSpec,
    params: Mapping[str, Tensor],
    running: Mapping[str, Tensor],
    batch: RowBatch,
    *,
    kept: Tensor | None = None,
    training: bool = False,
) -> Tensor:
    """The scores [S, B, classes] of S models, each on its own B graphs.

    Args:
        spec: the architecture.
        params: :func:`parameters`, each with a leading axis of S models.
        running: :func:`statistics`, likewise; in training those of batch norms are updated in place.
        batch: the graphs.
        kept: [S, B, spec.dropouts], 0 for what is dropped, 1 / (1 - dropout) for what is kept.
        training: normalise by the batch, else by the running statistics.
    """
    count = 2 if spec.convolution == "gin" else 1
    size = batch.users.clamp(min=1) if spec.readout == "mean" else torch.ones_like(batch.users)
    x = _scaled(running, batch) if spec.features == "columns" else batch.features
    layers = [[_map(params, running, f"conv{k}.{j}") for j in range(count)] for k in range(1, spec.layers)]
    heads = [(params[f"head{k}.weight"], params[f"head{k}.bias"]) for k in range(spec.layers)]
    own = None if kept is None else kept[:, :, : spec.layers * spec.num_classes]
    total = score(x, batch.rounds[: spec.layers], layers, heads, size[:, :, None], own, training=training)
    if spec.summaries:
        total = total + _head(params, running, batch, None if kept is None else kept[:, :, -spec.hidden :])
    return total


def _scaled(running: Mapping[str, Tensor], batch: RowBatch) -> Tensor:
    """The input features with their columns, which come last, on one scale."""
    mean, deviation = (
        batch.rounds[0].tiles.spread(running[f"columns.{each}"])[:, None] for each in ("mean", "deviation")
    )
    blocks, columns = batch.features.tensor_split([batch.features.shape[2] - mean.shape[2]], dim=2)
    return torch.cat((blocks, (columns - mean) / deviation), dim=2)


def _map(params: Mapping[str, Tensor], running: Mapping[str, Tensor], name: str) -> Map:
    """A linear map and its batch norm."""
    weight, bias, gamma, beta = (params[f"{name}.{part}"] for part in ("weight", "bias", "gamma", "beta"))
    return weight, bias, gamma, beta, running[f"{name}.mean"], running[f"{name}.var"]


def _head(params: Mapping[str, Tensor], running: Mapping[str, Tensor], batch: RowBatch, kept: Tensor | None) -> Tensor:
    z = (batch.summaries - running["graph.mean"][:, None]) / running["graph.deviation"][:, None]
    z = z.clamp(-CUT, CUT)
    hidden = torch.baddbmm(params["graph.0.bias"][:, None], z, params["graph.0.weight"].mT).relu()
    hidden = hidden if kept is None else hidden * kept
    return torch.baddbmm(params["graph.1.bias"][:, None], hidden, params["graph.1.weight"].mT)

"""The engine computes what plain torch_geometric modules compute: scores, loss, gradients, running statistics."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.learn.samples import random_lists, with_degrees
from torch import Tensor
from torch.nn.functional import cross_entropy

from graphldp.errors import ParameterError
from graphldp.learn.engine import cpu, gin
from graphldp.learn.engine.cpu import Network
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs, gather
from graphldp.learn.engine.plain import Csr
from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    from tests.learn.reference import Reference

CPU = torch.device("cpu")
SETS = {
    "sparse": ([30, 1, 50, 12, 40], 0.05),
    "dense, as under RR": ([25, 40, 31], 0.4),
    "nobody lists anybody": ([5, 9, 1], 0.0),
    "one user each": ([1, 1, 1, 1], 0.0),
    "an empty graph": ([6, 0, 11], 0.2),
    "complete": ([6, 7], 1.0),
}


def engine(
    spec: ModelSpec,
    lists: NeighbourLists,
    tensors: dict[str, Tensor],
    dtype: torch.dtype,
    *,
    training: bool,
    ids: NDArray[np.int64] | None = None,
) -> dict[str, Tensor]:
    """Scores, loss, running statistics and in training gradients of one batch of all graphs, by compiled passes."""
    packed = PackedGraphs.pack(lists, spec, CPU, dtype=dtype)
    order = np.arange(len(packed)) if ids is None else ids
    (batch,) = cpu.gather(packed.store, order[None, None], spec.layers)
    targets = torch.arange(len(order)) % spec.num_classes
    flat, running = (
        torch.cat([tensors[n].flatten().to(dtype) for n in slots(spec)])[None]
        for slots in (gin.parameters, gin.statistics)
    )
    scores = torch.from_numpy(Network.of(spec, tensors, dtype).scores(batch, training=training))
    found = {"scores": scores, "loss": cross_entropy(scores, targets)}
    if training:
        network = Network(spec, flat[0].numpy(), running[0].numpy())
        ones = np.ones((len(order), 1 + spec.dropouts), scores.numpy().dtype)
        loss, gradient = network.gradient(batch, targets.numpy(), ones[:, 0].copy(), ones[:, 1:].copy())
        found["loss"] = torch.tensor(loss / len(order), dtype=dtype)
        grads = gin.views(gin.parameters(spec), torch.from_numpy(gradient)[None])
        found |= {f"d {n}": g[0] for n, g in grads.items()}
    return found | {n: r[0] for n, r in gin.views(gin.statistics(spec), running).items()}


def plainly(
    spec: ModelSpec, lists: NeighbourLists, tensors: dict[str, Tensor], dtype: torch.dtype, *, training: bool
) -> dict[str, Tensor]:
    """The same by plain operations, with gradients always."""
    packed = PackedGraphs.pack(lists, spec, CPU, dtype=dtype)
    order = np.arange(len(packed))
    (batch,) = gather(packed.store, order[None, None], spec.layers)
    params = {n: tensors[n].to(dtype)[None].clone().requires_grad_() for n in gin.parameters(spec)}
    running = {n: tensors[n].to(dtype)[None].clone() for n in gin.statistics(spec)}
    scores = gin.scores(spec, params, running, batch, training=training)[0]
    loss = cross_entropy(scores, torch.arange(len(order)) % spec.num_classes)
    torch.autograd.backward(loss)
    grads = {n: (p.grad if p.grad is not None else torch.zeros_like(p))[0] for n, p in params.items()}
    return {
        "scores": scores.detach(),
        "loss": loss.detach(),
        **{f"d {n}": g for n, g in grads.items()},
        **{n: r[0] for n, r in running.items()},
    }


def reference(model: Reference, lists: NeighbourLists, dtype: torch.dtype, *, training: bool) -> dict[str, Tensor]:
    from tests.learn.reference import batch_of, data_of

    model = copy.deepcopy(model).to(dtype).train(training)
    batch = batch_of(data_of(lists, model.spec, dtype))
    scores = model(batch)
    loss = cross_entropy(scores, torch.arange(len(scores)) % model.spec.num_classes)
    torch.autograd.backward(loss)
    values = model.tensors()
    return {
        "scores": scores.detach(),
        "loss": loss.detach(),
        **{f"d {n}": g for n, g in model.tensors(gradients=True).items()},
        **{n: values[n] for n in gin.statistics(model.spec)},
    }


def made(spec: ModelSpec, seed: int = 0) -> Reference:
    from tests.learn.reference import Reference

    torch.manual_seed(seed)
    model = Reference(spec).double()
    model.perturb(torch.Generator().manual_seed(seed))
    return model


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"readout": "sum"},
        {"features": "degree", "num_features": 4},
        {"graph_features": "degrees"},
        {"features": "size", "graph_features": "size"},
        {"features": "noisy-degree"},
        {"features": "profile", "graph_features": "degrees"},
        {"directions": "both"},
        {"directions": "both", "features": "profile", "graph_features": "degrees"},
        {"weights": "posterior"},
        {"weights": "posterior", "directions": "both", "features": "profile"},
        {"convolution": "gcn", "features": "profile"},
        {"convolution": "gcn"},
        {"convolution": "gcn", "features": "degree", "num_features": 4},
        {"convolution": "sage"},
        {"convolution": "sage", "features": "degree", "num_features": 4, "readout": "sum"},
    ],
    ids=str,
)
def test_equals_torch_geometric_in_double_precision(kind: dict[str, Any], name: str, training: bool) -> None:
    # where all users are alike, batch norm multiplies rounding errors by 1/√1e-5, twice in each convolution
    layers = 2 if name in ("nobody lists anybody", "one user each", "complete") else 4
    spec = ModelSpec(3, layers=layers, hidden=8, dropout=0.0, **kind)
    rng = np.random.default_rng(1)
    lists = with_degrees(rng, random_lists(rng, *SETS[name]))
    model = made(spec)
    theirs = reference(model, lists, torch.float64, training=training)
    ours = engine(spec, lists, model.tensors(), torch.float64, training=training)
    assert ours.keys() == {what for what in theirs if training or not what.startswith("d ")}
    for what, value in ours.items():
        assert (theirs[what] - value).abs().max() < 1e-8, what


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", ["sparse", "dense, as under RR"])
def test_no_further_from_double_precision_than_twice_torch_geometric(name: str, training: bool) -> None:
    spec = ModelSpec(2, layers=5, hidden=32, dropout=0.0)
    kinds = {"scores": ("scores",), "gradients": ("d ",), "statistics": ("conv",)}
    ours_error, their_error = ({kind: list[float]() for kind in kinds} for _ in range(2))
    for seed in range(21):
        lists = random_lists(np.random.default_rng(seed), *SETS[name])
        model = made(spec, seed)
        settle(model, lists)
        exact = reference(model, lists, torch.float64, training=training)
        theirs = reference(model, lists, torch.float32, training=training)
        ours = engine(spec, lists, model.tensors(), torch.float32, training=training)
        for kind, prefix in kinds.items():
            for errors, got in ((ours_error, ours), (their_error, theirs)):
                off = [((got[what] - exact[what]) ** 2).sum() for what in ours if what.startswith(prefix)]
                errors[kind].append(float(sum(off)) ** 0.5)
        # a loss is one number, and whose is nearer is luck; but it cannot be further off than its scores and rounding
        rounding = 8 * torch.finfo(torch.float32).eps * abs(float(exact["loss"]))
        assert abs(float(ours["loss"] - exact["loss"])) <= 2**0.5 * ours_error["scores"][-1] + rounding
    for kind in kinds:  # one draw's ratio is luck (a rounding may switch a ReLU): their median is not
        ratios = np.array(ours_error[kind]) / np.maximum(their_error[kind], 1e-30)
        assert np.median(ratios) <= 2, kind


def settle(model: Reference, lists: NeighbourLists) -> None:
    """Running statistics that fit the weights, as after a training."""
    from tests.learn.reference import batch_of, data_of

    norms = [module for module in model.modules() if isinstance(module, torch.nn.BatchNorm1d)]
    for norm in norms:
        norm.momentum = 1.0
    model.train()(batch_of(data_of(lists, model.spec, torch.float64)))
    for norm in norms:
        norm.momentum = 0.1


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_is_its_graphs_whatever_else_is_packed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spec = ModelSpec(2, layers=4, hidden=8, dropout=0.0)
    lists = random_lists(rng, rng.integers(0, 30, 12).tolist(), 0.15)
    ids = rng.permutation(12)[:5]
    model = made(spec)
    among = engine(spec, lists, model.tensors(), torch.float64, training=True, ids=ids)
    alone = engine(spec, lists.subset(ids), model.tensors(), torch.float64, training=True)
    for what, value in alone.items():
        assert (among[what] - value).abs().max() < 1e-10, what


def embeddings(convolution: Literal["gin", "gcn", "sage"], lists: NeighbourLists) -> Tensor:
    """The scores that a trained-mode model gives to each graph, a constant coming in."""
    spec = ModelSpec(2, layers=4, hidden=8, dropout=0.0, convolution=convolution)
    return engine(spec, lists, made(spec).tensors(), torch.float64, training=True)["scores"]


def test_mean_aggregation_of_a_constant_tells_nothing_apart() -> None:
    """The paper's remark: no better than guessing. And where it breaks."""
    rng = np.random.default_rng(3)
    matrices = [rng.random((n, n)) < 0.3 for n in (9, 14, 25)]
    lists = lists_of([m | np.eye(len(m), k=1, dtype=bool) | np.eye(len(m), k=1 - len(m), dtype=bool) for m in matrices])
    assert (lists.degrees > 0).all()
    same = embeddings("sage", lists)
    assert (same - same[0]).abs().max() < 1e-8  # every user has the same embedding, so every graph the same scores
    # the symmetric normalisation of GCN sees the lengths of the lists
    assert (embeddings("gcn", lists) - embeddings("gcn", lists)[0]).abs().max() > 1e-3
    # so does the mean where a list is empty: its mean is 0, not the constant
    first = matrices[0].copy()
    first[0] = False
    broken = embeddings("sage", lists_of([first, *matrices[1:]]))
    assert (broken - broken[0]).abs().max() > 1e-3
    # and GIN's sum tells users apart by the length of their list
    assert (embeddings("gin", lists) - embeddings("gin", lists)[0]).abs().max() > 1e-3


def lists_of(matrices: list[NDArray[np.bool_]]) -> NeighbourLists:
    rows = []
    for matrix in matrices:
        matrix = matrix.copy()
        np.fill_diagonal(matrix, False)
        rows += [np.flatnonzero(row) for row in matrix]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return NeighbourLists(indptr, np.concatenate(rows), np.concatenate(([0], np.cumsum([len(m) for m in matrices]))))


@pytest.mark.parametrize(
    "bad",
    [
        {"num_classes": 1},
        {"layers": 1},
        {"hidden": 0},
        {"dropout": 1.0},
        {"dropout": float("nan")},
        {"readout": "max"},
        {"convolution": "gat"},
        {"features": "none"},
        {"graph_features": "constant"},
        {"directions": "other"},
        {"directions": "both", "convolution": "sage"},
        {"weights": "posterior", "convolution": "gcn"},
        {"num_features": 3},
    ],
    ids=str,
)
def test_refuses_what_is_no_model(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"The '{next(iter(bad))}' parameter of ModelSpec must be"):
        ModelSpec(**{"num_classes": 2} | bad)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("in_order", [False, True])
def test_plain_operations_give_the_same_numbers(
    name: str, in_order: bool, training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is compiled; on a GPU sparse products then add up in the order of the lists."""
    spec = ModelSpec(3, layers=2, hidden=8, dropout=0.0)
    lists, model = random_lists(np.random.default_rng(1), *SETS[name]), made(spec)
    if in_order:
        monkeypatch.setattr(Csr, "__matmul__", Csr.in_order)
    ours = plainly(spec, lists, model.tensors(), torch.float64, training=training)
    theirs = reference(model, lists, torch.float64, training=training)
    assert ours.keys() == theirs.keys()
    for what, value in theirs.items():
        assert (ours[what] - value).abs().max() < 1e-8, what

"""Cells that measure time and memory. They run alone: nothing else may compete for the machine."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import (
    Context,
    Draw,
    check_memory,
    expected_bytes,
    load,
    mechanism_of,
    packed_bytes,
    randomize,
)
from graphldp.graphs import GraphSet
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.training import predict_proba, resolve_device, train_many
from graphldp.learn.selection import split
from graphldp.mechanisms.drawing.backend import compile_loops

_REPEATS = 3
_AT_THE_PEAK = 1.5  # of what the packed reports take: an estimate before the graphs are there


def complexity(cell: Cell, context: Context) -> Row:
    """One Barabási–Albert graph: the draw of a user's report, and one pass of a small GIN over all reports."""
    params, draw = cell.params, Draw.of(cell.params["draw"])
    small = packed_bytes(draw, _ba(200, params["edges_per_node"], 1))  # dense lists grow with n², others with n
    growth = (params["nodes"] / 200) ** (2 if draw.mechanism == "rr" else 1)
    check_memory(_AT_THE_PEAK * small * growth, context)
    graphs = _ba(params["nodes"], params["edges_per_node"], 1)
    compile_loops()
    randomize(draw, _ba(200, params["edges_per_node"], 1))  # compiled loops load here, outside the clock
    spec = ModelSpec(2, layers=3, hidden=16, dropout=0.0)
    device = resolve_device(context.device)
    mechanism = mechanism_of(draw, graphs)
    drawn, served = [], []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        reports = mechanism.randomize(graphs, rng=draw.seed)
        drawn.append(time.perf_counter() - start)
        start = time.perf_counter()
        packed = PackedGraphs.pack(reports, spec, device)
        _forward(spec, packed)
        served.append(time.perf_counter() - start)
    numbers = {
        "edges": graphs.num_entries // 2,
        "entries": reports.num_entries,
        "user_seconds": min(drawn) / graphs.num_users,
        "user_bytes": 4.0 * reports.num_entries / graphs.num_users,
        "server_seconds": min(served),
        "server_bytes": 4 * reports.num_entries + reports.indptr.nbytes,
    }
    return Row(cell, "done", numbers)


def _need(draw: Draw, params: dict[str, Any], context: Context) -> float:
    """The memory that a cell needs, by an estimate that builds no large graphs."""
    if "nodes" in params:
        number = params["train_graphs"] + params["test_graphs"]
        return float(number * packed_bytes(draw, _ba(params["nodes"], params["edges_per_node"], 1)) * _AT_THE_PEAK)
    return float(expected_bytes(draw, load(draw.dataset, context)) * params["sampling"] ** 2)


def runtime(cell: Cell, context: Context) -> Row:
    """Some epochs of training, and one classification of the test graphs."""
    params, draw = cell.params, Draw.of(cell.params["draw"])
    check_memory(_need(draw, params, context), context)
    if "nodes" in params:
        total = params["train_graphs"] + params["test_graphs"]
        graphs = _ba(params["nodes"], params["edges_per_node"], total)
        order = np.arange(total)
        learn, test = order[: params["train_graphs"]], order[params["train_graphs"] :]
        codes = order % 2
    else:
        graphs = _sampled(load(draw.dataset, context), params["sampling"], draw.seed)
        learn, _, test = split(graphs.labels, params["ratios"], params["seed"])
        codes = np.unique(np.asarray(graphs.labels), return_inverse=True)[1]
    reports = randomize(draw, graphs)
    spec = ModelSpec(num_classes=int(codes.max()) + 1, **params["model"])
    packed = PackedGraphs.pack(reports, spec, resolve_device(context.device), codes)
    epochs = params["epochs"]
    options = TrainingOptions(max_epochs=epochs, min_epochs=epochs, seed=params["seed"])
    # one graph to validate on: what is timed is the training; kernels are compiled in an epoch before, off the clock
    job = Training(spec, options, packed.subset(learn), packed.subset(learn[:1]))
    train_many([replace(job, options=replace(options, max_epochs=1, min_epochs=1))])
    trained = train_many([job])[0]
    tests = packed.subset(test)
    start = time.perf_counter()
    predict_proba(spec, trained.state, tests)
    numbers = {
        "train_seconds": sum(record.seconds for record in trained.history),
        "classify_seconds": time.perf_counter() - start,
        "entries": reports.num_entries,
        "train_graphs": len(learn),
        "test_graphs": len(test),
        "epochs": epochs,
    }
    return Row(cell, "done", numbers)


def _sampled(graphs: GraphSet, share: float, seed: int | None) -> GraphSet:
    """The subgraphs of ⌊γn⌋ users of each graph: what NonPriv-Part makes of a share γ of public users."""
    part = randomize(Draw(graphs.name, "nonpriv-part", public_fraction=share, seed=seed), graphs).induced()
    return GraphSet(part.indptr, part.indices, part.graph_ptr, part.labels, name=graphs.name, trusted=True)


@lru_cache(maxsize=1)
def _ba(nodes: int, edges_per_node: int, number: int) -> GraphSet:
    from graphldp.datasets.synthetic import barabasi_albert

    return barabasi_albert(nodes, edges_per_node, number, seed=0)


def _forward(spec: ModelSpec, packed: PackedGraphs) -> None:
    import torch

    from graphldp.learn.engine import gin

    rng = np.random.default_rng(0)
    state: dict[str, torch.Tensor] = {}
    for slots in (gin.parameters(spec), gin.statistics(spec)):
        flat = torch.from_numpy(gin.initial(slots, rng)).float()[None]
        state |= {name: value[0] for name, value in gin.views(slots, flat).items()}
    predict_proba(spec, state, packed)

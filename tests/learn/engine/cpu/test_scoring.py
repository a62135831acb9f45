"""The compiled passes: rows of many tiles, shared between threads, give the numbers of plain operations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from tests.learn.reference import random_lists, with_degrees
from torch import Tensor

from graphldp.learn.engine import batches, gin, layers, packing
from graphldp.learn.engine.batches import PackedGraphs, gather
from graphldp.learn.engine.cpu.passes import TILE
from graphldp.learn.engine.gin import ModelSpec
from graphldp.neighbour_lists import NeighbourLists

CPU = torch.device("cpu")
SPEC = ModelSpec(2, layers=4, hidden=8)
BOTH = ModelSpec(2, layers=4, hidden=8, directions="both", features="profile", graph_features="degrees")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def many_rows() -> NeighbourLists:
    rng = np.random.default_rng(0)
    return with_degrees(rng, random_lists(rng, [TILE, 2 * TILE + 40, 0, TILE], 0.02))


def computed(spec: ModelSpec, lists: NeighbourLists, dtype: torch.dtype) -> list[Tensor]:
    """Scores with dropout, gradients, running statistics, and the scores of an evaluation."""
    store = PackedGraphs.pack(lists, spec, CPU, dtype=dtype).store
    (batch,) = gather(store, np.arange(len(lists))[None, None], spec.layers)
    assert batch.rounds[-1].counts.numel() > 2 * TILE
    rng = np.random.default_rng(1)
    flat, norms = (
        torch.from_numpy(gin.initial(slots, rng))[None].to(dtype)
        for slots in (gin.parameters(spec), gin.statistics(spec))
    )
    params = {name: view.requires_grad_() for name, view in gin.views(gin.parameters(spec), flat).items()}
    running = gin.views(gin.statistics(spec), norms)
    kept = torch.from_numpy(2.0 * (rng.random((1, len(lists), spec.dropouts)) < 0.5)).to(dtype)
    scores = gin.scores(spec, params, running, batch, kept=kept, training=True)
    grads = torch.autograd.grad((scores**2).sum(), list(params.values()), materialize_grads=True)
    with torch.no_grad():
        later = gin.scores(spec, params, running, batch)
    return [scores.detach(), *grads, norms, later]


@pytest.mark.parametrize("spec", [SPEC, BOTH], ids=["own", "both"])
def test_many_tiles_give_the_numbers_of_plain_operations(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = many_rows()
    compiled = computed(spec, lists, torch.float64)
    for module in (batches, layers, packing):
        monkeypatch.setattr(module, "passes_for", lambda device, models: None)
    for one, other in zip(compiled, computed(spec, lists, torch.float64), strict=True):
        assert (one - other).abs().max() < 1e-8


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_the_same_bits_whatever_the_number_of_threads(dtype: torch.dtype) -> None:
    lists = many_rows()
    found = []
    for number in (1, 2, 3, 16):
        torch.set_num_threads(number)
        found.append(computed(SPEC, lists, dtype))
    for others in found[1:]:
        assert all(torch.equal(one, other) for one, other in zip(found[0], others, strict=True))


def test_what_is_not_a_number_is_not_hidden() -> None:
    """relu could turn it into 0, and a training that has gone astray would go on unnoticed."""
    lists = many_rows()
    store = PackedGraphs.pack(lists, SPEC, CPU).store
    (batch,) = gather(store, np.arange(len(lists))[None, None], SPEC.layers)
    flat, norms = (
        torch.from_numpy(gin.initial(slots, np.random.default_rng(1)))[None].float()
        for slots in (gin.parameters(SPEC), gin.statistics(SPEC))
    )
    params = gin.views(gin.parameters(SPEC), flat)
    params["conv1.0.weight"].fill_(torch.nan)
    with torch.no_grad():
        assert gin.scores(SPEC, params, gin.views(gin.statistics(SPEC), norms), batch).isnan().any()

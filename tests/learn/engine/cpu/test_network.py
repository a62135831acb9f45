"""The compiled passes: rows of many tiles, shared between threads, give the numbers of plain operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists, with_degrees
from torch import Tensor
from torch.nn.functional import cross_entropy

from graphldp.learn.engine import cpu, gin
from graphldp.learn.engine.cpu import Network, heads
from graphldp.learn.engine.cpu.tiles import TILE
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed import batches
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.neighbour_lists import NeighbourLists

CPU = torch.device("cpu")
SPEC = ModelSpec(2, layers=4, hidden=8)
WIDE = ModelSpec(2, layers=3, hidden=83)  # columns by 64, by 16, and three that are left
BOTH = ModelSpec(2, layers=4, hidden=8, directions="both", features="profile", graph_features="degrees")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def many_rows() -> NeighbourLists:
    rng = np.random.default_rng(0)
    return with_degrees(rng, random_lists(rng, [TILE, 2 * TILE + 40, 0, TILE], 0.02))


class Case:
    """A model, a batch of all graphs and one of nobody, their classes, and what dropout keeps."""

    def __init__(self, spec: ModelSpec, lists: NeighbourLists, dtype: torch.dtype) -> None:
        rng = np.random.default_rng(1)
        self.spec, self.dtype = spec, dtype
        self.store = PackedGraphs.pack(lists, spec, CPU, dtype=dtype).store
        self.ids = np.arange(len(lists) + 1)[None, None]
        self.flat, self.norms = (
            torch.from_numpy(gin.initial(slots, rng))[None].to(dtype)
            for slots in (gin.parameters(spec), gin.statistics(spec))
        )
        self.classes = np.arange(len(lists) + 1) % spec.num_classes
        self.weight = torch.ones(len(lists) + 1, dtype=dtype)
        self.weight[-1] = 0
        self.kept = torch.from_numpy(2.0 * (rng.random((len(lists) + 1, spec.dropouts)) < 0.5)).to(dtype)

    def compiled(self) -> list[Tensor]:
        """Loss, gradient, running statistics, and the scores of an evaluation."""
        norms = self.norms.clone()
        (batch,) = cpu.gather(self.store, self.ids, self.spec.layers)
        assert len(batch.rounds[-1].counts) > 2 * TILE
        network = Network(self.spec, self.flat[0].numpy(), norms[0].numpy())
        loss, gradient = network.gradient(batch, self.classes, self.weight.numpy(), self.kept.numpy())
        later = torch.from_numpy(network.scores(batch))
        return [torch.tensor(loss, dtype=torch.float64), torch.from_numpy(gradient.copy()), norms[0], later]

    def plain(self) -> list[Tensor]:
        """The same by plain operations."""
        (batch,) = batches.gather(self.store, self.ids, self.spec.layers)
        norms = self.norms.clone()
        params = {
            name: view.requires_grad_()
            for name, view in gin.views(gin.parameters(self.spec), self.flat.clone()).items()
        }
        running = gin.views(gin.statistics(self.spec), norms)
        scores = gin.scores(self.spec, params, running, batch, kept=self.kept[None], training=True)[0]
        losses = cross_entropy(scores, torch.from_numpy(self.classes), reduction="none") * self.weight
        mean = losses.sum() / self.weight.sum()
        grads = torch.autograd.grad(mean, list(params.values()), materialize_grads=True)
        with torch.no_grad():
            later = gin.scores(self.spec, params, running, batch)[0]
        return [losses.detach().sum(), torch.cat([each.flatten() for each in grads]), norms[0], later]


@pytest.mark.parametrize("number", [3, 1])  # several first, which compiles less before it fails on a mutant
@pytest.mark.parametrize("spec", [SPEC, WIDE, BOTH], ids=["own", "wide", "both"])
def test_many_tiles_give_the_numbers_of_plain_operations(spec: ModelSpec, number: int) -> None:
    torch.set_num_threads(number)
    case = Case(spec, many_rows(), torch.float64)
    for one, other in zip(case.compiled(), case.plain(), strict=True):
        assert (one - other).abs().max() < 1e-8


@pytest.mark.parametrize("spec", [SPEC, BOTH], ids=["own", "both"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_the_same_bits_whatever_the_number_of_threads(dtype: torch.dtype, spec: ModelSpec) -> None:
    """A single thread runs a layer as one compiled function, several run it pass by pass."""
    case, found = Case(spec, many_rows(), dtype), []
    for number in (1, 2, 3, 16):
        torch.set_num_threads(number)
        found.append(case.compiled())
    for others in found[1:]:
        assert all(torch.equal(one, other) for one, other in zip(found[0], others, strict=True))


def test_what_is_not_a_number_is_not_hidden() -> None:
    """relu could turn it into 0, and a training that has gone astray would go on unnoticed."""
    case = Case(SPEC, many_rows(), torch.float32)
    gin.views(gin.parameters(SPEC), case.flat)["conv1.0.weight"].fill_(torch.nan)
    loss, gradient, _, scores = case.compiled()
    assert all(each.isnan().any() for each in (loss, gradient, scores))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adam_is_that_of_torch(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    params, first, second = rng.normal(size=50).astype(dtype), np.zeros(50, dtype), np.zeros(50, dtype)
    theirs = torch.tensor(params, requires_grad=True)
    optimizer = torch.optim.Adam([theirs], lr=0.02)
    for step in range(1, 6):
        gradient = rng.normal(size=50).astype(dtype)
        theirs.grad = torch.tensor(gradient)
        optimizer.step()
        plan = np.array([0.1, 0.001, 0.02 / (1 - 0.9**step), (1 - 0.999**step) ** -0.5], dtype)
        heads.adam(params, gradient, first, second, plan)
    np.testing.assert_allclose(params, theirs.detach().numpy(), rtol=0, atol=1e-6 if dtype is np.float32 else 1e-12)

"""The compiled kernels against plain operations in double precision; needs a CUDA GPU and Triton."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists, with_columns, with_degrees
from torch import Tensor

import graphldp as gl
from graphldp.learn.engine import gin
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs, gather
from graphldp.learn.engine.stacking import replay
from graphldp.learn.engine.training import train_many
from graphldp.neighbour_lists import NeighbourLists

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or find_spec("triton") is None, reason="there is no CUDA GPU with Triton here"
)
SETS = {"sparse": ([90, 700, 5, 1, 300], 0.01), "dense": ([90, 700, 5, 1, 300], 0.6)}


def computed(
    lists: NeighbourLists,
    spec: ModelSpec,
    dtype: torch.dtype,
    models: int,
    kind: str = "cuda",
    kept: torch.dtype = torch.float32,
) -> tuple[bool, list[Tensor]]:
    """Scores in training and evaluation, gradients and running statistics of several models."""
    device = torch.device(kind)
    packed = PackedGraphs.pack(lists, spec, device, dtype=dtype)
    ids = np.stack([np.random.default_rng(s).permutation(len(lists)) for s in range(models)])
    ids[-1, 3:] = len(lists)  # a model with fewer graphs than the others
    (batch,) = gather(packed.store, ids[None], spec.layers)
    batch = replace(batch, rounds=tuple(replace(each, kept=kept) for each in batch.rounds))
    flat, norms = (
        torch.from_numpy(np.stack([gin.initial(slots, np.random.default_rng(s)) for s in range(models)]))
        for slots in (gin.parameters(spec), gin.statistics(spec))
    )
    params = {n: v.requires_grad_() for n, v in gin.views(gin.parameters(spec), flat.to(device, dtype)).items()}
    running = gin.views(gin.statistics(spec), norms.to(device, dtype))
    scores = gin.scores(spec, params, running, batch, training=True)
    grads = torch.autograd.grad((scores**2).sum(), list(params.values()), materialize_grads=True)
    with torch.no_grad():
        later = gin.scores(spec, params, running, batch)
    return packed.store.dense, [each.double() for each in (scores.detach(), later, *grads, *running.values())]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("models", [1, 3])
@pytest.mark.parametrize("hidden", [24, 64, 128])
def test_the_kernels_compute_what_plain_operations_do(name: str, models: int, hidden: int) -> None:
    lists = random_lists(np.random.default_rng(1), *SETS[name])
    assert agree(lists, ModelSpec(2, layers=5, hidden=hidden), models) is (name == "dense")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("models", [1, 3])
@pytest.mark.parametrize("kinds", [3, None])
def test_the_kernels_read_columns_of_users(name: str, models: int, kinds: int | None) -> None:
    """Three kinds of users share rows; without kinds each user has a row of her own."""
    rng = np.random.default_rng(1)
    lists = with_columns(rng, with_degrees(rng, random_lists(rng, *SETS[name])), kinds=kinds)
    agree(lists, ModelSpec(2, layers=5, hidden=24, features="columns", num_features=8), models)


def agree(lists: NeighbourLists, spec: ModelSpec, models: int) -> bool:
    """Assert that the kernels are as near to double precision as plain operations; returns whether lists are dense."""
    dense, fused = computed(lists, spec, torch.float32, models)
    exact = computed(lists, spec, torch.float64, models)[1]
    plain = computed(lists, spec, torch.float32, models, "cpu")[1]
    for ours, truth, single in zip(fused, exact, plain, strict=True):
        # a gradient that batch norm cancels is as small as the rounding of what cancels, in any order of summation
        rounding = 4 * (single.to(truth.device) - truth).abs().max()
        assert (ours - truth).abs().max() <= max(1e-3 * max(float(truth.abs().max()), 1e-3), float(rounding))
    return dense


@pytest.mark.parametrize("models", [1, 4])
def test_the_same_seed_gives_the_same_bits(models: int) -> None:
    spec = ModelSpec(2, layers=4, hidden=32)
    sets = [random_lists(np.random.default_rng(s), *SETS[name]) for s, name in enumerate(("sparse", "dense"))]
    packs = [PackedGraphs.pack(each, spec, torch.device("cuda"), np.arange(5) % 2) for each in sets]
    jobs = [
        Training(spec, TrainingOptions(max_epochs=3, seed=s), packs[s % 2].subset(range(4)), packs[s % 2].subset([4]))
        for s in range(models)
    ]
    first, second = (train_many(jobs, at_once=models) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert all(torch.equal(one.state[name], other.state[name]) for name in one.state)


@pytest.mark.parametrize("name", SETS)
def test_recorded_steps_give_the_bits_of_steps_that_are_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModelSpec(2, layers=5, hidden=32)
    lists = random_lists(np.random.default_rng(2), SETS[name][0] * 2, SETS[name][1])
    packed = PackedGraphs.pack(lists, spec, torch.device("cuda"), np.arange(10) % 2)
    job = Training(spec, TrainingOptions(max_epochs=6, batch_size=2), packed.subset(range(7)), packed.subset([7, 8, 9]))
    recorded = train_many([job])[0]
    monkeypatch.setattr(replay, "RECORDED", 0)  # all are large ones, for which there is no memory
    monkeypatch.setattr(replay, "_ample", lambda device: False)
    plain = train_many([job])[0]
    assert all(torch.equal(recorded.state[each], plain.state[each]) for each in plain.state)
    assert [record.val_loss for record in recorded.history] == [record.val_loss for record in plain.history]


def test_reports_that_are_bits_train_as_their_names_do() -> None:
    """To the last bit, and without a name on the host."""
    drawn = gl.RR(1.0).randomize(gl.synthetic.threads(num_graphs=12, seed=4), rng=2)
    assert drawn.bits is not None
    spec, classes = ModelSpec(2, layers=5, hidden=32), np.arange(12) % 2
    found: list[dict[str, Tensor]] = []
    for lists in (drawn, replace(drawn, indices=drawn.bits.names(drawn.indptr))):
        assert (lists.bits is None) == bool(found)
        packed = PackedGraphs.pack(lists, spec, torch.device("cuda"), classes)
        assert packed.store.dense
        options = TrainingOptions(max_epochs=4, batch_size=4)
        found.append(
            train_many([Training(spec, options, packed.subset(range(9)), packed.subset([9, 10, 11]))])[0].state
        )
    assert "indices" not in vars(drawn)
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])


@pytest.mark.parametrize("kinds", [3, None])
def test_columns_are_learned_from_as_on_the_cpu(kinds: int | None) -> None:
    rng = np.random.default_rng(3)
    lists = with_columns(rng, with_degrees(rng, random_lists(rng, [40, 30, 55, 20] * 3, 0.1)), kinds=kinds)
    spec = ModelSpec(2, layers=3, hidden=16, dropout=0.0, features="columns", num_features=8)
    options = TrainingOptions(max_epochs=3, batch_size=4)
    found = []
    for kind in ("cuda", "cpu"):
        packed = PackedGraphs.pack(lists, spec, torch.device(kind), np.arange(12) % 2)
        found.append(train_many([Training(spec, options, packed.subset(range(9)), packed.subset([9, 10, 11]))] * 2)[1])
    ours, theirs = ([record.val_loss for record in each.history] for each in found)
    np.testing.assert_allclose(ours, theirs, rtol=0.01)  # the same order of graphs and the same start, rounded
    for name in ("columns.mean", "columns.deviation"):
        torch.testing.assert_close(found[0].state[name].cpu(), found[1].state[name].cpu(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("models", [1, 3])
def test_half_the_bytes_round_and_do_nothing_else(models: int) -> None:
    """A number keeps 8 binary digits, an error of 1 in 512 at most, in each of the ten steps from lists to scores."""
    spec = ModelSpec(2, layers=5, hidden=64)
    lists = random_lists(np.random.default_rng(1), *SETS["sparse"])
    half = computed(lists, spec, torch.float32, models, kept=torch.bfloat16)[1]
    exact = computed(lists, spec, torch.float64, models)[1]
    pairs = zip(half, exact, strict=True)
    apart = [float((ours - truth).norm() / truth.norm().clamp(min=1e-9)) for ours, truth in pairs]
    assert 1e-4 < apart[0] < 0.05
    gradients = slice(2, 2 + len(gin.parameters(spec)))
    ours, truth = (torch.cat([each.flatten() for each in found[gradients]]) for found in (half, exact))
    assert float(torch.cosine_similarity(ours, truth, dim=0)) > 0.98
    assert max(apart[gradients.stop :]) < 0.05  # batch norm's running statistics


def test_half_the_bytes_give_the_same_bits_again() -> None:
    spec = ModelSpec(2, layers=4, hidden=32)
    lists = random_lists(np.random.default_rng(2), SETS["sparse"][0] * 2, SETS["sparse"][1])
    packed = PackedGraphs.pack(lists, spec, torch.device("cuda"), np.arange(10) % 2)
    options = TrainingOptions(max_epochs=4, batch_size=3)
    single = Training(spec, options, packed.subset(range(8)), packed.subset([8, 9]))
    job = replace(single, options=replace(options, half=True))
    first, second, other = (train_many([each, each])[0].state for each in (job, job, single))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)
    mixed, alone = (
        train_many([single, job])[0].state,
        train_many([single])[0].state,
    )  # they do not run beside each other
    assert all(torch.equal(mixed[name], alone[name]) for name in alone)

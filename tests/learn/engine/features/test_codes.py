"""The input features of users; :mod:`tests.learn.test_gin` compares whole models that use them."""

from __future__ import annotations

import numpy as np
import torch
from tests.learn.samples import random_lists, with_degrees
from tests.values import some

from graphldp.learn.engine.features.codes import DEGREE_BOUNDS, SIZE_BOUNDS, bins, widths
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs, gather

CPU = torch.device("cpu")


def test_bins_end_at_their_bounds() -> None:
    released = torch.tensor([-7.0, 0.5, 0.51, 2.5, 4.5, 1e9], dtype=torch.float64)
    length = torch.tensor([0, 1, 2, 3, 0, 0])
    size = torch.tensor([6, 8, 9, 16, 4096, 4097])
    target = torch.tensor([1, 1, 2, 1, 5, 1])  # who is listed
    found = bins("profile", 1, released, length, target, size)
    last = len(DEGREE_BOUNDS), len(SIZE_BOUNDS)
    assert found[:, 0].tolist() == [0, 0, 1, 2, 3, last[0]]
    assert found[:, 1].tolist() == [0, 1, 2, 3, 0, 0]
    assert found[:, 2].tolist() == [0, 3, 1, 0, 0, 1]
    assert found[:, 3].tolist() == [0, 0, 1, 1, last[1] - 1, last[1]]
    assert torch.equal(bins("noisy-degree", 1, released, length, target, size), found[:, :1])
    assert bins("degree", 3, released, length, target, size)[:, 0].tolist() == [0, 1, 2, 2, 0, 0]
    assert (found < torch.tensor(widths("profile", 1))).all()


def test_each_row_has_one_position_in_each_block() -> None:
    rng = np.random.default_rng(0)
    reports = with_degrees(rng, random_lists(rng, [9, 0, 20], 0.2))
    spec = ModelSpec(2, features="profile")
    store = PackedGraphs.pack(reports, spec, CPU).store
    (batch,) = gather(store, np.array([[[2, 0]]]), spec.layers)
    assert batch.features.shape[2] == spec.width == store.width
    for block in torch.split(batch.features, list(widths("profile", 1)), dim=2):
        assert (block.sum(2) == 1).all()


def test_equal_users_stay_one_row() -> None:
    """Noise of less than a bin keeps users together; a feature per value would tell each of them apart."""
    rng = np.random.default_rng(1)
    reports = with_degrees(rng, random_lists(rng, [300], 0.0))
    store = PackedGraphs.pack(reports, ModelSpec(2, features="noisy-degree"), CPU).store
    assert len(np.unique(some(reports.noisy_degree))) == 300
    distinct = len(np.unique(np.searchsorted(DEGREE_BOUNDS, some(reports.noisy_degree))))
    assert [len(each.counts) - 1 for each in store.rounds] == [distinct] * 5  # the last row stands for nobody

"""Each epoch of a training draws what its own streams say, whoever else asks."""

from __future__ import annotations

import numpy as np
import torch
from tests.learn.samples import random_lists

from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import STREAMS, Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs

SPEC = ModelSpec(2, layers=3, hidden=4)


def test_an_epoch_draws_once() -> None:
    lists = random_lists(np.random.default_rng(0), [4, 6, 5, 3, 7, 2, 9], 0.3)
    packed = PackedGraphs.pack(lists, SPEC, torch.device("cpu"), np.arange(7) % 2)
    member = Training(SPEC, TrainingOptions(batch_size=3, seed=8), packed.subset(range(5)), packed.subset([5, 6]))
    order, dropout = (
        np.random.default_rng(np.random.SeedSequence(8, spawn_key=(STREAMS[name],))) for name in ("shuffle", "dropout")
    )
    for epoch in range(3):
        assert (member.epochs, member.batches) == (epoch, 2)
        draws = member.coming
        assert member.coming is draws
        np.testing.assert_array_equal(draws.order, order.permutation(5))
        np.testing.assert_array_equal(draws.dropout, dropout.random((5, SPEC.dropouts), dtype=np.float32))
        member.end_epoch()

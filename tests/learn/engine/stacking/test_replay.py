"""Every step works on its own tables, recorded or not; what CUDA graphs do is tested where there is a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists
from torch import Tensor

from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import Batches, PackedGraphs
from graphldp.learn.engine.stacking import replay
from graphldp.learn.engine.stacking.replay import Replay, Steps

SPEC = ModelSpec(2, layers=3, hidden=4)
Given = tuple[Tensor, ...]


@dataclass
class Recorded:
    """In place of a CUDA graph: it reads what it was recorded with, when it is replayed."""

    given: Given
    seen: list[Given]

    def replay(self) -> None:
        self.seen.append(tuple(each.clone() for each in self.given))


@pytest.mark.parametrize(("limit", "ample", "some"), [(1 << 20, False, True), (0, True, True), (0, False, False)])
def test_a_step_reads_its_own_tables(limit: int, ample: bool, some: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = ModuleType("kernels")
    kernels.__dict__["COMPILED"] = True
    rng = np.random.default_rng(0)
    store = PackedGraphs.pack(random_lists(rng, [8, 0, 20, 1, 13, 50], 0.2), SPEC, torch.device("cpu")).store
    batches = Batches(store, rng.integers(0, 7, (12, 1, 4)), SPEC.layers, kernels)
    assert len(set(batches.rooms)) < 6
    steps = Steps(batches, (torch.arange(12.0),))
    seen: list[Given] = []
    made: list[Recorded] = []

    def record(self: Replay, batches: Any, room: Any, given: Given) -> Recorded:
        made.append(Recorded(given, seen))
        return made[-1]

    monkeypatch.setattr(Replay, "_now", lambda self, batches, room, given: Recorded(given, seen).replay())
    monkeypatch.setattr(Replay, "_record", record)
    monkeypatch.setattr(replay, "RECORDED", limit)
    monkeypatch.setattr(replay, "_ample", lambda device: ample)
    worker = Replay(lambda *_: None)
    worker.run(steps)
    assert len(seen) == 12
    for step, given in enumerate(seen):
        expected = *batches.tables(step), steps.beside[0][step]
        assert all(torch.equal(one, other) for one, other in zip(given, expected, strict=True))
    assert bool(made) is some
    before = len(made)
    worker.forget()
    worker.run(steps)
    assert len(made) == 2 * before

"""Tables of batches that kernels read in place; what the kernels make of them is tested where there is a GPU."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists

from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.in_place import FEW, SMALL_TILE, TILE, InPlace

SPEC = ModelSpec(2, layers=4, hidden=4)


@pytest.fixture
def kernels() -> ModuleType:
    """All that tables depend on is how many rows a program of a dense product works on."""
    module = ModuleType("kernels")
    module.__dict__["PART"] = 16
    return module


@pytest.mark.parametrize("models", [1, FEW])
def test_the_tables_name_every_row_once(models: int, kernels: ModuleType) -> None:
    rng = np.random.default_rng(0)
    store = PackedGraphs.pack(random_lists(rng, [8, 0, 20, 1, 13, 50], 0.2), SPEC, torch.device("cpu")).store
    ids = rng.integers(0, 7, (5, models, 4))  # 6: nobody
    batches = InPlace(store, ids, SPEC.layers, kernels)
    tile = SMALL_TILE if models < FEW else TILE
    assert len(batches) == 5
    for step, room in enumerate(batches.rooms):
        places, users, _ = (each.numpy() for each in batches.tables(step))
        np.testing.assert_array_equal(users, np.append(store.sizes, 0)[ids[step]])
        np.testing.assert_array_equal(places[: models * 4], ids[step].ravel())
        blocks, start = models * 5, models * 4
        for k, total in enumerate(room[:-1]):
            pointers = np.append(store.rounds[k].row_ptr, store.rounds[k].row_ptr[-1])
            shift, target = places[start : start + blocks], places[start + blocks : start + 2 * blocks + 1]
            start += 2 * blocks + 1
            assert target[-1] == total
            assert (target[::5] % tile == 0).all()  # each model's rows fill whole tiles
            own = np.arange(blocks).reshape(models, 5)[:, :4]
            np.testing.assert_array_equal((shift + target[:-1])[own], pointers[ids[step]])
            np.testing.assert_array_equal(np.diff(target)[own], pointers[ids[step] + 1] - pointers[ids[step]])
        assert start == len(places)
    assert len(set(batches.rooms)) < 5

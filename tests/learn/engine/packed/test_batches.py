"""Colours are exactly what the network cannot tell apart, and batches are exactly the graphs that were asked for."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.learn.samples import random_lists
from tests.values import some
from torch import Tensor

from graphldp.errors import DataError
from graphldp.learn.engine import plain
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed import packing
from graphldp.learn.engine.packed.batches import FEW, SMALL_TILE, TILE, Batches, PackedGraphs
from graphldp.learn.engine.packed.colours import Lists, group, refine
from graphldp.learn.engine.rows import Operator
from graphldp.neighbour_lists import NeighbourLists
from graphldp.privacy import Budget
from graphldp.reports import Reports

CPU = torch.device("cpu")
SPEC = ModelSpec(2, layers=4, hidden=4)
ROOMY = ModuleType("kernels")  # what compiled kernels are given, computed by plain operations
ROOMY.__dict__.update(vars(plain) | {"COMPILED": True})


def naive_colours(lists: NeighbourLists, rounds: int, both: bool) -> list[NDArray[np.int64]]:
    """Colour refinement by sorted tuples, one Python object per user."""
    listed_by: list[list[int]] = [[] for _ in range(lists.num_users)]
    graph = lists.graph_of_user
    start = lists.graph_ptr[:-1][graph]
    colours = [[(int(g),) for g in graph]]
    for user in range(lists.num_users):
        for j in lists.indices[lists.indptr[user] : lists.indptr[user + 1]] + start[user]:
            listed_by[j].append(user)
    for _ in range(rounds):
        before = colours[-1]
        names: dict[object, int] = {}
        after = []
        for user in range(lists.num_users):
            own = lists.indices[lists.indptr[user] : lists.indptr[user + 1]] + start[user]
            key: tuple[object, ...] = (before[user], tuple(sorted(before[j] for j in own)))
            key += (tuple(sorted(before[j] for j in listed_by[user])),) if both else ()
            after.append((names.setdefault(key, len(names)),))
        colours.append(after)
    return [np.array([c[0] for c in each]) for each in colours]


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize(("density", "seed"), [(0.03, 0), (0.1, 1), (0.5, 2), (0.0, 3)])
def test_refinement_is_that_of_sorted_multisets(density: float, seed: int, both: bool) -> None:
    lists = random_lists(np.random.default_rng(seed), [20, 1, 33, 2, 15], density)
    expected = naive_colours(lists, 4, both)
    indptr = torch.from_numpy(lists.indptr.copy())
    target = torch.from_numpy(lists.indices + np.repeat(lists.graph_ptr[:-1][lists.graph_of_user], lists.degrees))
    ways = [Lists(indptr, target), Lists(indptr, target).turned()][: 1 + both]
    colour = torch.from_numpy(lists.graph_of_user)
    for each in expected[1:]:
        colour, leader = refine(colour, *ways)
        # naive colours are numbered by first appearance too, so both are the same array
        np.testing.assert_array_equal(colour.numpy(), each)
        np.testing.assert_array_equal(leader.numpy(), np.unique(each, return_index=True)[1])


def test_levels_tell_users_apart() -> None:
    """Weights 1 + 1/8 and 1/2 + 1/4, and lists whose entries weigh the same in another order."""
    indptr, target = torch.tensor([0, 2, 4, 6, 6, 6]), torch.tensor([3, 4, 3, 4, 3, 4])
    level = torch.tensor([0, 3, 1, 2, 3, 0])
    lists = Lists(indptr, target, level, 4)
    colour, _ = refine(torch.zeros(5, dtype=torch.int64), lists)
    assert colour.tolist() == [0, 1, 0, 2, 2]
    assert Lists.weighted(indptr, target, level, 3).indptr.tolist() == [0, 1, 3, 4, 4, 4]
    assert some(lists.turned().level).tolist() == [0, 1, 3, 3, 2, 0]


def test_a_hash_that_merges_too_much_is_noticed() -> None:
    key = torch.tensor([5, 3, 5, 3])
    assert group(key, torch.tensor([1, 2, 9, 2])) is None
    colour, leader = some(group(key, key))
    assert colour.tolist() == [0, 1, 0, 1]
    assert leader.tolist() == [0, 1]


def dense(matrix: Operator, columns: int) -> Tensor:
    return matrix @ torch.eye(columns, dtype=torch.float64)


@pytest.mark.parametrize("kernels", [plain, ROOMY])
@pytest.mark.parametrize("models", [1, 3])
def test_matrices_carry_every_user_and_their_transposes_agree(models: int, kernels: ModuleType) -> None:
    rng = np.random.default_rng(4)
    lists = random_lists(rng, [8, 0, 20, 1, 13, 5], 0.2)
    packed = PackedGraphs.pack(lists, SPEC, CPU, dtype=torch.float64)
    ids = rng.integers(0, 6, (2, models, 4))
    ids[1, -1, 2:] = 6  # nobody: the last model has fewer graphs
    sizes = np.append(lists.sizes, 0)
    for step, batch in enumerate(Batches(packed.store, ids, SPEC.layers, kernels)):
        np.testing.assert_array_equal(batch.users.numpy(), sizes[ids[step]])
        for k, rows in enumerate(batch.rounds):
            count = rows.counts.numel()
            assert count % (SMALL_TILE if kernels is ROOMY else TILE if models > 1 else 1) == 0
            assert rows.tiles.model.tolist() == sorted(rows.tiles.model.tolist())
            per_model = rows.tiles.collect(rows.counts.sum(1))[:, 0]
            np.testing.assert_array_equal(per_model.numpy(), sizes[ids[step]].sum(1))
            if k:
                (matrix,) = rows.matrices
                before = batch.rounds[k - 1].counts.numel()
                there = dense(matrix.forward, before)
                assert torch.equal(there, dense(matrix.backward, count).T)
                # all that users take, each from herself and her list
                taken = (rows.counts.flatten() @ there).sum()
                entries = np.append(np.diff(lists.indptr[lists.graph_ptr]), 0)
                assert taken == (sizes[ids[step]] + entries[ids[step]]).sum()


@pytest.mark.parametrize("models", [1, FEW])
def test_the_tables_name_every_row_once(models: int) -> None:
    rng = np.random.default_rng(0)
    store = PackedGraphs.pack(random_lists(rng, [8, 0, 20, 1, 13, 50], 0.2), SPEC, CPU).store
    ids = rng.integers(0, 7, (5, models, 4))  # 6: nobody
    batches = Batches(store, ids, SPEC.layers, ROOMY)
    tile = SMALL_TILE if models < FEW else TILE
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
    assert len(batches.rooms) == 5 > len(set(batches.rooms))


def test_settled_colours_are_stored_once() -> None:
    lists = random_lists(np.random.default_rng(5), [30, 40], 0.5)
    store = PackedGraphs.pack(lists, ModelSpec(2, layers=7), CPU).store
    assert store.rounds[-1] is store.rounds[-2]


def test_packing_in_parts_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = random_lists(np.random.default_rng(6), [10, 30, 0, 25, 7], 0.1)
    whole = PackedGraphs.pack(lists, SPEC, CPU).store
    monkeypatch.setattr(packing, "_ENTRIES_AT_ONCE", 40)
    parts = PackedGraphs.pack(lists, SPEC, CPU).store
    assert torch.equal(whole.codes, parts.codes)
    for one, two in zip(whole.rounds, parts.rounds, strict=True):
        np.testing.assert_array_equal(one.row_ptr, two.row_ptr)
        assert torch.equal(one.counts, two.counts)
        for a, b in zip(one.matrices, two.matrices, strict=True):
            assert all(torch.equal(x, y) for x, y in zip((*a[0], *a[1]), (*b[0], *b[1]), strict=True))


def test_users_who_have_not_reported_leave_their_graph() -> None:
    lists = random_lists(np.random.default_rng(7), [9, 12], 0.4)
    missing = lists.degrees == 0
    assert missing.any()
    reports = Reports(lists.indptr, lists.indices, lists.graph_ptr, budget=Budget(1.0, 1.0), missing=missing)
    packed = PackedGraphs.pack(reports, SPEC, CPU)
    np.testing.assert_array_equal(packed.store.sizes, np.add.reduceat(~missing, lists.graph_ptr[:-1]))


def test_a_subset_shares_the_packed_graphs() -> None:
    lists = random_lists(np.random.default_rng(8), [5, 6, 7, 8], 0.3)
    packed = PackedGraphs.pack(lists, SPEC, CPU, classes=[0, 1, 1, 0])
    few = packed.subset([3, 1])
    assert few.store is packed.store
    assert few.subset([1]).ids.tolist() == [1]
    assert some(few.classes).tolist() == [0, 1]


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2], [0, -1, 1]])
def test_refuses_classes_that_do_not_fit(classes: list[int]) -> None:
    lists = random_lists(np.random.default_rng(9), [5, 6, 7], 0.3)
    with pytest.raises(DataError, match="from 0 to 1 for each graph"):
        PackedGraphs.pack(lists, SPEC, CPU, classes=classes)


def test_packs_no_graph_at_all() -> None:
    packed = PackedGraphs.pack(
        NeighbourLists(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64)), SPEC, CPU
    )
    assert len(packed) == 0

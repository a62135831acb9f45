"""Merging the equal colours of a batch's graphs changes the number of rows and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.learn.samples import random_lists

from graphldp.learn.engine import gin
from graphldp.learn.engine.cpu import Network, gather
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.store import GraphStore, join
from graphldp.neighbour_lists import NeighbourLists

CPU = torch.device("cpu")
KINDS = [
    {},
    {"features": "profile", "directions": "both"},
    {"convolution": "gcn"},
    {"convolution": "sage", "readout": "sum", "features": "degree", "num_features": 4},
]


def paths(lengths: list[int]) -> NeighbourLists:
    """One path for each length: colours settle within each long before the paths are told apart."""
    lists = [[j for j in (i - 1, i + 1) if 0 <= j < n] for n in lengths for i in range(n)]
    indptr = np.concatenate(([0], np.cumsum([len(each) for each in lists])))
    graph_ptr = np.concatenate(([0], np.cumsum(lengths)))
    return NeighbourLists(indptr, np.concatenate(lists).astype(np.int64), graph_ptr)


def computed(spec: ModelSpec, store: GraphStore, ids: NDArray[np.int64]) -> tuple[list[NDArray[Any]], list[int]]:
    """Loss, gradient, statistics and scores of a batch, and its rows after each round."""
    (batch,) = gather(store, ids[None, None], spec.layers)
    flat, norms = (
        gin.initial(slots, np.random.default_rng(0)) for slots in (gin.parameters(spec), gin.statistics(spec))
    )
    network, ones = Network(spec, flat, norms), np.ones((len(ids), spec.dropouts))
    loss, gradient = network.gradient(batch, np.arange(len(ids)) % 2, ones[:, 0].copy(), ones)
    found = [np.array(loss), gradient, norms, network.scores(batch)]
    return found, [len(rows.counts) for rows in batch.rounds]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["paths", "random"])
def test_merged_rows_give_the_same(name: str, kind: dict[str, Any]) -> None:
    spec = ModelSpec(2, layers=7, hidden=8, **kind)
    sizes = [9, 5, 12, 8, 0, 10, 9, 1]
    lists = paths(sizes) if name == "paths" else random_lists(np.random.default_rng(0), sizes, 0.08)
    store = PackedGraphs.pack(lists, spec, CPU, dtype=torch.float64).store
    assert store.colours
    ids = np.array([3, 0, 4, 6, 1, len(lists)])  # the last one is nobody
    merged, rows = computed(spec, store, ids)
    apart, more = computed(spec, replace(store, colours=()), ids)
    assert all(few <= many for few, many in zip(rows, more, strict=True))
    assert sum(rows) < sum(more)
    for one, other in zip(merged, apart, strict=True):
        assert np.abs(one - other).max() < 1e-8


def test_a_graph_twice_in_a_batch_has_its_rows_once() -> None:
    spec = ModelSpec(2, layers=4, hidden=4)
    store = PackedGraphs.pack(paths([7, 7, 4]), spec, CPU).store
    (once,) = gather(store, np.array([[[0]]]), spec.layers)
    (twice,) = gather(store, np.array([[[0, 1]]]), spec.layers)
    for one, two in zip(once.rounds, twice.rounds, strict=True):
        assert np.array_equal(2 * one.counts, two.counts)


def test_sets_that_are_joined_keep_their_colours_apart() -> None:
    spec = ModelSpec(2, layers=4, hidden=4)
    stores = [PackedGraphs.pack(paths(sizes), spec, CPU, dtype=torch.float64).store for sizes in ([7, 7, 4], [7, 6, 6])]
    both = join(stores, CPU)
    alone, rows = computed(spec, stores[1], np.array([0, 2, 1]))
    among, same = computed(spec, both, np.array([3, 5, 4]))
    assert rows == same
    for one, other in zip(alone, among, strict=True):
        assert np.array_equal(one, other)
    assert not join([stores[0], replace(stores[1], colours=())], CPU).colours

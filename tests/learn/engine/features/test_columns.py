"""Columns of users as the input of a network: the same numbers as torch_geometric, and equal users computed once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.learn.engine.test_gin import engine, made, reference
from tests.learn.samples import random_lists, told_of, with_columns, with_degrees

from graphldp.errors import DataError
from graphldp.learn.engine.cpu import gather
from graphldp.learn.engine.features.columns import column_rows
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.store import join
from graphldp.learn.engine.training import train_many
from graphldp.privacy import Budget
from graphldp.reports import NoisyColumns, Reports

CPU = torch.device("cpu")
WIDTH = 8  # two public columns, two groups, a noisy column and a noisy label of three


def some_reports(sizes: list[int], *, kinds: int | None, density: float = 0.1, seed: int = 0) -> Reports:
    rng = np.random.default_rng(seed)
    return with_columns(rng, with_degrees(rng, random_lists(rng, sizes, density)), kinds=kinds)


def spec_of(**more: Any) -> ModelSpec:
    return ModelSpec(**{"num_classes": 2, "hidden": 8, "features": "columns", "num_features": WIDTH, **more})


def test_a_row_holds_public_columns_groups_and_what_was_told() -> None:
    reports = some_reports([7, 0, 5], kinds=None)
    assert np.array_equal(column_rows(reports), told_of(reports))


@pytest.mark.parametrize("kinds", [3, None])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"readout": "sum", "graph_features": "degrees"},
        {"directions": "both", "weights": "posterior"},
        {"convolution": "gcn"},
        {"convolution": "sage"},
    ],
    ids=str,
)
def test_equals_torch_geometric(kind: dict[str, Any], training: bool, kinds: int | None) -> None:
    spec = spec_of(num_classes=3, layers=4, dropout=0.0, **kind)
    reports = some_reports([30, 1, 0, 40], kinds=kinds)
    model = made(spec)
    theirs = reference(model, reports, torch.float64, training=training)
    ours = engine(spec, reports, model.tensors(), torch.float64, training=training)
    for what, value in ours.items():
        assert (theirs[what] - value).abs().max() < 1e-8, what


def test_equal_rows_are_computed_once_and_others_one_by_one() -> None:
    """Without lists and with one d*, a graph has a row for each different row of columns."""
    for kinds, rows in ((4, [4, 4]), (None, [60, 50])):
        reports = some_reports([60, 50], kinds=kinds, density=0.0)
        reports = replace(reports, noisy_degree=np.zeros(110))
        store = PackedGraphs.pack(reports, spec_of(), CPU).store
        assert all(np.diff(each.row_ptr).tolist() == rows for each in store.rounds)
    signs = replace(
        reports, columns=replace(reports.columns, features=np.where(np.arange(110) % 2, 0.0, -0.0)[:, None])
    )
    assert not np.signbit(column_rows(signs)[:, 4]).any()  # else equal users would count as different


def test_graphs_share_rows_and_the_numbers_stay() -> None:
    spec = spec_of(layers=3, dropout=0.0)
    reports = some_reports([12] * 8, kinds=2, density=0.0)
    store = PackedGraphs.pack(reports, spec, CPU).store
    assert store.colours
    ids = np.array([[[5, 0, 7]]])
    (merged,), (apart,) = (list(gather(each, ids, 3)) for each in (store, replace(store, colours=())))
    assert len(merged.features) < len(apart.features)
    for batch in (merged, apart):  # the sum over all users, however many share a row
        total = batch.rounds[0].counts @ batch.features[:, -WIDTH:]
        users = np.concatenate([np.arange(12 * graph, 12 * graph + 12) for graph in (5, 0, 7)])
        np.testing.assert_allclose(total, told_of(reports)[users].sum(0), rtol=1e-4, atol=1e-4)


def test_joined_sets_keep_their_columns() -> None:
    parts = [some_reports([9, 4], kinds=None, seed=seed) for seed in (1, 2)]
    joined = join([PackedGraphs.pack(each, spec_of(), CPU).store for each in parts], CPU)
    rows = np.vstack([told_of(each) for each in parts])
    assert np.array_equal(joined.inputs(torch.arange(26))[:, -WIDTH:].numpy(), rows)


def test_stacked_is_alone() -> None:
    """Two trainings as one have each its own graphs, and its own scale of columns."""
    spec = spec_of(layers=3)
    sets = [some_reports([10] * 12, kinds=None, seed=seed) for seed in (1, 2)]
    told = sets[1].columns
    sets[1] = replace(sets[1], columns=replace(told, features=1000 * np.asarray(told.features)))
    classes = np.arange(12) % 2
    packed = [PackedGraphs.pack(each, spec, CPU, classes=classes, dtype=torch.float64) for each in sets]
    options = TrainingOptions(min_epochs=2, max_epochs=3, batch_size=4)
    jobs = [Training(spec, options, each.subset(np.arange(9)), each.subset(np.arange(9, 12))) for each in packed]
    together = train_many(jobs, at_once=2)
    for job, reports, both in zip(jobs, sets, together, strict=True):
        (alone,) = train_many([job])
        for name, value in alone.state.items():
            assert (value - both.state[name]).abs().max() < 1e-8, name
        learned = told_of(reports)[:90].astype(np.float64)  # of the training graphs, not of the others
        np.testing.assert_allclose(both.state["columns.mean"], learned.mean(0), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(both.state["columns.deviation"], learned.std(0), rtol=1e-6)


def test_the_width_does_not_depend_on_what_users_told() -> None:
    """Few users may happen to tell the very numbers of their groups: the model is the same for them."""
    reports = some_reports([5, 6], kinds=None)
    same = replace(reports, columns=replace(reports.columns, labels=np.array(reports.groups)))
    assert column_rows(same).shape == column_rows(reports).shape == (11, WIDTH)


def test_refuses_other_columns() -> None:
    reports = some_reports([5, 6], kinds=None)
    with pytest.raises(DataError, match=r"takes 7 columns of each user. Got 8 instead"):
        PackedGraphs.pack(reports, spec_of(num_features=7), CPU)
    bare = replace(reports, attributes=None, columns=NoisyColumns(), budget=Budget(1.0, 1.0))
    with pytest.raises(DataError, match="needs columns of users"):
        PackedGraphs.pack(bare, spec_of(), CPU)
    huge = replace(reports, columns=replace(reports.columns, features=np.full((11, 1), 1e300)))
    with pytest.raises(DataError, match="these are larger: scale them"):
        PackedGraphs.pack(huge, spec_of(), CPU)

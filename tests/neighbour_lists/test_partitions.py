"""Groups that were made from a private column, and groups that only go along with one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import graphldp as gl
from graphldp.errors import DataError
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.neighbour_lists.partitions import made_from, made_from_one

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 300)
HALVES = np.arange(300) % 2
ROWS = np.column_stack((RNG.random(300), np.eye(3)[LABELS]))  # the label is told by three columns together
MADE = {
    "the label by other numbers": 2 - LABELS,
    "the label divided": 2 * LABELS + HALVES,
    "two labels put together": (LABELS == 1).astype(np.int64),
}


def sparser(rows: Any) -> Any:
    return sparse.csr_array(np.where(rows == ROWS[:, :1], 0.0, rows))


@pytest.mark.attack("learning")
@pytest.mark.parametrize("groups", MADE.values(), ids=MADE)
def test_groups_that_were_made_from_a_private_label_are_refused(groups: Any) -> None:
    """Public groups made from a private column: one-hot features, or its values divided further or put together."""
    graphs = gl.GraphSet.from_edges([], [], [300]).with_groups(groups)
    with pytest.raises(DataError, match="give away everybody's node_labels, which are private"):
        gl.FriendCounts(1.0).randomize(graphs.with_node_labels(LABELS), rng=0)
    with pytest.raises(DataError, match="give away everybody's node_labels"):
        gl.FriendCounts(1.0).randomize(graphs.with_node_labels(np.where(HALVES, LABELS, NO_LABEL)), rng=0)
    assert gl.FriendCounts(1.0).randomize(graphs.with_node_labels(LABELS, public=True), rng=0).num_groups > 1


@pytest.mark.attack("learning")
@pytest.mark.parametrize("rows", [ROWS, sparser(ROWS), sparser(ROWS == 0), sparse.csr_array(3.0 - ROWS)])
@pytest.mark.parametrize("groups", MADE.values(), ids=MADE)
def test_groups_that_were_made_from_private_features_are_refused(groups: Any, rows: Any) -> None:
    """Public groups made from a private column: one-hot features, or its values divided further or put together."""
    graphs = gl.GraphSet.from_edges([], [], [300]).with_groups(groups)
    with pytest.raises(DataError, match="give away everybody's features, which are private"):
        gl.FriendCounts(1.0).randomize(graphs.with_features(rows), rng=0)
    assert gl.FriendCounts(1.0).randomize(graphs.with_features(rows, public=True), rng=0).num_groups > 1


def test_what_may_be_an_accident_passes() -> None:
    """Everybody alone in a group, or with a value of her own, or few users: 2⁻⁶ is no rare accident."""
    assert not made_from_one(np.arange(300), LABELS)
    assert not made_from_one(LABELS, RNG.random(300))
    assert not made_from_one(np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    assert not made_from_one(HALVES, LABELS)
    assert not made_from_one(HALVES, np.zeros(300))


@pytest.mark.parametrize("seed", range(20))
def test_sparse_columns_are_judged_as_dense_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, 60)
    kinds = [rng.random((3, 2)) < 0.5, rng.random((3, 2)) < 0.5]
    rows = np.column_stack([kinds[0][groups] * 2.0, kinds[1][rng.integers(0, 3, 60)], rng.random(60) < 0.5, groups])
    for each in range(rows.shape[1]):
        column = rows[:, [each]]
        assert made_from(groups, sparse.csr_array(column), np.array([0])) == made_from_one(groups, column[:, 0])

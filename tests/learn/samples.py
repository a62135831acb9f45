"""Lists and reports drawn at random, without sense, for tests of what computes on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tests.values import some

from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget
from graphldp.reports import NoisyColumns, Origin, Reports


def random_lists(rng: np.random.Generator, sizes: list[int], density: float) -> NeighbourLists:
    """Asymmetric lists; about a third of them empty."""
    rows = []
    for n in sizes:
        matrix = (rng.random((n, n)) < density) & (rng.random((n, 1)) < 2 / 3)
        np.fill_diagonal(matrix, False)
        rows += [np.flatnonzero(row) for row in matrix]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    indices = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int32)
    return NeighbourLists(indptr, indices, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))


def with_degrees(rng: np.random.Generator, lists: NeighbourLists) -> Reports:
    """The same lists as reports that carry d*."""
    noisy = lists.degrees + rng.laplace(scale=2.0, size=lists.num_users)
    arrays = lists.indptr, lists.indices, lists.graph_ptr
    return Reports(*arrays, budget=Budget(1.0, 1.0), noisy_degree=noisy, origin=Origin("dprr"), noise="laplace")


def with_columns(rng: np.random.Generator, reports: Reports, *, kinds: int | None = None) -> Reports:
    """The same reports with two public columns, two groups, a noisy column and a noisy label of three.

    Args:
        kinds: how many different rows there are; by default about as many as users.
    """
    n = reports.num_users
    kind = np.arange(n) if kinds is None else rng.integers(kinds, size=n)
    values = rng.normal(size=(max(n, kinds or 0), 3)).astype(np.float32)[kind]
    return replace(
        reports,
        attributes=Attributes(values[:, :2], groups=kind % 2, num_groups=2, public_features=True),
        columns=NoisyColumns(values[:, 2:], kind % 3, 3),
        budget=replace(reports.budget, features=1.0, labels=1.0),
    )


def told_of(reports: NeighbourLists) -> NDArray[np.float32]:
    """The columns of each user as a network takes them: public ones, groups, noisy numbers, and (told - q)/(p - q)."""
    assert isinstance(reports, Reports)
    own, other = np.e / (np.e + 2), 1 / (np.e + 2)  # three categories, ε = 1
    group, label = some(reports.groups), some(reports.columns.labels)
    indicators = ((label[:, None] == np.arange(3)) - other) / (own - other)
    parts = reports.features, group[:, None] == np.arange(2), reports.columns.features, indicators
    return np.hstack([np.asarray(each, np.float64) for each in parts]).astype(np.float32)

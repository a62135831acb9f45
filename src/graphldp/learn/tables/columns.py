"""Features of a graph from its users' columns: sums of columns, and of columns times degrees.

A single noisy column of a private user says next to nothing; a mean over a graph does. All estimates are unbiased: the
noise of a column and that of d* are independent, so

    Σ x ≈ Σ x',   Σ x·d ≈ Σ x'·d*

with x' an unbiased estimate of x (:class:`graphldp.MultiBit`, the indicators of :class:`graphldp.CategoryRR`), or x
itself where the column is public. Σ x·d counts friendships by what their ends are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.columns import exact_columns, noisy_columns
from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.learn.tables.profiles import total
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]
MOST = 64  # features: of a wide table (words) the profile takes none, since a mean of each would drown all else


def column_profile(X: NeighbourLists) -> Floats:
    """The columns of a graph's users in a few numbers each.

    Args:
        X: reports or raw graphs. Columns are the features (public ones, and noisy private ones), one for each group,
            and one for each noisy category.

    Returns:
        [graphs, …]: of all columns Σx/n, then Σx·d/n, then Σx; then the spread of each column that is known exactly.
        Nothing where users have no columns.
    """
    exact, noisy = exact_columns(X, MOST), noisy_columns(X, MOST)
    if _groups_are_told(X):
        exact = exact[:, : exact.shape[1] - X.num_groups]
    columns = np.hstack((exact, noisy))
    if not columns.shape[1]:
        return np.zeros((X.num_graphs, 0))
    degree, n = released_degrees(X), np.maximum(X.sizes, 1).astype(np.float64)[:, None]
    sums = _totals(X, columns)
    mean, with_degree = sums / n, _totals(X, columns * degree[:, None]) / n
    spread = np.sqrt(np.maximum(_totals(X, exact**2) / n - mean[:, : exact.shape[1]] ** 2, 0.0))
    return np.hstack((mean, with_degree, sums, spread))


def _groups_are_told(X: NeighbourLists) -> bool:
    """Whether the groups are what users told of themselves, whose indicators say the same without bias."""
    return (
        isinstance(X, Reports) and X.noisy_labels is not None and np.array_equal(np.asarray(X.groups), X.noisy_labels)
    )


def _totals(X: NeighbourLists, columns: Floats) -> Floats:
    found = np.zeros((X.num_graphs, columns.shape[1]))
    for place, column in enumerate(columns.T):
        found[:, place] = total(X, column)
    return found

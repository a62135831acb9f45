"""A graph as a row of numbers: moments and order statistics of its degrees, with the noise taken out of the sums.

Sums over users average the noise away, and its law is known, so the moments of the true degrees have unbiased estimates
(σ² is the variance of the noise of each d*; 0 for public users and for raw graphs):

    Σ d ≈ Σ d*,   Σ d² ≈ Σ (d*² − σ²),   Σ d³ ≈ Σ (d*³ − 3σ²·d*)

On REDDIT-BINARY the first one is worth most: half of it minus n, the edges that a thread has beyond a tree, differs by
class, and no histogram of single noisy degrees shows it.

Where users have columns, a single noisy one says next to nothing, and a mean over a graph does. The noise of a column
and that of d* are independent, so Σ x ≈ Σ x' and Σ x·d ≈ Σ x'·d*, with x' an unbiased estimate of x
(:class:`graphldp.MultiBit`, the indicators of :class:`graphldp.CategoryRR`), or x itself where the column is public.
Σ x·d counts friendships by what their ends are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.columns import exact_columns, noisy_columns
from graphldp.learn.engine.features.summaries import largest, released_degrees
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]

MOST_COLUMNS = 64
"""Of a wider table (words) the profile takes none: a mean of each would drown all else."""
_LARGEST = 12
_DECILES = np.arange(1, 11) / 10
_WITHOUT = (1, 2, 4, 8, 16, 32)  # hubs that are left out of a sum
_MOMENTS = 9
_PLACES = _MOMENTS + len(_WITHOUT)
COLUMNS = _PLACES + 2 * _LARGEST + len(_DECILES)

# By which graphs are near each other: log n, Σd/n, the surplus over √n, Σd²/n, the eight largest d* and d*/n. Few of
# many: a tree leaves a column of noise alone, a distance adds it up.
NEARNESS = np.concatenate(([0, 2, 4, 5], _PLACES + np.arange(8), _PLACES + _LARGEST + np.arange(8)))


def degree_profile(X: NeighbourLists) -> Floats:
    """Log(1 + n), moments of the degrees, what is left of Σ d* without the hubs, the largest d* and the deciles.

    [graphs, COLUMNS]; 0 where a graph has fewer users than there are places. Without d* the length of a list stands in.
    """
    degree, variance = released_degrees(X), noise_variance(X)
    n = np.maximum(X.sizes, 1).astype(np.float64)
    first = total(X, degree)
    second = np.maximum(total(X, degree**2 - variance), 0.0)
    third = total(X, degree**3 - 3 * variance * degree)
    surplus = first / 2 - n
    places = largest(X, degree, _WITHOUT[-1], 0.0)
    rest = first[:, None] - np.cumsum(places, axis=1)[:, np.array(_WITHOUT) - 1]
    columns = (
        np.log1p(X.sizes),
        first,
        first / n,
        surplus,
        surplus / np.sqrt(n),
        second / n,
        np.sqrt(second),
        np.sqrt(second) / np.maximum(first, 1.0),
        np.cbrt(third),
    )
    places = places[:, :_LARGEST]
    head = np.stack(columns, axis=1)
    return np.hstack((head, rest / n[:, None], places, places / n[:, None], _deciles(X, degree)))


def _deciles(X: NeighbourLists, degree: Floats) -> Floats:
    """The d* below which lie 90 %, 80 %, …, 0 % of a graph's users; 0 for a graph without users."""
    ranked = np.append(degree[np.lexsort((-degree, X.graph_of_user))], 0.0)
    last = X.sizes[:, None] - 1
    place = np.minimum((_DECILES * X.sizes[:, None]).astype(np.int64), last)
    return np.asarray(ranked[np.where(last < 0, len(ranked) - 1, X.graph_ptr[:-1, None] + place)])


def noise_variance(X: NeighbourLists) -> Floats:
    """The variance of each user's d* about her degree: 2/ε₁², or 2r/(1−r)² with r = e^(−ε₁) for discrete noise."""
    if not isinstance(X, Reports) or X.noisy_degree is None:
        return np.zeros(X.num_users)
    if X.noise == "discrete":
        variance = 2.0 * np.exp(-X.epsilon1) / np.expm1(-X.epsilon1) ** 2
        asked = X.answers is not None and X.answers.asked
        return np.asarray(np.where(asked, 2.0 * variance, variance))  # N₁ + N₂
    return np.asarray(2.0 / X.epsilon1**2)


def total(X: NeighbourLists, values: Floats) -> Floats:
    """The sum of one value per user over each graph."""
    return np.bincount(X.graph_of_user, values, X.num_graphs).astype(np.float64, copy=False)  # whole for no user at all


def column_profile(X: NeighbourLists) -> Floats:
    """The columns of a graph's users in a few numbers each; nothing where users have no columns.

    Columns are the features (public ones, and noisy private ones), one for each group, and one for each noisy category.
    Of all columns Σx/n, then Σx·d/n, then Σx; then the spread of each column that is known exactly.
    """
    exact, noisy = exact_columns(X, MOST_COLUMNS), noisy_columns(X, MOST_COLUMNS)
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
    told = X.columns.labels if isinstance(X, Reports) else None
    return told is not None and np.array_equal(np.asarray(X.groups), told)


def _totals(X: NeighbourLists, columns: Floats) -> Floats:
    totals = np.zeros((X.num_graphs, columns.shape[1]))
    for place, column in enumerate(columns.T):
        totals[:, place] = total(X, column)
    return totals

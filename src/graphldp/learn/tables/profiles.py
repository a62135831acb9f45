"""A graph as a row of numbers: moments and order statistics of its degrees, with the noise taken out of the sums.

Sums over users average the noise away, and its law is known, so the moments of the true degrees have unbiased estimates
(σ² is the variance of the noise of each d*; 0 for public users and for raw graphs):

    Σ d ≈ Σ d*,   Σ d² ≈ Σ (d*² − σ²),   Σ d³ ≈ Σ (d*³ − 3σ²·d*)

On REDDIT-BINARY the first one is worth most: half of it minus n, the edges that a thread has beyond a tree, differs by
class, and no histogram of single noisy degrees shows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.engine.features.summaries import released_degrees
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]

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

    Args:
        X: reports or raw graphs; without d* the length of a list stands for it.

    Returns:
        [graphs, COLUMNS]; 0 where a graph has fewer users than there are places.
    """
    degree, variance = released_degrees(X), noise_variance(X)
    n = np.maximum(X.sizes, 1).astype(np.float64)
    first = total(X, degree)
    second = np.maximum(total(X, degree**2 - variance), 0.0)
    third = total(X, degree**3 - 3 * variance * degree)
    surplus = first / 2 - n
    places = largest(X, degree, _WITHOUT[-1])
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
        return np.asarray(variance if X.asked is None else np.where(X.asked, 2.0 * variance, variance))  # N₁ + N₂
    return np.asarray(2.0 / X.epsilon1**2)


def total(X: NeighbourLists, values: Floats) -> Floats:
    """The sum of one value per user over each graph."""
    return np.bincount(X.graph_of_user, values, X.num_graphs).astype(np.float64, copy=False)  # whole for no user at all


def largest(X: NeighbourLists, values: Floats, count: int) -> Floats:
    """The largest values of each graph's users in falling order, [graphs, count]; 0 beyond the last user."""
    ranked = np.append(values[np.lexsort((-values, X.graph_of_user))], 0.0)
    place = np.arange(count)
    where = np.where(place < X.sizes[:, None], X.graph_ptr[:-1, None] + place, len(ranked) - 1)
    return np.asarray(ranked[where])

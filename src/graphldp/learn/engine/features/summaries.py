"""Summaries of a graph in a few numbers: what the server reads off n and the degrees, without looking at an edge.

n is public and d* comes with the list at no further cost, so these are free: log n, the share of users in each bin of
d*, and the largest d*, plain and over n. The bins are constants, not fitted to any graphs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.neighbour_lists import NeighbourLists

LARGEST = 12
_STEPS = np.array([0.5, 1.5, 2.5, 3.5, 5.5, 8.5, 13.5, 21.5, 34.5, 55.5, 89.5])
EDGES = np.concatenate((-_STEPS[::-1], _STEPS))  # d* may be negative: how far below 0 shows the noise's scale
FLOOR = 1e-3  # of d*/n on a logarithmic scale: the noise takes many a d* below 0
COLUMNS = 1 + len(EDGES) + 1 + 2 * LARGEST
EXCESS = (0, 5, 10, 20, 40, 80)
SMOOTH_COLUMNS = COLUMNS - 1 + 2 + len(EXCESS)


def released_degrees(X: NeighbourLists) -> NDArray[np.float64]:
    """d* of each user where the reports carry it, else the length of her reported list."""
    noisy = getattr(X, "noisy_degree", None)
    return np.asarray(X.degrees if noisy is None else noisy, dtype=np.float64)


def degree_table(X: NeighbourLists) -> NDArray[np.float64]:
    """Log(1 + n), the share of users in each bin of d*, the largest d* and d*/n: [graphs, COLUMNS].

    NaN stands where a graph has fewer users than there are places for the largest.
    """
    degree, bins, n = released_degrees(X), len(EDGES) + 1, np.maximum(X.sizes, 1)[:, None]
    cells = np.bincount(X.graph_of_user * bins + np.searchsorted(EDGES, degree), minlength=X.num_graphs * bins)
    ranked = largest(X, degree, LARGEST, np.nan)
    return np.hstack((np.log1p(X.sizes)[:, None], cells.reshape(X.num_graphs, bins) / n, ranked, ranked / n))


def largest(X: NeighbourLists, values: NDArray[np.float64], count: int, absent: float) -> NDArray[np.float64]:
    """The largest values of each graph's users in falling order, [graphs, count]; ``absent`` beyond the last user."""
    ranked = np.append(values[np.lexsort((-values, X.graph_of_user))], absent)
    place = np.arange(count)
    return np.asarray(ranked[np.where(place < X.sizes[:, None], X.graph_ptr[:-1, None] + place, len(values))])


def smooth_table(X: NeighbourLists) -> NDArray[np.float64]:
    """:func:`degree_table` for models that multiply rather than split: [graphs, SMOOTH_COLUMNS], without NaN.

    Shares are added up from the left, so that noise that moves a user to the next bin moves one column, not two; the
    last would always be 1 and is left out. The largest d* become sign(d*) log(1 + abs(d*)), their d*/n
    log(max(d*/n, FLOOR)). Beyond the last user d* is 0. Then follow averages over users, which a tree finds in the
    shares and a small network does not: of d*, of its square, and of by how much it exceeds each number of
    :data:`EXCESS`, with logarithms as above.
    """
    table = degree_table(X)
    shares, ranked, ratios = table[:, 1 : -2 * LARGEST], table[:, -2 * LARGEST : -LARGEST], table[:, -LARGEST:]
    np.cumsum(shares, axis=1, out=shares)
    ranked[:] = _log(ranked)
    ratios[:] = np.log(np.fmax(ratios, FLOOR))
    degree = released_degrees(X)
    averaged = [degree, degree**2, *(np.maximum(degree - above, 0) for above in EXCESS)]
    sums = [np.bincount(X.graph_of_user, each, X.num_graphs) for each in averaged]
    averages = np.stack(sums, axis=1) / np.maximum(X.sizes, 1)[:, None]
    return np.hstack((np.delete(np.nan_to_num(table, nan=0.0), len(EDGES) + 1, axis=1), _log(averages)))


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.copysign(np.log1p(np.abs(values)), values)

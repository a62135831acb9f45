"""The numbers of a graph; :mod:`tests.learn.test_controls` compares the table with a plain loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tests.learn.samples import random_lists
from tests.values import some

from graphldp.learn.engine.features.summaries import (
    COLUMNS,
    EDGES,
    EXCESS,
    FLOOR,
    LARGEST,
    SMOOTH_COLUMNS,
    degree_table,
    released_degrees,
    smooth_table,
)
from graphldp.neighbour_lists import NeighbourLists
from graphldp.privacy import Budget
from graphldp.reports import Reports


def reports() -> Reports:
    rng = np.random.default_rng(0)
    lists = random_lists(rng, [30, 1, 0, 12, 5], 0.2)
    noisy = rng.laplace(3.0, 10.0, lists.num_users)
    return Reports(lists.indptr, lists.indices, lists.graph_ptr, budget=Budget(1.0, 1.0), noisy_degree=noisy)


def test_the_smooth_table_is_the_table_on_other_scales() -> None:
    given = reports()
    table, smooth = degree_table(given), smooth_table(given)
    assert (table.shape, smooth.shape) == ((5, COLUMNS), (5, SMOOTH_COLUMNS))
    plain = np.nan_to_num(table, nan=0.0)  # beyond the last user d* is 0
    size, shares, largest, ratios, averages = np.split(smooth, np.cumsum([1, len(EDGES), LARGEST, LARGEST]), axis=1)
    np.testing.assert_array_equal(size, plain[:, :1])
    np.testing.assert_allclose(np.diff(shares, prepend=0.0), plain[:, 1 : len(EDGES) + 1], atol=1e-12)
    np.testing.assert_allclose(unlog(largest), plain[:, -2 * LARGEST : -LARGEST])
    np.testing.assert_allclose(np.exp(ratios), np.maximum(plain[:, -LARGEST:], FLOOR))
    for graph in range(5):
        own = some(given.noisy_degree)[given.graph_ptr[graph] : given.graph_ptr[graph + 1]]
        wanted = [own, own**2, *(np.clip(own - above, 0, None) for above in EXCESS)]
        np.testing.assert_allclose(unlog(averages[graph]), [each.mean() if len(own) else 0.0 for each in wanted])


def unlog(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(values) * np.expm1(np.abs(values)))


def test_list_lengths_stand_in_for_degrees() -> None:
    given = reports()
    plain = NeighbourLists(given.indptr, given.indices, given.graph_ptr)
    np.testing.assert_array_equal(released_degrees(plain), given.degrees)
    np.testing.assert_array_equal(released_degrees(given), given.noisy_degree)

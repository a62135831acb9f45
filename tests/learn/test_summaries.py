"""The numbers of a graph; :mod:`tests.learn.test_controls` compares the table with a plain loop."""

from __future__ import annotations

import numpy as np
from tests.learn.reference import random_lists

from graphldp.csr import NeighbourLists
from graphldp.learn.summaries import (
    COLUMNS,
    EDGES,
    FLOOR,
    LARGEST,
    SMOOTH_COLUMNS,
    degree_table,
    released_degrees,
    smooth_table,
)
from graphldp.reports import Reports


def reports() -> Reports:
    rng = np.random.default_rng(0)
    lists = random_lists(rng, [30, 1, 0, 12, 5], 0.2)
    ones = np.ones(lists.num_users)
    noisy = rng.laplace(3.0, 10.0, lists.num_users)
    return Reports(lists.indptr, lists.indices, lists.graph_ptr, epsilon1=ones, epsilon2=ones, noisy_degree=noisy)


def test_the_smooth_table_is_the_table_on_other_scales() -> None:
    table, smooth = degree_table(reports()), smooth_table(reports())
    assert (table.shape, smooth.shape) == ((5, COLUMNS), (5, SMOOTH_COLUMNS))
    plain = np.nan_to_num(table, nan=0.0)  # beyond the last user d* is 0
    np.testing.assert_array_equal(smooth[:, 0], plain[:, 0])
    shares = np.diff(smooth[:, 1 : -2 * LARGEST], prepend=0.0)
    np.testing.assert_allclose(shares, plain[:, 1 : len(EDGES) + 1], atol=1e-12)
    largest = smooth[:, -2 * LARGEST : -LARGEST]
    np.testing.assert_allclose(np.sign(largest) * np.expm1(np.abs(largest)), plain[:, -2 * LARGEST : -LARGEST])
    np.testing.assert_allclose(np.exp(smooth[:, -LARGEST:]), np.maximum(plain[:, -LARGEST:], FLOOR))


def test_list_lengths_stand_in_for_degrees() -> None:
    given = reports()
    plain = NeighbourLists(given.indptr, given.indices, given.graph_ptr)
    np.testing.assert_array_equal(released_degrees(plain), given.degrees)
    np.testing.assert_array_equal(released_degrees(given), given.noisy_degree)

"""The numbers of a graph; :mod:`tests.learn.test_controls` compares the table with a plain loop."""

from __future__ import annotations

import numpy as np
from tests.learn.reference import random_lists

from graphldp.csr import NeighbourLists
from graphldp.learn.summaries import COLUMNS, LARGEST, degree_table, released_degrees, smooth_table
from graphldp.reports import Reports


def reports() -> Reports:
    rng = np.random.default_rng(0)
    lists = random_lists(rng, [30, 1, 0, 12, 5], 0.2)
    ones = np.ones(lists.num_users)
    noisy = rng.laplace(3.0, 10.0, lists.num_users)
    return Reports(lists.indptr, lists.indices, lists.graph_ptr, epsilon1=ones, epsilon2=ones, noisy_degree=noisy)


def test_the_smooth_table_is_the_table_on_another_scale() -> None:
    table, smooth = degree_table(reports()), smooth_table(reports())
    assert table.shape == smooth.shape == (5, COLUMNS)
    assert np.isfinite(smooth).all()
    there = ~np.isnan(table)
    assert (smooth[~there] == 0).all()
    largest = slice(-2 * LARGEST, -LARGEST)
    back = np.sign(smooth) * np.expm1(np.abs(smooth))
    np.testing.assert_allclose(back[:, largest][there[:, largest]], table[:, largest][there[:, largest]])
    for columns in (slice(0, -2 * LARGEST), slice(-LARGEST, None)):
        np.testing.assert_array_equal(smooth[:, columns][there[:, columns]], table[:, columns][there[:, columns]])


def test_list_lengths_stand_in_for_degrees() -> None:
    given = reports()
    plain = NeighbourLists(given.indptr, given.indices, given.graph_ptr)
    np.testing.assert_array_equal(released_degrees(plain), given.degrees)
    np.testing.assert_array_equal(released_degrees(given), given.noisy_degree)

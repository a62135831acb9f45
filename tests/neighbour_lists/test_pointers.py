"""Ranges of pointer arrays; what is refused is tested with the lists themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphldp.neighbour_lists.pointers import gather_ranges


@given(st.lists(st.integers(0, 9), min_size=1), st.data())
def test_ranges_are_gathered_one_after_the_other(lengths: list[int], data: st.DataObject) -> None:
    pointers = np.concatenate(([0], np.cumsum(lengths)))
    picked = np.array(data.draw(st.lists(st.integers(0, len(lengths) - 1))), np.int64)
    members, new = gather_ranges(pointers, picked)
    expected = [np.arange(pointers[i], pointers[i + 1]) for i in picked]
    np.testing.assert_array_equal(members, np.concatenate([*expected, np.zeros(0, np.int64)]))
    assert np.diff(new).tolist() == [lengths[i] for i in picked]

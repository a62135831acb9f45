from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.machines import memory
from graphldp.machines.memory import available, check_room
from graphldp.neighbour_lists.bit_lists import BitLists


def test_what_does_not_fit_is_refused_before_it_is_made() -> None:
    left = available()
    assert left is None or left > 0
    check_room(1000, "A thousand bytes")
    if left is not None:
        with pytest.raises(ParameterError, match=r"^Everything would take .* GB of memory, and .* GB are left"):
            check_room(10.0**18, "Everything")


def test_names_are_not_written_out_where_they_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists as bits take an eighth of their names at ε = 1: what was drawn may not fit as names."""
    drawn = BitLists(np.array([2, 1], np.uint64), np.array([0, 2]))
    assert drawn.names(np.array([0, 1, 2])).tolist() == [1, 0]
    monkeypatch.setattr(memory, "_LITTLE", 0)
    monkeypatch.setattr(memory, "available", lambda: 4)
    with pytest.raises(ParameterError, match=r"^The 2 names that these bits stand for would take"):
        drawn.names(np.array([0, 1, 2]))


@pytest.mark.long
def test_a_draw_that_needs_more_memory_than_there_is_says_so_first() -> None:
    """Four million users and nobody's friend: RR would name 4 · 10¹² of them, as bits 2,000 GB."""
    if available() is None:
        pytest.skip("this system does not say how much memory is left")
    graphs = gl.GraphSet.from_edges([], [], [4_000_000])
    with pytest.raises(ParameterError, match=r"names would take 2,000 GB of memory.*randomize_parquet"):
        gl.RR(epsilon=1.0).randomize(graphs, rng=0)

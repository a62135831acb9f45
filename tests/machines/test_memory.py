from __future__ import annotations

import pytest

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.machines.memory import available, check_room


def test_what_does_not_fit_is_refused_before_it_is_made() -> None:
    left = available()
    assert left is None or left > 0
    check_room(1000, "A thousand bytes")
    if left is not None:
        with pytest.raises(ParameterError, match=r"^Everything would take .* GB of memory, and .* GB are left"):
            check_room(10.0**18, "Everything")


@pytest.mark.long
def test_a_draw_that_needs_more_memory_than_there_is_says_so_first() -> None:
    """Four million users and nobody's friend: RR would name 4 · 10¹² of them, as bits 2,000 GB."""
    if available() is None:
        pytest.skip("this system does not say how much memory is left")
    graphs = gl.GraphSet.from_edges([], [], [4_000_000])
    with pytest.raises(ParameterError, match=r"names would take 2,000 GB of memory.*randomize_parquet"):
        gl.RR(epsilon=1.0).randomize(graphs, rng=0)

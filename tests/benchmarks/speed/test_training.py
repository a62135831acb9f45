from __future__ import annotations

import pytest
from benchmarks.speed import training

import graphldp as gl
from graphldp.experiments.speed import BATCH


@pytest.mark.long
def test_a_limit_bounds_the_rounds_of_a_set() -> None:
    """In processes of their own, as measured: one round, however low the limit."""
    graphs = gl.synthetic.threads(num_graphs=2 * BATCH, seed=0)
    rows = list(training.compared("threads", graphs, threads=1, rounds=3, limit=0.0))
    assert [row["method"] for row in rows] == list(training.METHODS)
    assert [row["rounds"] for row in rows] == [1, 1]
    assert rows[0]["ratio"] == rows[0]["processor_ratio"] == 1
    assert all(row["processor_seconds"] > 0 and row["peak_mb"] > 0 for row in rows)

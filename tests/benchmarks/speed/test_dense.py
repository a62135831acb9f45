from __future__ import annotations

import math
from pathlib import Path

import pytest
from benchmarks.speed import dense

from graphldp.datasets import synthetic


@pytest.mark.long
def test_dense_lists_are_measured_beside_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "REPEATS", 1)
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)
    drawn, plain, named, plainly_named, *files = dense.run(tmp_path)
    for ours, peer in ((drawn, plain), (named, plainly_named)):
        assert ours["against"] == pytest.approx(peer["seconds"] / ours["seconds"], rel=0.1)
    assert 4 * drawn["mb"] < named["mb"]
    sizes = {row["what"]: row["mb"] for row in files}
    assert 2 * sizes["file of bits: read"] < sizes["file of names: read"]


@pytest.mark.parametrize("names", [True, False])
def test_the_peer_draws_the_same_law(names: bool) -> None:
    """As many pairs as RR at ε = 1 reports on average, within five deviations: chance fails it once in 10⁶ seeds."""
    graphs = synthetic.threads(num_graphs=40, seed=0)
    flip = 1 / (1 + math.exp(dense.EPSILON))
    pairs = int((graphs.sizes * (graphs.sizes - 1)).sum())
    expected = pairs * flip + graphs.num_entries * (1 - 2 * flip)
    assert abs(dense.plain_draw(graphs, names=names) - expected) < 5 * math.sqrt(pairs * flip * (1 - flip))

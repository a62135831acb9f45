from __future__ import annotations

import pytest
from benchmarks.speed import stacked

import graphldp as gl


@pytest.mark.long
def test_stacked_against_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = gl.DPRR(epsilon=2.0).randomize(gl.synthetic.threads(num_graphs=40, seed=0), rng=0)
    for name, value in {"EPOCHS": 2, "SIZES": (1, 3), "ALONE": 2, "DEVICE": "cpu"}.items():
        monkeypatch.setattr(stacked, name, value)
    monkeypatch.setattr(stacked, "drawn", lambda name, root: reports)
    rows = {row.pop("what"): row for row in stacked.run(None)}
    assert rows["1 as one"]["against_one_by_one"] == 1
    assert rows["3 as one"]["trainings_per_minute"] > 0
    assert rows["half the bytes against single"]["difference"] == 0  # half does nothing on a CPU
    assert rows["2 of them one by one"]["largest_difference"] <= 0.5  # 6 test graphs, 2 epochs

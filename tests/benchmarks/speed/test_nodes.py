from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed import nodes

from graphldp.datasets import synthetic


@pytest.mark.long
def test_labels_of_users_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, where small sizes can be set; what stands for FacebookPages is small too."""
    monkeypatch.setattr(nodes, "DATASET", synthetic.communities(300).name)
    monkeypatch.setattr(nodes, "dataset", lambda root, name: synthetic.communities(300))
    monkeypatch.setattr(nodes, "LADDER", (400,))
    monkeypatch.setattr(nodes, "alone", lambda measured, *arguments: measured(*arguments))
    counts, lists, peer, ladder = nodes.run(tmp_path)
    assert [row["mechanism"] for row in (counts, lists, peer)] == ["friend-counts", "rr", nodes.PEER]
    assert peer["ratio"] == pytest.approx(peer["processor_seconds"] / counts["processor_seconds"], abs=0.06)
    for row in (counts, lists, ladder):
        parts = [row[f"{part}_seconds"] for part in ("features", "draw", "fit")]
        assert sum(parts) == pytest.approx(row["seconds"], abs=0.03)  # each is rounded
        assert 0 < row["features_processor_seconds"] <= row["processor_seconds"]

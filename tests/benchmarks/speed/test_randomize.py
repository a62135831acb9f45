from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed import randomize
from benchmarks.speed.timing import keep


@pytest.mark.long
def test_rows_and_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real measurement, on small sizes: what is tested is that it runs and adds up, not how fast it is."""
    for name, value in {"MIDDLE_USERS": 2000, "DENSE_USERS": 200, "LADDER": (1000, 2000), "ORKUT_USERS": 3000}.items():
        monkeypatch.setattr(randomize, name, value)
    monkeypatch.setattr(randomize, "ORKUT_EDGES", 30_000)
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)
    rows = keep(randomize.run(tmp_path), tmp_path / "randomize.json", "cpu")
    assert all(row["seconds"] > 0 and row["entries_out"] > 0 for row in rows)
    assert "dense_ratio" in rows[1]
    assert rows[-1]["cost_against_263k"] > 0
    randomize.picture(rows, tmp_path / "randomize.svg")
    assert (tmp_path / "randomize.svg").read_text().startswith("<?xml")

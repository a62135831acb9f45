from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphldp.benchmarks import randomize


def test_randomize_writes_numbers_and_a_picture(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real measurement, on small sizes: what is tested is that it runs and adds up, not how fast it is."""
    for name, value in {"MIDDLE_USERS": 2000, "DENSE_USERS": 200, "LADDER": (1000, 2000), "ORKUT_USERS": 3000}.items():
        monkeypatch.setattr(randomize, name, value)
    monkeypatch.setattr(randomize, "ORKUT_EDGES", 30_000)
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)
    code, printed, _ = command("bench", "randomize", "--repeats", "1", "--out", tmp_path, "--json")
    assert code == 0
    shown, kept = json.loads(printed), json.loads((tmp_path / "randomize.json").read_text())
    assert shown["rows"] == kept["rows"]
    assert {"cpu", "cores", "python", "backend"} == set(shown["machine"])
    assert all(row["seconds"] > 0 and row["entries_out"] > 0 for row in shown["rows"])
    assert "dense_ratio" in shown["rows"][1]
    assert shown["rows"][-1]["cost_against_263k"] > 0
    assert (tmp_path / "randomize.svg").read_text().startswith("<?xml")

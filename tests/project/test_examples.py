from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))

LONG = ("node_classes", "own_mechanism", "private_columns", "pyg_pipeline", "scikit_learn")  # each takes long to learn


def marked(path: Path) -> Any:
    return pytest.param(path, id=path.stem, marks=[pytest.mark.long] if path.stem in LONG else [])


@pytest.mark.parametrize("path", [marked(path) for path in EXAMPLES])
def test_example_runs(path: Path, tmp_path: Path) -> None:
    """As a user would run it: a process of its own, from an empty folder."""
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path, env=os.environ, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
    assert not list(tmp_path.iterdir())


def test_each_way_in_has_one() -> None:
    assert {path.stem for path in EXAMPLES} >= {"library", "own_mechanism", "pyg_pipeline", "scikit_learn"}

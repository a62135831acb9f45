from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import graphldp as gl

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


@pytest.mark.long
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R (Debian: apt-get install r-base-core)")
def test_r_reads_the_rows_of_a_survey(tmp_path: Path) -> None:
    """As an analyst would: CSV with names that need quotes, to numbers in the terminal and a PDF."""
    graphs = gl.synthetic.communities(200, 3, seed=0)
    surveys: tuple[tuple[gl.Mechanism, gl.GraphSet, dict[str, Any]], ...] = (
        (gl.FriendCounts(1.0), graphs.with_groups(graphs.node_labels), {"groups": ["Ärzte", "NA", '"nurses", all']}),
        (gl.NoisyDegrees(1.0, noise="discrete"), graphs, {}),
    )
    for mechanism, asked, names in surveys:
        found = gl.statistics(mechanism.randomize(asked, rng=0), **names)
        (tmp_path / "rows.csv").write_text(found.to_csv(), "utf-8")
        script = EXAMPLES[0].with_name("survey.R")
        command = ["Rscript", str(script), str(tmp_path / "rows.csv"), str(tmp_path / "survey.pdf")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        said = next(line.split() for line in done.stdout.splitlines() if line.split()[:1] == ["friendships"])
        assert float(said[1]) == pytest.approx(found["friendships"].value, rel=0.01)
        assert all(name.split()[0] in done.stdout for name in names.get("groups", ()))
        assert (tmp_path / "survey.pdf").read_bytes().startswith(b"%PDF")


def test_each_way_in_has_one() -> None:
    assert {path.stem for path in EXAMPLES} >= {"library", "own_mechanism", "pyg_pipeline", "scikit_learn"}

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.threats import HubGuard


@pytest.fixture
def attacked(command: Any, files: Any, tmp_path: Path) -> tuple[Path, Path]:
    out, who = tmp_path / "poisoned.npz", tmp_path / "who.csv"
    command("attack", files.reports, "-a", "all-ones", "-f", "0.3", "--malicious", who, "-o", out)
    return out, who


@pytest.mark.parametrize("name", ["threshold", "guard-accuracy", "guard-guarantee"])
def test_defenses_write_what_is_left(name: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    out, table = tmp_path / "kept.npz", tmp_path / "verdicts.csv"
    arguments = ("-d", name, "--malicious", attacked[1], "--verdicts", table, "-o", out, "--json")
    code, printed, _ = command("defend", attacked[0], *arguments)
    assert code == 0
    row, kept = json.loads(printed), gl.Reports.load(out)
    assert row["malicious_flagged"] > (0.2 if name == "threshold" else 0.9)
    assert row["honest_flagged"] < 0.01
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == kept.num_users
    assert sum(int(each["flagged"]) for each in rows) == row["flagged_users"]


def test_the_file_is_what_the_library_makes(command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "kept.npz"
    code, printed, _ = command("defend", attacked[0], "--treatment", "empty", "--seed", "3", "-o", out)
    assert code == 0
    assert "flagged_users" in printed
    kept, _ = HubGuard("accuracy", treatment="empty").apply(gl.Reports.load(attacked[0]), rng=3)
    read = gl.Reports.load(out)
    assert np.array_equal(read.indices, kept.indices)
    assert read.filtered
    assert kept.filtered
    assert not gl.Reports.load(attacked[0]).filtered


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--theta", "0"], "'theta' parameter of HubGuard must be a number between 0 and 1"),
        (["-d", "threshold", "--theta", "2"], "'theta' parameter of DegreeThreshold"),
        (["-d", "prayer"], "one of threshold"),
        (["--treatment", "forgive"], "one of remove, empty, redraw"),
        (["-d", "row-column"], "derived for reports drawn by RR"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], says: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path
) -> None:
    code, _, error = command("defend", attacked[0], "-o", tmp_path / "out.npz", *arguments)
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    "text", ["graph,user\n0,x\n", "graph,user\n99,0\n", "graph,user\n0,100000\n", "graph,user\n0\n"]
)
def test_a_wrong_list_of_malicious_users(text: str, command: Any, attacked: tuple[Path, Path], tmp_path: Path) -> None:
    attacked[1].write_text(text)
    code, _, error = command("defend", attacked[0], "--malicious", attacked[1], "-o", tmp_path / "out.npz")
    assert code == 2
    assert "line 2: not a graph and a user of these reports" in error

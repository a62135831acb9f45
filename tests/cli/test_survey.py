"""``graphldp statistics`` and ``plan``, as people type them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import graphldp as gl


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    graphs = gl.synthetic.threads(num_graphs=3, seed=0)
    gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs, rng=0).save(tmp_path / "reports.npz")
    graphs.save(tmp_path / "graphs.npz")
    return tmp_path / "reports.npz"


def test_statistics_as_a_table_json_and_csv(command: Command, reports: Path) -> None:
    code, out, _ = command("statistics", reports)
    assert code == 0
    assert "share without a friend" in out
    rows = json.loads(command("statistics", reports, "--json")[1])
    found = gl.statistics(gl.Reports.load(reports))
    assert rows == found.to_records()
    assert {row["community"] for row in rows} == {"all", "0", "1", "2"}
    table = list(csv.DictReader(io.StringIO(command("statistics", reports, "--csv")[1])))
    assert [row["name"] for row in table] == [row["name"] for row in rows]
    code, out, err = command("statistics", reports, "--json", "--csv")
    assert (code, out) == (2, "")
    assert "left out with --json" in err


def test_what_nothing_can_be_said_of(command: Command, reports: Path) -> None:
    code, _, err = command("statistics", reports.with_name("graphs.npz"))
    assert code == 2
    assert "raw graphs" in err
    code, _, err = command("statistics", reports.with_name("none.npz"))
    assert (code, err.count("\n")) == (2, 1)


def test_a_plan(command: Command) -> None:
    code, out, _ = command("plan", "--users", "200", "--groups", "4")
    assert code == 0
    assert "E–I index" in out
    told = json.loads(command("plan", "--users", "200", "--groups", "4", "--json")[1])
    made = gl.plan(users=200, groups=4)
    dense = json.loads(command("plan", "--users", "200", "--groups", "4", "--clustering", "0.5", "--json")[1])
    assert dense["rows"] == gl.plan(users=200, groups=4, clustering=0.5).to_records()
    assert told == {"rows": made.to_records(), "learning": made.learned()}
    code, out, err = command("plan", "--users", "1")
    assert (code, out, err.count("\n")) == (2, "", 1)

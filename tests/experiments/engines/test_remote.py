from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.experiments.conftest import MakePlan

from graphldp.errors import FormatError
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.engines import remote
from graphldp.experiments.engines.grouping import groups_of, merged
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.results import ResultsFile

BARE = """
import sys
for name in ("numba", "sklearn", "typer", "rich", "pydantic", "ray", "pyarrow", "platformdirs", "networkx"):
    sys.modules[name] = None
from graphldp.experiments.engines.remote import main
main(sys.argv[1:])
"""


def trainings(plan_of: MakePlan) -> ExperimentPlan:
    plan = plan_of("accuracy-lambda")
    return replace(plan, entries=tuple(e for e in plan.entries if e.series in ("dprr", "local-lap")))


def test_cells_out_rows_back(tmp_path: Path, plan_of: MakePlan, context: Context) -> None:
    """On a machine without numba, scikit-learn, typer or rich, in stacks of four, and resumed."""
    plan = trainings(plan_of)
    cells = list({entry.cell.id: entry.cell for entry in plan.entries}.values())
    count = remote.export(cells, context, tmp_path / "work")
    assert count == len(cells) == 2 * (4 + 4)
    out = tmp_path / "rows.jsonl"
    command = [
        sys.executable,
        "-c",
        BARE,
        str(tmp_path / "work"),
        "--out",
        str(out),
        "--device",
        "cpu",
        "--at-once",
        "4",
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"{count} new rows" in done.stdout
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:5]) + lines[5][:40])  # killed while it wrote the sixth
    assert len(remote.read_rows(out)) == 5

    with ResultsFile(tmp_path / "r.sqlite") as table:
        out.write_text("".join(lines))
        assert remote.take(out, table) == count
        assert remote.take(out, table) == 0
        far = table.rows()
    assert {row.status for row in far.values()} == {"done"}
    for row in compute(groups_of(cells)[0][0], context):
        assert far[row.cell.id].numbers["val_loss"] == pytest.approx(row.numbers["val_loss"], abs=1e-2)


def test_no_time_left_trains_nothing(tmp_path: Path, plan_of: MakePlan, context: Context) -> None:
    remote.export([entry.cell for entry in trainings(plan_of).entries], context, tmp_path / "work")
    work, rows = tmp_path / "work", tmp_path / "rows"
    assert remote.compute_folder(work, rows, time_limit=-1.0, device="cpu", at_once=2) == 0


def test_draws_are_put_together_as_memory_allows(plan_of: MakePlan, context: Context) -> None:
    groups, _ = groups_of(entry.cell for entry in trainings(plan_of).entries)
    assert len(groups) == 8
    assert [len(pack) for pack in merged(groups, replace(context, memory=1 << 40))] == [sum(map(len, groups))]
    assert len(merged(groups, replace(context, memory=1))) == len(groups)


def test_rows_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        remote.read_rows(tmp_path / "none.jsonl")
    (tmp_path / "rows.jsonl").write_text("hello\n")
    with pytest.raises(FormatError, match=r"rows.jsonl, line 1: not a row"):
        remote.read_rows(tmp_path / "rows.jsonl")

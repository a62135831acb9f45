from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.conftest import MakePlan

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.compute import compute, groups_of, merged
from graphldp.experiments.draws import Context
from graphldp.experiments.engines import remote
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan, dataset_id, make_plan
from graphldp.experiments.plans.search import BEFORE, TESTED, GridSearch, Rung
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


def test_what_measures_time_runs_alone(tmp_path: Path, plan_of: MakePlan, context: Context) -> None:
    """A call for it, and only for it: the graphs of one kind are in the folder, those of the other are grown there."""
    cells = [plan_of(name).entries[0].cell for name in ("runtime-sampling", "runtime-nodes")]
    work, rows = tmp_path / "work", tmp_path / "rows"
    assert remote.export(cells, context, work) == 2
    assert remote.compute_folder(work, rows, time_limit=300, device="cpu", at_once=1) == 0
    assert remote.compute_folder(work, rows, time_limit=300, device="cpu", at_once=1, timed=True) == 2
    found = {row.cell.id: row for row in remote.read_rows(rows)}
    assert [found[cell.id].status for cell in cells] == ["done", "done"]
    assert all(row.numbers["train_seconds"] > 0 for row in found.values())
    assert remote.compute_folder(work, rows, time_limit=300, device="cpu", at_once=1, timed=True) == 0


def test_draws_are_put_together_as_memory_allows(plan_of: MakePlan, context: Context) -> None:
    groups, _ = groups_of(entry.cell for entry in trainings(plan_of).entries)
    assert len(groups) == 8
    assert [len(pack) for pack in merged(groups, replace(context, memory=1 << 40))] == [sum(map(len, groups))]
    assert len(merged(groups, replace(context, memory=1))) == len(groups)


SHORT = GridSearch(
    "A short search",
    "Section 5.1",
    methods=("dprr", "rr"),
    rungs=(Rung("short", seeds=1, keep=1, most_epochs=2), Rung("whole", seeds=1)),
    before=(("layers", 2), ("hidden", 4), ("lr", 0.1), ("dropout", 0.0)),
    public_fraction=(0.0,),
)


def test_a_search_goes_on_there(
    tmp_path: Path, graphs_file: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second rung is planned on the far machine, by rows of the first, one of which was known here."""
    monkeypatch.setitem(EXPERIMENTS, "grid", SHORT)
    asked: dict[str, Any] = {"name": "grid", "dataset": dataset_id(str(graphs_file))[0], "effort": "smoke", "seeds": 1}
    asked["grid"] = {"layers": (2, 3), "hidden": (4,), "lr": (0.01,), "dropout": (0.0,)}
    first = make_plan(**asked, context=context)
    before, short = ([e.cell for e in first.entries if e.panel == panel] for panel in (BEFORE, "short"))
    assert (len(before), len(short)) == (2, 4)
    known = [Row(cell, "done", {"val_accuracy": 0.5, "val_loss": 0.7}) for cell in before]
    work, rows = tmp_path / "work", tmp_path / "rows"
    assert remote.export(short[:3], context, work, [asked], known) == 3
    counted = remote.compute_folder(work, rows, time_limit=300, device="cpu", at_once=2)
    found = {row.cell.id: row for row in remote.read_rows(rows)}
    grown = make_plan(**asked, context=context, rows=found | {row.cell.id: row for row in known})
    assert {e.cell.id for e in grown.entries} == found.keys() | {cell.id for cell in before}
    assert {row.status for row in found.values()} == {"done"}
    assert len({e.cell.id for e in grown.entries if e.panel == TESTED}) == 2
    assert counted == len(found) == 4 + 2
    assert remote.compute_folder(work, rows, time_limit=300, device="cpu", at_once=2) == 0


def test_cells_without_a_draw_or_a_seed_have_a_place_in_the_order() -> None:
    dense = Cell.of("train", draw={"mechanism": "rr"}, seed=0)
    assert sorted([dense, plain := Cell.of("dataset", dataset="synthetic:threads")], key=remote._urgency)[0] is plain


def test_rows_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        remote.read_rows(tmp_path / "none.jsonl")
    (tmp_path / "rows.jsonl").write_text("hello\n")
    with pytest.raises(FormatError, match=r"rows.jsonl, line 1: not a row"):
        remote.read_rows(tmp_path / "rows.jsonl")

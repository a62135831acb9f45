from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.conftest import MakePlan
from tests.experiments.here import in_this_process
from threadpoolctl import threadpool_info

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.compute import groups_of
from graphldp.experiments.draws import Context
from graphldp.experiments.engines import local
from graphldp.experiments.engines.local import HereEngine, LocalEngine
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.runs.runner import missing, run


def numbers(rows: Mapping[str, Row]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    return {key: (row.status, row.numbers) for key, row in rows.items()}


def some_of(plan_of: MakePlan) -> ExperimentPlan:
    """A part of a figure: enough to keep two workers busy for a few seconds."""
    plan = plan_of("accuracy-lambda")
    return replace(plan, entries=tuple(e for e in plan.entries if e.series in ("dprr", "local-lap", "size-control")))


@pytest.fixture(scope="module")
def alone(plan_of: MakePlan, context: Context) -> dict[str, Row]:
    """Every cell of the small plan, computed in this process."""
    cells = list({entry.cell.id: entry.cell for entry in some_of(plan_of).entries}.values())
    return {row.cell.id: row for row in HereEngine().run(groups_of(cells)[0], context)}


@pytest.mark.long
def test_processes_compute_what_one_process_does_and_a_death_costs_only_time(
    tmp_path: Path, plan_of: MakePlan, context: Context, alone: dict[str, Row]
) -> None:
    plan = some_of(plan_of)
    killed: list[int] = []
    seen: list[Row] = []

    def kill_one(row: Row) -> None:
        seen.append(row)
        if len(seen) == 3:  # some cells are done, and more are left
            victim = multiprocessing.active_children()[0]
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    with ResultsFile(tmp_path / "r.sqlite") as table:
        run([plan], table, context, workers=2, on_row=kill_one)
        assert killed
        assert len(seen) == len(alone)
        assert numbers(table.rows()) == numbers(alone)
        assert all(row.status == "done" for row in seen)
        assert all(row.seconds > 0 and row.peak_memory > 1e6 and row.machine["cores"] >= 1 for row in seen)
        again: list[Row] = []
        run([plan], table, context, workers=2, on_row=again.append)
        assert not again


def test_a_cell_that_kills_its_workers_is_recorded(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell.of("dataset", dataset="synthetic:threads")
    monkeypatch.setattr("graphldp.experiments.engines.local._work", _die)
    found = list(LocalEngine(1).run([[cell]], context))
    assert [row.status for row in found] == ["failed"]
    assert "died twice" in found[0].note


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_begin_before_a_row_is_asked_for(context: Context) -> None:
    before = multiprocessing.active_children()
    rows = LocalEngine(1).run([[Cell.of("dataset", dataset="synthetic:threads")]], context)
    assert len(multiprocessing.active_children()) == len(before) + 1
    assert [row.status for row in rows] == ["done"]
    assert multiprocessing.active_children() == before


def test_a_worker_multiplies_by_the_threads_it_was_given(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell.of("dataset", dataset="synthetic:threads")
    monkeypatch.setattr("graphldp.experiments.engines.local._work", _count_threads)
    [row] = LocalEngine(1, threads=3).run([[cell]], context)
    assert row.note == "[3, 3]"  # NumPy's and SciPy's


def _count_threads(*args: Any) -> None:
    """Work, but say in place of an answer how many threads a product of matrices has."""

    def count(cells: list[Cell], _: Context) -> list[Row]:
        found = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
        return [Row(cell, "done", note=str(found)) for cell in cells]

    local.compute = count  # type: ignore[attr-defined,assignment]
    local._work(*args)


@pytest.mark.long
def test_killed_and_run_again_computes_nothing_twice(
    tmp_path: Path, graphs_file: Path, context: Context, alone: dict[str, Row]
) -> None:
    path = tmp_path / "r.sqlite"
    command = [
        *(sys.executable, "-c", "from graphldp.cli import main; main()", "reproduce", "accuracy-lambda"),
        *("--dataset", str(graphs_file), "--effort", "smoke", "--seeds", "1", "--results", str(path)),
        *("--grid", "layers=3 hidden=4 lr=0.01 dropout=0"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and len(stamps(path)) < 3:
            time.sleep(0.02)
        process.kill()
    before = stamps(path)
    assert len(before) >= 3
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    after = stamps(path)
    assert {key: after[key] for key in before} == before
    with ResultsFile(path) as table:
        assert not missing(table.plans(), table)
        found = numbers(table.rows())
        common = found.keys() & alone.keys()
        assert len(common) == 9
        assert {key: found[key] for key in common} == {
            key: value for key, value in numbers(alone).items() if key in common
        }


def stamps(path: Path) -> dict[str, float]:
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return dict(connection.execute("select id, finished from cells").fetchall())
        finally:
            connection.close()
    except sqlite3.Error:
        return {}


def test_too_large_is_recorded_and_tried_where_there_is_room(
    tmp_path: Path, plan_of: MakePlan, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of("degrees")
    with ResultsFile(tmp_path / "r.sqlite") as table:
        in_this_process(monkeypatch)
        with monkeypatch.context() as little:
            little.setattr("graphldp.experiments.runs.runner.available_memory", lambda _: 1000)
            run([plan], table, context)
        states = {row.cell.kind: row.status for row in table.rows().values()}
        assert states == {"degrees": "too-large", "degree-distribution": "done"}
        note = next(row.note for row in table.rows().values() if row.status == "too-large")
        assert "GB of memory" in note
        run([plan], table, context)
        assert {row.status for row in table.rows().values()} == {"done"}

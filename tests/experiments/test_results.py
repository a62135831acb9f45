from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from graphldp.errors import FormatError
from graphldp.experiments.cells import Cell, Row, Status
from graphldp.experiments.results import ResultsFile

from .conftest import MakePlan


def row(number: int, status: Status = "done") -> Row:
    return Row(Cell.of("dataset", dataset=str(number)), status, {"graphs": number}, 1.0, 5, {"cpu": "x"}, "")


def test_rows_are_kept_and_settled(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with ResultsFile(path) as table:
        for number, status in enumerate(get_args(Status)):
            table.add(row(number, status))
    with ResultsFile(path) as table:
        assert table.settled() == {row(0).cell.id, row(1).cell.id}  # the other two are worth another try
        assert table.rows()[row(2).cell.id] == row(2, "too-large")
        table.add(row(2))
        assert table.rows()[row(2).cell.id].status == "done"
        assert len(table.rows()) == 4


def test_plans_come_back_as_they_were(tmp_path: Path, plan_of: MakePlan) -> None:
    with ResultsFile(tmp_path / "r.sqlite") as table:
        plan = plan_of("accuracy-lambda")
        table.add_plan(plan)
        table.add_plan(plan_of("degrees"))
        table.add_plan(plan)  # asked for again: replaced, not doubled
        assert {each.experiment for each in table.plans()} == {"accuracy-lambda", "degrees"}
        found = next(each for each in table.plans() if each.experiment == plan.experiment)
        assert replace(found, entries=()) == replace(plan, entries=())
        places, asked = ([(e.panel, e.series, e.x, e.seed, e.cell) for e in each.entries] for each in (found, plan))
        assert places == asked


def test_damage_other_files_and_other_versions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(FormatError, match="not a graphldp results file, or damaged"):
        ResultsFile(path)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("create table friends (a, b)")
    connection.close()
    with pytest.raises(FormatError, match="not a graphldp results file"):
        ResultsFile(other)
    old = tmp_path / "old.sqlite"
    with ResultsFile(old) as table:
        table._connection.execute("pragma user_version = 7")
    with pytest.raises(
        FormatError, match=r"results of version 7; this graphldp computes version 1.*Choose another file"
    ):
        ResultsFile(old)
    with pytest.raises(FormatError, match="there is no such results file"):
        ResultsFile(tmp_path / "none.sqlite", create=False)
    with pytest.raises(FormatError, match="folder does not exist"):
        ResultsFile(tmp_path / "none" / "r.sqlite")


@pytest.mark.parametrize("done", range(4))
def test_a_file_whose_process_was_killed_while_it_made_it_is_made_anew(tmp_path: Path, done: int) -> None:
    """The statements that make it, up to any of them; what is not committed goes with the process."""
    steps = ("pragma journal_mode = wal", "begin immediate", "create table cells (id)")
    path = tmp_path / "r.sqlite"
    program = f"import sqlite3, os, signal; run = sqlite3.connect({str(path)!r}, isolation_level=None).execute"
    program += "".join(f"; run({each!r})" for each in steps[:done]) + "; os.kill(os.getpid(), signal.SIGKILL)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    with ResultsFile(path) as table:
        table.add(row(0))
    with ResultsFile(path) as table:
        assert table.settled() == {row(0).cell.id}


def test_a_file_that_was_cut_or_scratched_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with ResultsFile(path) as table:
        for number in range(200):
            table.add(row(number))
        table._connection.execute("pragma wal_checkpoint(truncate)")
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole.replace(b"params text not null", b"params text not nul\xd3")):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="damaged"):
            ResultsFile(path)


@pytest.mark.parametrize("column", ["numbers", "machine", "params", "kind"])
def test_rows_that_changed_on_the_disk_are_damaged(tmp_path: Path, plan_of: MakePlan, column: str) -> None:
    """A changed letter is no text of JSON, or no longer the cell that the row's key names."""
    with ResultsFile(tmp_path / "r.sqlite") as table:
        table.add(row(0))
        table.add_plan(plan_of("degrees"))
        run = table._connection.execute
        for text in ('{"a"', "[" * 100_000, b"\xff", "{}"):
            run(f"update cells set {column} = cast(? as text)", (text,))
            if column in ("params", "kind") or text != "{}":
                with pytest.raises(FormatError, match="not what their experiments give"):
                    table.rows()
        if column in ("params", "kind"):
            run(f"update entries set {column} = ?", ("{}",))
            with pytest.raises(FormatError, match="not what their experiments give"):
                table.plans()


def test_a_full_disk_is_said_and_costs_nothing_that_is_there(tmp_path: Path) -> None:
    """SQLite's own limit on pages raises the very error that a full disk does."""
    path = tmp_path / "r.sqlite"
    with ResultsFile(path) as table:
        table.add(row(0))
        pages = table._connection.execute("pragma page_count").fetchone()[0]
        table._connection.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(OSError, match="the disk is full; make room and run the same command again"):
            _fill(table)
    with ResultsFile(path) as table:
        assert row(0).cell.id in table.settled()
        table.add(row(1000))


def _fill(table: ResultsFile) -> None:
    for number in range(1, 1000):
        table.add(row(number))

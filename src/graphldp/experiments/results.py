"""The results: one SQLite file with every finished cell, and the plans that say what belongs to which figure.

Each row is written in its own transaction as soon as it is there, so a run can be killed at any time. A file of another
results version is refused: its numbers would not be comparable.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from graphldp.errors import FormatError, GraphLDPError
from graphldp.experiments.cells import RESULTS_VERSION, SETTLED, Cell, Row, canonical
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell

_KIND = 0x6C6470  # "ldp", in SQLite's own field for what a database is
_SCHEMA = """
create table cells (
    id text primary key, kind text not null, params text not null, status text not null, numbers text not null,
    seconds real not null, peak_memory integer not null, machine text not null, note text not null,
    finished real not null
) without rowid;
create table plans (
    number integer primary key, experiment text not null, dataset text not null, effort text not null,
    seeds integer not null, grid text not null, unique (experiment, dataset, effort)
);
create table entries (
    plan integer not null references plans (number), position integer not null, panel text not null,
    series text not null, x real, seed integer not null, kind text not null, params text not null, cell text not null,
    primary key (plan, position)
) without rowid;
"""
# What text where a number belongs, or a missing field, leads to: the file may be damaged, or come from anywhere.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class ResultsFile:
    """An open results file. Use it in a ``with`` block.

    Args:
        path: the file; created where there is none, unless ``create`` is False.
        create: whether it may be created.

    Raises:
        FormatError: for a file of something else, damaged, or of another results version.
        OSError: where the file cannot be written, a full disk among the reasons.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise FormatError(f"{self.path}: there is no such results file.")
        if not self.path.parent.is_dir():
            raise FormatError(f"{self.path}: its folder does not exist.")
        with self._explained():
            self._connection = sqlite3.connect(self.path, isolation_level=None, timeout=60)
        self._connection.text_factory = lambda text: text.decode(errors="replace")  # of a damaged file: see as_planned
        try:
            with self._explained():
                self._check()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, row: Row) -> None:
        """Keep a finished cell; a cell that was computed again replaces its old row."""
        cell = row.cell
        values = (
            *(cell.id, cell.kind, cell.text, row.status, canonical(row.numbers), row.seconds, row.peak_memory),
            *(canonical(row.machine), row.note, time.time()),
        )
        with self._explained():
            self._connection.execute("insert or replace into cells values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

    def settled(self) -> set[str]:
        """The cells that need no computing."""
        marks = ", ".join("?" * len(SETTLED))
        with self._explained():
            found = self._connection.execute(f"select id from cells where status in ({marks})", SETTLED)  # noqa: S608
            return {each for (each,) in found}

    def rows(self) -> dict[str, Row]:
        """Every row, by its cell's id."""
        columns = "id, kind, params, status, numbers, seconds, peak_memory, machine, note"
        with self._explained():
            found = self._connection.execute(f"select {columns} from cells").fetchall()  # noqa: S608
        rows: dict[str, Row] = {}
        with self.as_planned():
            for key, kind, params, status, numbers, seconds, peak_memory, machine, note in found:
                cell = _same(Cell(kind, params), key)
                rows[key] = Row(cell, status, json.loads(numbers), seconds, peak_memory, json.loads(machine), note)
        return rows

    def span(self) -> tuple[float, float] | None:
        """The times of the first and the last row, in seconds since 1970."""
        with self._explained():
            first, last = self._connection.execute("select min(finished), max(finished) from cells").fetchone()
        return None if first is None else (first, last)

    def add_plan(self, plan: ExperimentPlan) -> None:
        """Keep what a figure needs; the same experiment, dataset and effort replace their old plan."""
        key = plan.experiment, plan.dataset, plan.effort
        with self._explained(), self._transaction():
            run = self._connection.execute
            old = run("select number from plans where experiment = ? and dataset = ? and effort = ?", key).fetchone()
            if old is not None:
                run("delete from entries where plan = ?", old)
                run("delete from plans where number = ?", old)
            number = run(
                "insert into plans (experiment, dataset, effort, seeds, grid) values (?, ?, ?, ?, ?)",
                (*key, plan.seeds, plan.grid),
            ).lastrowid
            self._connection.executemany(
                "insert into entries values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (number, position, e.panel, e.series, e.x, e.seed, e.cell.kind, e.cell.text, e.cell.id)
                    for position, e in enumerate(plan.entries)
                ],
            )

    def plans(self) -> list[ExperimentPlan]:
        """The plans that were asked for, in their order."""
        with self._explained(), self.as_planned():
            heads = self._connection.execute(
                "select number, experiment, dataset, effort, seeds, grid from plans order by number"
            ).fetchall()
            return [
                ExperimentPlan(experiment, dataset, effort, seeds, grid, tuple(self._entries(number)))
                for number, experiment, dataset, effort, seeds, grid in heads
            ]

    @contextmanager
    def as_planned(self) -> Iterator[None]:
        """A block in which rows are as their experiments plan them, or the file is refused.

        Raises:
            FormatError: for a missing field, or text where a number belongs.
        """
        try:
            yield
        except GraphLDPError:
            raise
        except _DAMAGE as error:
            raise FormatError(f"{self.path}: its rows are not what their experiments give.") from error

    def _entries(self, number: int) -> Iterable[PlannedCell]:
        found = self._connection.execute(
            "select panel, series, x, seed, kind, params, cell from entries where plan = ? order by position", (number,)
        )
        for panel, series, x, seed, kind, params, key in found:
            yield PlannedCell(panel, series, x, seed, _same(Cell(kind, params), key))

    def _blank(self) -> bool:
        """Whether the file is new: nothing was written yet, or its process was killed while it made the file."""
        (kind,) = self._connection.execute("pragma application_id").fetchone()
        return kind == 0 and self._connection.execute("select 1 from sqlite_master").fetchone() is None

    def _check(self) -> None:
        run = self._connection.execute
        if self._blank():
            run("pragma journal_mode = wal")
            with self._transaction():
                for statement in _SCHEMA.split(";"):
                    run(statement)
                run(f"pragma application_id = {_KIND}")
                run(f"pragma user_version = {RESULTS_VERSION}")
            return
        (kind,), (version,) = run("pragma application_id").fetchone(), run("pragma user_version").fetchone()
        if kind != _KIND:
            raise FormatError(f"{self.path}: not a graphldp results file.")
        if version != RESULTS_VERSION:
            raise FormatError(
                f"{self.path}: holds results of version {version}; this graphldp computes version {RESULTS_VERSION}, "
                "and the two must not be mixed. Choose another file, or the graphldp that wrote this one."
            )
        if run("pragma quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("damaged")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._connection.execute("rollback")
            raise
        self._connection.execute("commit")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise SQLite's errors as ours."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                reason = "the disk is full; make room and run the same command again: finished cells are kept"
                raise OSError(errno.ENOSPC, reason, str(self.path)) from error
            raise OSError(errno.EIO, str(error), str(self.path)) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the text of an error may quote the file
            raise FormatError(f"{self.path}: not a graphldp results file, or damaged.") from error


def _same(cell: Cell, key: str) -> Cell:
    """The cell, if it is the one that its key names."""
    if cell.id != key:
        raise ValueError(key)
    return cell

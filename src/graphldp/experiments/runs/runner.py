"""Run plans and training runs: what is finished stays, what is missing is computed here or on another machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from graphldp.errors import TrainingError
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute, groups_of, merged
from graphldp.experiments.draws import Context
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.engines.remote import export, take
from graphldp.experiments.models import ModelFolder
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan, make_plan
from graphldp.experiments.plans.search import GridSearch
from graphldp.experiments.plans.setup import Setup, chosen
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.trial import Work
from graphldp.experiments.trials.networks import Watch
from graphldp.learn.progress import LoggedProgress
from graphldp.machines.local import available_memory, cores

_TRAININGS_AT_ONCE = 64  # on a GPU; one training leaves most of it idle


class Engine(Protocol):
    """An engine: where cells are computed."""

    def run(self, groups: Sequence[list[Work]], context: Context) -> Iterator[Row]:
        """Rows of all cells of all groups, in the order in which they are finished."""


def missing(plans: Sequence[ExperimentPlan], results: ResultsFile) -> list[Work]:
    """The work that is missing of some plans, each once."""
    settled = results.settled()
    work = {entry.cell.id: entry.work for plan in plans for entry in plan.entries}
    return [each for key, each in work.items() if key not in settled]


def run(
    plans: Sequence[ExperimentPlan],
    results: ResultsFile,
    context: Context,
    *,
    engine: Engine | None = None,
    workers: int | None = None,
    on_row: Callable[[Row], None] | None = None,
) -> None:
    """Compute what is missing of some plans.

    Args:
        plans: what to compute; kept in the results, so that a page can say what is missing.
        results: where rows go, and what is finished already.
        context: where datasets are, and the device.
        engine: where to compute, by default processes of this machine.
        workers: how many processes, by default one for each core, or one for a GPU.
        on_row: called with each row once it is kept.
    """
    for plan in plans:
        results.add_plan(plan)
    for row in _rows(missing(plans, results), context, engine, workers):
        results.add(row)
        if on_row is not None:
            on_row(row)


def _rows(work: Sequence[Work], context: Context, engine: Engine | None, workers: int | None) -> Iterator[Row]:
    shared, alone = groups_of(work)
    if engine is not None:
        yield from engine.run([*shared, *alone], context)
        return
    gpu = context.device != "cpu"
    count = workers or (1 if gpu else cores())
    memory = available_memory(context.device)
    part = replace(context, memory=memory // count, at_once=_TRAININGS_AT_ONCE if gpu else 1)
    yield from LocalEngine(count).run(merged(shared, part) if gpu else shared, part)
    yield from LocalEngine(1, threads=cores()).run(alone, replace(context, memory=memory))


def run_setup(
    setup: Setup,
    seeds: int,
    results: ResultsFile,
    context: Context,
    *,
    together: int = 1,
    models: ModelFolder | None = None,
    watch: Watch | None = None,
    on_seed: Callable[[int, Row], None] | None = None,
) -> dict[str, Row]:
    """Train and test every seed that the results do not hold yet, in this process.

    Args:
        setup: what is run.
        seeds: how many: 0, 1, 2, …
        results: where rows go, and what is finished already.
        context: where datasets are, and the device.
        together: seeds whose networks are trained as one computation.
        models: where the model of each seed is kept; one that is not there is trained again.
        watch: called with a trial and each epoch of its network.
        on_seed: called with a seed and its chosen row, once it is trained.

    Returns:
        The run's rows, by cell.

    Raises:
        TrainingError: where a training failed.
    """
    setup.check(context)
    plan = setup.plan(seeds)
    results.add_plan(plan)
    rows, waiting = results.rows(), {work.cell.id for work in missing([plan], results)}
    if models is not None:
        with results.as_planned():
            waiting |= models.absent(seeds, rows)
    keep = None if models is None else models.keep
    todo: dict[int, list[Work]] = {}
    for entry in plan.entries:
        if entry.cell.id in waiting:
            todo.setdefault(entry.seed, []).append(entry.work)
    for start in range(0, len(todo), together):
        batch = list(todo)[start : start + together]
        work = [each for seed in batch for each in todo[seed]]
        for row in compute(work, replace(context, at_once=together), watch=watch, keep=keep):
            if row.status != "done":
                raise TrainingError(row.note.partition(": ")[2])
            results.add(row)
            rows[row.cell.id] = row
        for seed in batch:
            best = chosen(setup, seed, rows)
            if best is not None and on_seed is not None:
                on_seed(seed, best)
    return {entry.cell.id: rows[entry.cell.id] for entry in plan.entries}


class CellsDisplay(LoggedProgress):
    """Cells done, time taken and time left.

    Args:
        count: how many cells there are.
        console: where to show them.
        shown: False to show nothing anywhere.
    """

    def __init__(self, count: int, console: Console, *, shown: bool = True) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("cells,"),
            TimeElapsedColumn(),
            TextColumn("taken,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            shown=shown,
        )
        self._task = self.add_task("computing (the first time after installing also compiles, once)", total=count)
        self._said: set[str] = set()
        self._shown = shown

    def row(self, row: Row) -> None:
        """Count one more; say why where it is not done, each reason once."""
        self.update(self._task, advance=1, description="computing")
        said = f"{row.status}: {row.cell.kind}: {row.note}"
        if self._shown and row.status != "done" and said not in self._said:
            self._said.add(said)
            self.console.print(said, highlight=False, markup=False)


def asked_plans(table: ResultsFile, asked: list[dict[str, Any]], context: Context) -> list[ExperimentPlan]:
    """The plans that were asked for, with what is known by now."""
    with table.as_planned():
        rows = table.rows()
        return [make_plan(**each, context=context, rows=rows) for each in asked]


def take_rows(
    table: ResultsFile, asked: list[dict[str, Any]], context: Context, file: Path
) -> tuple[int, list[ExperimentPlan]]:
    """Add rows that another machine computed; gives how many are new, and the plans."""
    count = take(file, table)
    plans = asked_plans(table, asked, context)
    for plan in plans:
        table.add_plan(plan)
    return count, plans


def export_missing(
    table: ResultsFile, plans: list[ExperimentPlan], asked: list[dict[str, Any]], context: Context, folder: Path
) -> int:
    """Write what is missing to a folder, and for a search what it takes to go on there."""
    for plan in plans:
        table.add_plan(plan)
    growing = [each for each in asked if isinstance(EXPERIMENTS[each["name"]], GridSearch)]
    rows, settled = table.rows(), table.settled()
    ids = {entry.cell.id for plan in plans for entry in plan.entries if growing} & settled
    return export(missing(plans, table), context, folder, growing, [rows[each] for each in sorted(ids)])


def overview(table: ResultsFile, plans: list[ExperimentPlan]) -> list[dict[str, Any]]:
    """The share of each plan that is done."""
    kept = table.rows()
    rows = []
    for plan in plans:
        ids = {entry.cell.id for entry in plan.entries}
        states = [kept[each].status if each in kept else "missing" for each in ids]
        others = {name: states.count(name) for name in ("impossible", "too-large", "failed", "missing")}
        seconds = sum(kept[each].seconds for each in ids if each in kept)
        rows.append(
            {
                "experiment": plan.experiment,
                "cells": len(ids),
                "done": states.count("done"),
                "not done": ", ".join(f"{count} {name}" for name, count in others.items() if count) or None,
                "seconds": round(seconds, 1),
            }
        )
    return rows

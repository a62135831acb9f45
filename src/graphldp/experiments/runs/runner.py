"""Run plans: what is finished stays, what is missing is computed, every row is kept as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context
from graphldp.experiments.engines.grouping import groups_of, merged
from graphldp.experiments.engines.local import LocalEngine
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.results import ResultsFile
from graphldp.machines.local import available_memory, cores

_TRAININGS_AT_ONCE = 64  # on a GPU; one training leaves most of it idle


class Engine(Protocol):
    """Where cells are computed."""

    def run(self, groups: Sequence[list[Cell]], context: Context) -> Iterator[Row]:
        """Rows of all cells of all groups, in the order in which they are finished."""


def missing(plans: Sequence[ExperimentPlan], results: ResultsFile) -> list[Cell]:
    """The cells of some plans that are still to be computed, each once."""
    settled = results.settled()
    cells = {entry.cell.id: entry.cell for plan in plans for entry in plan.entries}
    return [cell for key, cell in cells.items() if key not in settled]


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


def _rows(cells: Sequence[Cell], context: Context, engine: Engine | None, workers: int | None) -> Iterator[Row]:
    shared, alone = groups_of(cells)
    if engine is not None:
        yield from engine.run([*shared, *alone], context)
        return
    gpu = context.device != "cpu"
    count = workers or (1 if gpu else cores())
    memory = available_memory(context.device)
    part = replace(context, memory=memory // count, at_once=_TRAININGS_AT_ONCE if gpu else 1)
    yield from LocalEngine(count).run(merged(shared, part) if gpu else shared, part)
    yield from LocalEngine(1, threads=cores()).run(alone, replace(context, memory=memory))

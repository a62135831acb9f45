"""Run one setting with several seeds in this process, keep its rows, and its models where somebody wants them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from graphldp.errors import TrainingError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.models import ModelFolder
from graphldp.experiments.plans.setup import Setup, chosen
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.runs.runner import missing
from graphldp.experiments.trials.packs import Watch


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
    rows, waiting = results.rows(), {cell.id for cell in missing([plan], results)}
    if models is not None:
        waiting |= models.absent(seeds, rows)
    keep = None if models is None else models.keep
    todo: dict[int, list[Cell]] = {}
    for entry in plan.entries:
        if entry.cell.id in waiting:
            todo.setdefault(entry.seed, []).append(entry.cell)
    for start in range(0, len(todo), together):
        batch = list(todo)[start : start + together]
        cells = [cell for seed in batch for cell in todo[seed]]
        for row in compute(cells, replace(context, at_once=together), watch=watch, keep=keep):
            if row.status != "done":
                raise TrainingError(row.note.partition(": ")[2])
            results.add(row)
            rows[row.cell.id] = row
        for seed in batch:
            best = chosen(setup, seed, rows)
            if best is not None and on_seed is not None:
                on_seed(seed, best)
    return {entry.cell.id: rows[entry.cell.id] for entry in plan.entries}

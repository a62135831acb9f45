"""Run a comparison: check what was asked for, compute what is missing, keep every row as it comes."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from graphldp.datasets.registry import split_ratios
from graphldp.errors import DataError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context, mechanism_of
from graphldp.experiments.engines.here import HereEngine
from graphldp.experiments.plans.comparison import (
    DEGREES,
    SIZE,
    Entry,
    Learner,
    comparison_plan,
    draw_of,
    learner_of,
    own_classes,
)
from graphldp.experiments.plans.plan import ExperimentPlan, file_id
from graphldp.experiments.plans.setup import RECOMMENDED
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.runs.progress import CellsDisplay
from graphldp.experiments.runs.runner import missing, run
from graphldp.experiments.trial import NETWORK
from graphldp.graphs import GraphSet
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.selection import split


def run_comparison(
    graphs: GraphSet,
    contestants: Mapping[str, Entry],
    epsilon: float | Iterable[float],
    seeds: int,
    *,
    classifier: object,
    controls: bool,
    public_fraction: float,
    ratios: tuple[float, float, float] | None,
    results: str | os.PathLike[str] | None,
    workers: int | None,
    device: str,
    progress: bool,
) -> tuple[ExperimentPlan, dict[str, Row]]:
    """The plan and its rows; see :func:`graphldp.compare` for the arguments."""
    epsilons = _epsilons(epsilon)
    learner = learner_of(classifier)
    _check(graphs, contestants, seeds, workers)
    parts = tuple(ratios or split_ratios(graphs.name))
    split(graphs.labels, parts, 0)  # the errors for shares that cannot be
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="graphldp-")))
        file = folder / f"{graphs.name or 'graphs'}.npz".replace(os.sep, "-")
        graphs.save(file)
        dataset, files = file_id(file)
        draws = {
            label: {x: draw_of(label, entry, dataset, graphs, x, public_fraction) for x in epsilons}
            for label, entry in contestants.items()
        }
        flat = [each for own in draws.values() for each in own.values()]
        for each in flat:
            mechanism_of(replace(each, seed=0), graphs)
        learners = {label: _learner(entry, learner) for label, entry in contestants.items()}
        plan = comparison_plan(dataset, draws, learners, seeds, parts, controls=controls)
        own = own_classes(flat, contestants.values())
        context = Context(files=tuple(files.items()), device=str(resolve_device(device)), own=own or ())
        table = stack.enter_context(ResultsFile(folder / "results.sqlite" if results is None else results))
        display = stack.enter_context(CellsDisplay(len(missing([plan], table)), Console(stderr=True), shown=progress))
        here = own is None or (workers or _sensible_workers()) == 1
        run([plan], table, context, engine=HereEngine() if here else None, workers=workers, on_row=display.row)
        rows = table.rows()
    return plan, {entry.cell.id: rows[entry.cell.id] for entry in plan.entries}


def _learner(entry: Entry, learner: Learner) -> Learner:
    """The recipe is a mechanism and a classifier: it keeps its own where the others have a network."""
    return Learner() if isinstance(entry, str) and entry == RECOMMENDED and learner.classifier == NETWORK else learner


def _sensible_workers() -> int | None:
    """Processes are started by running the main program's file again, so only a notebook or a console has some."""
    return 1 if hasattr(sys.modules["__main__"], "__file__") else None


def _epsilons(epsilon: float | Iterable[float]) -> list[float]:
    given = list(epsilon) if isinstance(epsilon, Iterable) and not isinstance(epsilon, str) else [epsilon]
    found = [float(each) for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(found) != len(given) or not found or not all(0 < each < math.inf for each in found):
        raise bad_parameter("epsilon", "compare", "positive numbers", epsilon)
    return sorted(set(found))


def _check(graphs: object, contestants: object, seeds: object, workers: object) -> None:
    if not isinstance(graphs, GraphSet):
        raise bad_parameter("graphs", "compare", "a GraphSet: each seed draws its own reports", type(graphs).__name__)
    if graphs.labels is None:
        raise DataError("These graphs have no labels to learn: gl.compare classifies graphs.")
    named = isinstance(contestants, Mapping) and contestants and all(isinstance(each, str) for each in contestants)
    if not named or {SIZE, DEGREES} & set(contestants):  # type: ignore[call-overload]
        form = f"mechanisms by a name each, other than {SIZE!r} and {DEGREES!r}"
        raise bad_parameter("mechanisms", "compare", form, contestants)
    for name, value in (("seeds", seeds), ("workers", 1 if workers is None else workers)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise bad_parameter(name, "compare", "a whole number of at least 1", value)

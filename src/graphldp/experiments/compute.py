"""From cells to rows: the one way in which every engine computes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context
from graphldp.experiments.measures import calibration, degrees, detection, timing
from graphldp.experiments.measures.outcomes import CellOutcome, refusal
from graphldp.experiments.trial import TRIALS
from graphldp.experiments.trials import running
from graphldp.experiments.trials.packs import Watch
from graphldp.machines.local import PeakMemory, describe

if TYPE_CHECKING:
    from graphldp.learn.tables.profiled import Profiled

Found = Iterator[list[CellOutcome]]
MEASUREMENTS: dict[str, Callable[[Sequence[Cell], Context], Found]] = {
    "dataset": degrees.statistics,
    "degrees": degrees.noisy,
    "degree-distribution": degrees.distribution,
    "complexity": timing.complexity,
    "runtime": timing.runtime,
    "detection-curve": detection.curve,
    "calibration": calibration.measured,
}
"""The kinds of cells that are no trials."""


def compute(
    cells: Sequence[Cell],
    context: Context,
    *,
    watch: Watch | None = None,
    keep: Callable[[CellOutcome], None] | None = None,
    graphs: Profiled | None = None,
) -> Iterator[Row]:
    """Compute some cells, each row as soon as it is there.

    Args:
        cells: best those that share a draw; it is then drawn once.
        context: where datasets are, on which device, with how much memory.
        watch: called with a trial and each epoch of its network.
        keep: called with each outcome before its row is handed out; it has the fitted model, which a row has not.
        graphs: what trials learn from in place of a draw, where their reports were read before.
    """
    context.load_own()
    by_kind: dict[str, list[Cell]] = {}
    for cell in cells:
        by_kind.setdefault(cell.kind, []).append(cell)
    peak = PeakMemory(context.device)
    for kind, members in by_kind.items():
        left = {cell.id: cell for cell in members}
        start = time.perf_counter()
        peak.reset()
        try:
            found = _found(kind, members, context, watch) if graphs is None else running.run_on(graphs, members)
            for outcomes in found:
                seconds = (time.perf_counter() - start) / len(outcomes)
                for each in outcomes:
                    left.pop(each.cell.id)
                    if keep is not None:
                        keep(each)
                    yield _row(each, seconds if each.seconds is None else each.seconds, peak.read(), context)
                start = time.perf_counter()
                peak.reset()
        except Exception as error:  # a defect or a broken machine: said in the table, and the other cells go on
            for cell in left.values():
                yield _row(refusal(cell, error), 0.0, peak.read(), context)


def _found(kind: str, cells: Sequence[Cell], context: Context, watch: Watch | None) -> Found:
    return running.run(cells, context, watch) if kind in TRIALS else MEASUREMENTS[kind](cells, context)


def _row(outcome: CellOutcome, seconds: float, memory: int, context: Context) -> Row:
    machine = describe(context.device)
    return Row(outcome.cell, outcome.status, outcome.numbers, seconds, memory, machine, outcome.note)

"""The computing of trials and other cells: what goes to one worker together, and how every engine computes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context, Draw, given_lists, packed_bytes
from graphldp.experiments.trial import NETWORK, NODE_LEARNERS, Trial, Work, work_of
from graphldp.experiments.trials import measures, running, timing
from graphldp.experiments.trials.networks import Watch
from graphldp.machines.local import PeakMemory, describe

if TYPE_CHECKING:
    from graphldp.learn.tables.profiled import Profiled

MEASUREMENTS: dict[str, Callable[[Cell, Context], Row]] = {
    "dataset": measures.dataset,
    "degrees": measures.degrees,
    "degree-distribution": measures.distribution,
    "complexity": timing.complexity,
    "runtime": timing.runtime,
    "detection-curve": measures.detection,
    "calibration": measures.calibration,
}
"""The kinds of cells that are no trials."""


def compute(
    work: Sequence[Work],
    context: Context,
    *,
    watch: Watch | None = None,
    keep: Callable[[Row], None] | None = None,
    graphs: Profiled | None = None,
) -> Iterator[Row]:
    """Compute some trials and other cells, each row as soon as it is there.

    Args:
        work: best what shares a draw; it is then drawn once.
        context: where datasets are, on which device, with how much memory.
        watch: called with a trial and each epoch of its network.
        keep: called with each row while it has the fitted model.
        graphs: what trials learn from in place of a draw, where their reports were read before.
    """
    context.load_own()
    by_kind: dict[str, list[Work]] = {}
    for each in work:
        by_kind.setdefault(each.cell.kind, []).append(work_of(each))
    peak = PeakMemory(context.device)
    for kind, members in by_kind.items():
        left = {each.cell.id: each.cell for each in members}
        start = time.perf_counter()
        peak.reset()
        try:
            for rows in _rows(kind, members, context, watch, graphs):
                seconds = (time.perf_counter() - start) / len(rows)
                for row in rows:
                    left.pop(row.cell.id)
                    if keep is not None:
                        keep(row)
                    yield _finished(row, seconds, peak, context)
                start = time.perf_counter()
                peak.reset()
        except Exception as error:  # a defect or a broken machine: said in the table, and the other cells go on
            for cell in left.values():
                yield _finished(Row.refused(cell, error), 0.0, peak, context)


def _rows(
    kind: str, work: Sequence[Work], context: Context, watch: Watch | None, graphs: Profiled | None
) -> Iterator[list[Row]]:
    trials = [each for each in work if isinstance(each, Trial)]
    if graphs is not None:
        return running.run_on(graphs, trials)
    return running.run(trials, context, watch) if trials else _measured(kind, work, context)


def _measured(kind: str, work: Sequence[Work], context: Context) -> Iterator[list[Row]]:
    for each in work:
        try:
            yield [MEASUREMENTS[kind](each.cell, context)]
        except GraphLDPError as error:
            yield [Row.refused(each.cell, error)]


def _finished(row: Row, seconds: float, peak: PeakMemory, context: Context) -> Row:
    """A row with its time, memory and machine, and without its model."""
    spent = row.seconds or seconds
    return replace(row, seconds=spent, peak_memory=peak.read(), machine=describe(context.device), model=None)


ALONE = ("complexity", "runtime")
"""Kinds that measure time, so that nothing may run beside them."""

_LARGEST = 256
_SHARE = 0.35  # of a GPU's memory for packed graphs: joining them doubles it, and activations come on top


def groups_of(work: Iterable[Work]) -> tuple[list[list[Work]], list[list[Work]]]:
    """Groups of what shares a draw; and, apart, cells that must run with nothing beside them.

    Of trials with malicious users, those that share what is learned from: a fit takes longer than a draw. Of trials
    about single users, those of one mechanism that share a split: what features say of it takes longest.
    """
    shared: dict[str, list[Work]] = {}
    alone: list[list[Work]] = []
    for each in map(work_of, work):
        if each.cell.kind in ALONE:
            alone.append([each])
        else:
            shared.setdefault(_shared(each), []).append(each)
    return list(shared.values()), alone


def _shared(work: Work) -> str:
    """A key of what is computed that others may share."""
    draw = draw_of(work)
    if draw is None:
        return work.cell.id
    if not isinstance(work, Trial):
        return repr(draw)
    if work.classifier in NODE_LEARNERS:
        return repr((draw.dataset, draw.mechanism, work.ratios, work.seed))
    if work.threat is None or work.classifier == NETWORK:
        return repr(draw)
    learned = replace(work.threat.learned, defense="none", treatment="")
    return replace(work, threat=learned).cell.id


def draw_of(work: Work) -> Draw | None:
    """The draw of a trial or cell; None where nothing is drawn."""
    if isinstance(work, Trial):
        return work.draw
    draw = work.params.get("draw")
    return None if draw is None else Draw.of(draw)


def merged(groups: Sequence[list[Work]], context: Context) -> list[list[Work]]:
    """Groups put together for a GPU, as many draws as its memory holds beside each other."""
    packs: list[list[Work]] = []
    taken, room = 0, 0.0
    for group in groups:
        draw = draw_of(group[0])
        need = 0 if draw is None else packed_bytes(draw, given_lists(draw, context))
        if not packs or taken >= _LARGEST or need > room:
            packs.append([])
            taken, room = 0, _SHARE * context.memory
        packs[-1] += group
        taken, room = taken + 1, room - need
    return packs

"""Cells that train: a model on one noise draw and one split, and the two controls.

A cell is one point of the grid for one seed. It keeps what the point did on the validation graphs, by which points are
chosen (see :mod:`graphldp.experiments.summary`), and on the test graphs, which only the chosen point may speak for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context, Draw, expected_bytes, graphs_of, lists_of, load, reports_of, shortage
from graphldp.experiments.engines.preparing import prepared
from graphldp.experiments.outcomes import Outcome, refusal
from graphldp.learn.engine.batches import PackedGraphs
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packing import kind_of
from graphldp.learn.engine.store import Kind
from graphldp.learn.engine.training import Job, Trained, TrainingOptions, predict_proba, resolve_device, train_each
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.tables.tabular import TableClassifier


def train(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Train the models of some cells: each draw is drawn once, and packed once for each kind of model."""
    drawn: list[tuple[Draw, list[Cell]]] = []
    for draw, own in by_draw(cells):
        try:
            short = shortage(expected_bytes(draw, load(draw.dataset, context)), context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        if short is not None:
            yield [Outcome(cell, "too-large", note=short) for cell in own]
            continue
        drawn.append((draw, own))
    fitting: list[tuple[Cell, PackedGraphs]] = []
    for each, reports in _drawn(drawn, context):
        for own in _by_kind(each):
            try:
                if isinstance(reports, GraphLDPError):
                    raise reports
                packed = _pack(reports, own, context)
            except GraphLDPError as error:
                yield [refusal(cell, error) for cell in own]
                continue
            fitting += [(cell, packed) for cell in own]
    yield from train_packed(fitting, context)


def _drawn(
    draws: Sequence[tuple[Draw, list[Cell]]], context: Context
) -> Iterator[tuple[list[Cell], Reports | GraphLDPError]]:
    """The reports of some draws; graphs that a server makes take long, and come from other processes."""
    made: dict[Draw, list[tuple[Draw, list[Cell]]]] = {}
    for draw, own in draws:
        lists = lists_of(draw)
        if lists is not None:
            made.setdefault(lists, []).append((draw, own))
            continue
        try:
            reports = reports_of(draw, context)
        except GraphLDPError as error:
            yield own, error
            continue
        yield own, reports
    tasks = [[[draw for draw, _ in alike]] for alike in made.values()]
    for alike, found in zip(made.values(), prepared(graphs_of, tasks, context), strict=True):
        for position, (_, own) in enumerate(alike):
            yield own, found if isinstance(found, GraphLDPError) else found[position]


def train_packed(fitting: list[tuple[Cell, PackedGraphs]], context: Context) -> Iterator[list[Outcome]]:
    """Train the model of each cell on its graphs; models of one architecture run together."""
    fitting.sort(key=lambda each: _architecture(each[0]))
    for _, members in groupby(fitting, key=lambda each: _architecture(each[0])):
        yield from _train_together(list(members), context)


def _train_together(members: Sequence[tuple[Cell, PackedGraphs]], context: Context) -> Iterator[list[Outcome]]:
    jobs, tests = [], []
    for cell, packed in members:
        params = cell.params
        learn, stop, test = split(packed.classes, params["ratios"], params["seed"])
        spec = ModelSpec(num_classes=_classes(packed), **params["model"])
        options = TrainingOptions(**params["training"], seed=params["seed"])
        jobs.append(Job(spec, options, packed.subset(learn), packed.subset(stop)))
        tests.append(packed.subset(test))
    left = dict(enumerate(members))
    broken: Exception | None = None
    try:
        for position, trained in train_each(jobs, at_once=context.at_once, deadline=context.deadline):
            yield [_scored(left.pop(position)[0], jobs[position].spec, trained, tests[position])]
    except (GraphLDPError, RuntimeError) as error:  # a loss that is not a number, or a GPU whose memory is full
        if len(members) == 1:
            yield [refusal(members[0][0], error)]
            return
        broken = error.with_traceback(None)  # which holds on to the failed stack's memory
    if broken is not None:  # find the culprit by halves
        rest = list(left.values())
        half = -(-len(rest) // 2)
        yield from _train_together(rest[:half], context)
        yield from _train_together(rest[half:], context)


def _scored(cell: Cell, spec: ModelSpec, trained: Trained, held_out: PackedGraphs) -> Outcome:
    best = trained.history[trained.best_epoch - 1]
    chances = predict_proba(spec, trained.state, held_out)
    scores = evaluate(np.arange(spec.num_classes), chances, np.asarray(held_out.classes))
    numbers = {
        "accuracy": scores.accuracy,
        "auc": scores.auc,
        "val_accuracy": best.val_accuracy,
        "val_loss": best.val_loss,
        "epochs": len(trained.history),
        "best_epoch": trained.best_epoch,
    }
    return Outcome(cell, "done", numbers, seconds=trained.seconds)


def control(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Fit what needs no graph neural network: the controls, and the recipe's classifier."""
    for draw, own in by_draw(cells):
        try:
            reports = reports_of(draw, context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        for cell in own:
            learn, stop, test = split(reports.labels, cell.params["ratios"], cell.params["seed"])
            model = _tabular(cell.params["control"], cell.params["seed"])
            model.fit(reports.subset(learn))
            held_out = reports.subset(test)
            scores = evaluate(model.classes_, model.predict_proba(held_out), np.asarray(held_out.labels))
            numbers = {
                "accuracy": scores.accuracy,
                "auc": scores.auc,
                "val_accuracy": model.score(reports.subset(stop)),
                "val_loss": 0.0,
            }
            yield [Outcome(cell, "done", numbers)]


def _tabular(name: str, seed: int) -> TableClassifier:
    from graphldp.learn.tables.controls import DegreeControl, SizeControl
    from graphldp.learn.tables.profile_classifier import ProfileClassifier

    made: dict[str, Callable[[], TableClassifier]] = {
        "size": lambda: SizeControl(seed),
        "size-forest": lambda: SizeControl(seed, "forest"),
        "degree": lambda: DegreeControl(seed),
        "degree-forest": lambda: DegreeControl(seed, "forest"),
        "recipe-2": lambda: ProfileClassifier(seed=seed),
    }
    return made[name]()


def by_draw(cells: Sequence[Cell]) -> list[tuple[Draw, list[Cell]]]:
    """Cells with the draw that they share, in order of appearance."""
    found: dict[Draw, list[Cell]] = {}
    for cell in cells:
        found.setdefault(Draw.of(cell.params["draw"]), []).append(cell)
    return list(found.items())


def _by_kind(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells whose models can share packed graphs."""
    found: dict[Kind, list[Cell]] = {}
    for cell in cells:
        found.setdefault(kind_of(ModelSpec(num_classes=2, **cell.params["model"])), []).append(cell)
    return list(found.values())


def _pack(reports: Reports, cells: Sequence[Cell], context: Context) -> PackedGraphs:
    classes, codes = np.unique(np.asarray(reports.labels), return_inverse=True)
    deepest = max(cell.params["model"]["layers"] for cell in cells)
    shape: dict[str, Any] = cells[0].params["model"] | {"layers": deepest}
    spec = ModelSpec(num_classes=len(classes), **shape)
    return PackedGraphs.pack(reports, spec, resolve_device(context.device), codes)


def _classes(packed: PackedGraphs) -> int:
    return int(np.asarray(packed.classes).max()) + 1


def _architecture(cell: Cell) -> tuple[Any, ...]:
    return tuple(sorted(item for item in cell.params["model"].items() if item[0] != "dropout"))

"""Cells about malicious users: what they cost a model, what a defense recovers, and whom it flags."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.accuracy import by_draw, train_packed
from graphldp.experiments.cases import Defended, attack_of, attacked, by_case, defended
from graphldp.experiments.cells import Cell, canonical
from graphldp.experiments.draws import Context, shortage
from graphldp.experiments.engines.preparing import prepared
from graphldp.experiments.outcomes import Outcome, refusal
from graphldp.learn.engine.batches import PackedGraphs
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats import roc
from graphldp.threats.named import make_defense

_BYTES_PER_ENTRY = 48  # packed for training, as in draws, where no two users are alike
_ROOM = 0.35  # of the memory for packed graphs: joining them doubles it, and activations come on top
_CURVE_POINTS = 80
_ALL_SCORES = 0.99  # the guarantee point computes p-values as far as this θ


def line_name(learner: str, defense: str, treatment: str) -> str:
    """How a line of a figure is called, as in ``"degrees guard-accuracy redraw"``."""
    return " ".join(each for each in (learner, defense, treatment) if each)


def control(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Fit the controls on attacked and defended reports: degrees, or lists of bounded influence."""
    from graphldp.learn.tables.controls import DegreeControl
    from graphldp.learn.tables.robust import BoundedControl

    for own in by_case(cells):
        try:
            case = defended(own[0].params, context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        for cell in own:
            params = cell.params
            learn, stop, test = split(case.reports.labels, params["ratios"], params["seed"])
            model = (BoundedControl if params["learner"] == "bounded" else DegreeControl)(seed=params["seed"])
            model.fit(case.reports.subset(learn))
            held_out = case.reports.subset(test)
            scores = evaluate(model.classes_, model.predict_proba(held_out), np.asarray(held_out.labels))
            own_scores = {"accuracy": scores.accuracy, "auc": scores.auc}
            own_scores["val_accuracy"] = model.score(case.reports.subset(stop))
            yield [Outcome(cell, "done", case.rates | own_scores)]


def train(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Train models on attacked and defended reports, as many beside each other as memory holds."""
    waves = {dense: _Wave() for dense in (False, True)}
    for members, case in _prepared([own for _, each in by_draw(cells) for own in by_case(each)], context):
        if time.monotonic() > context.deadline:
            return
        if isinstance(case, GraphLDPError):
            yield [refusal(cell, case) for cell in members]
            continue
        short = shortage(_BYTES_PER_ENTRY * case.reports.num_entries, context) if context.device == "cpu" else None
        if short is not None:
            yield [Outcome(cell, "too-large", note=short) for cell in members]
            continue
        dense = context.device != "cpu" and _mostly_full(case.reports)
        waves[dense].add(members, case, context)
        if waves[dense].bytes > _ROOM * context.memory:
            yield from waves[dense].train(context)
            waves[dense] = _Wave()
    for wave in waves.values():
        if wave.bytes:
            yield from wave.train(context)


def _mostly_full(reports: Reports) -> bool:
    """Whether lists are long, so that few trainings fit into memory: kept apart, they do not hold up the others."""
    return 32 * reports.num_entries > int((reports.sizes**2).sum())


def _prepared(cases: Sequence[list[Cell]], context: Context) -> Iterator[tuple[list[Cell], Defended | GraphLDPError]]:
    """The attacked and defended reports of some cells; those of one attack are one task, so it is drawn once."""
    tasks = [[own[0].params for own in alike] for _, alike in groupby(cases, key=lambda own: attack_of(own[0].params))]
    return zip(cases, prepared(defended, tasks, context), strict=True)


class _Wave:
    """Trainings whose packed graphs are in memory together.

    A defense that flags nobody leaves the reports as they are: its training is the undefended one, done once.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._fitting: list[tuple[Cell, PackedGraphs]] = []
        self._rates: dict[str, dict[str, float]] = {}
        self._twins: dict[str, list[Cell]] = {}
        self._untouched: dict[str, Cell] = {}

    def add(self, cells: Sequence[Cell], case: Defended, context: Context) -> None:
        """Pack the graphs of some cells."""
        new = []
        for cell in cells:
            self._rates[cell.id] = case.rates
            key = canonical({k: v for k, v in cell.params.items() if k not in ("defense", "treatment")})
            first = self._untouched.setdefault(key, cell) if case.untouched else cell
            self._twins.setdefault(first.id, []).append(cell)
            if first is cell:
                new.append(cell)
        if not new:
            return
        classes, codes = np.unique(np.asarray(case.reports.labels), return_inverse=True)
        deepest = max(cell.params["model"]["layers"] for cell in new)
        spec = ModelSpec(num_classes=len(classes), **(new[0].params["model"] | {"layers": deepest}))
        packed = PackedGraphs.pack(case.reports, spec, resolve_device(context.device), codes)
        self._fitting += [(cell, packed) for cell in new]
        self.bytes += packed.store.num_bytes

    def train(self, context: Context) -> Iterator[list[Outcome]]:
        """Train what was packed."""
        for outcomes in train_packed(self._fitting, context):
            yield [
                replace(each, cell=cell, numbers={**self._rates[cell.id], **each.numbers})
                for each in outcomes
                for cell in self._twins[each.cell.id]
            ]


def curve(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Detection against false positives, for all honest users and for honest hubs apart."""
    for cell in cells:
        params = cell.params
        try:
            case = attacked(params, context)
            score = make_defense(params["defense"], theta=_ALL_SCORES).judge(case.reports).score
        except GraphLDPError as error:
            yield [refusal(cell, error)]
            continue
        numbers: dict[str, Any] = {}
        honest = case.inside & ~case.malicious
        for name, among in (("all", honest), ("hubs", honest & case.hubs)):
            found = roc(score, case.malicious, among)
            way = found.false_positives + found.detected  # even steps along the curve, from 0 to 2
            some = np.unique(np.searchsorted(way, np.linspace(0, way[-1], _CURVE_POINTS)))
            numbers[name] = {
                "area": found.area,
                "false_positives": found.false_positives[some].tolist(),
                "detected": found.detected[some].tolist(),
            }
        yield [Outcome(cell, "done", numbers)]

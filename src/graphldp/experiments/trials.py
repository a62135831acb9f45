"""Run trials: draw → attack? → defend? → split → fit → score, the one way to a number about a classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments import packs
from graphldp.experiments.cases import Defended, by_case, defended
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context, Draw
from graphldp.experiments.outcomes import CellOutcome, refusal, scored
from graphldp.experiments.trial import NETWORK, Threat, Trial
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split

if TYPE_CHECKING:
    from graphldp.learn.tables.tabular import TableClassifier


def run(cells: Sequence[Cell], context: Context, watch: packs.Watch | None = None) -> Iterator[list[CellOutcome]]:
    """Run the trials that some cells name.

    Args:
        cells: best those that share reports; these are then drawn, attacked and defended once.
        context: where datasets are, and the device.
        watch: called with a trial and each epoch of its network.
    """
    trials = [Trial.of(cell) for cell in cells]
    yield from _tables([trial for trial in trials if trial.classifier != NETWORK], context)
    yield from packs.train([trial for trial in trials if trial.classifier == NETWORK], context, watch)


def _tables(trials: Sequence[Trial], context: Context) -> Iterator[list[CellOutcome]]:
    """Fit what needs no neural network: the controls, and the recipe's classifier."""
    fits: dict[str, TableClassifier] = {}
    last: Draw | None = None
    for own in by_case(trials):
        if own[0].draw != last:
            fits, last = {}, own[0].draw
        try:
            case = defended(own[0], context)
        except GraphLDPError as error:
            yield [refusal(trial.cell, error) for trial in own]
            continue
        for trial in own:
            yield [_fit_table(trial, case, fits)]


def _fit_table(trial: Trial, case: Defended, fits: dict[str, TableClassifier]) -> CellOutcome:
    """Fit, unless another trial has learned from the same reports: one that is attacked elsewhere."""
    reports = case.reports
    learn, stop, test = split(reports.labels, trial.ratios, trial.seed)
    key = replace(trial, threat=(trial.threat or Threat()).learned).cell.id
    if key not in fits:
        fits[key] = table_classifier(trial.classifier, trial.seed).fit(reports.subset(learn))
    model = fits[key]
    held_out = reports.subset(test)
    scores = evaluate(model.classes_, model.predict_proba(held_out), np.asarray(held_out.labels))
    numbers = {**case.rates, **scored(scores, model.classes_), "val_accuracy": model.score(reports.subset(stop))}
    return CellOutcome(trial.cell, "done", numbers, model=model)


def table_classifier(name: str, seed: int) -> TableClassifier:
    """The unfitted classifier of a trial that trains no network."""
    from graphldp.learn.tables.controls import DegreeControl, SizeControl
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.robust import BoundedControl

    made: dict[str, Callable[[], TableClassifier]] = {
        "size": lambda: SizeControl(seed),
        "size-forest": lambda: SizeControl(seed, "forest"),
        "degree": lambda: DegreeControl(seed),
        "degree-forest": lambda: DegreeControl(seed, "forest"),
        "bounded": lambda: BoundedControl(seed=seed),
        "recipe-2": lambda: ProfileClassifier(seed=seed),
    }
    return made[name]()

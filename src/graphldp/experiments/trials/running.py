"""Run trials: draw → attack? → defend? → split → fit → score, the one way to a number about a classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.aimed import aimed, aims
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context, Draw
from graphldp.experiments.measures.outcomes import CellOutcome, refusal, scored
from graphldp.experiments.trial import NETWORK, NODE_LEARNERS, Threat, Trial
from graphldp.experiments.trials import node_trials, packs
from graphldp.experiments.trials.cases import Defended, by_case, defended
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.profiled import Profiled
    from graphldp.learn.tables.tabular import TableClassifier


def run(cells: Sequence[Cell], context: Context, watch: packs.Watch | None = None) -> Iterator[list[CellOutcome]]:
    """Run the trials that some cells name.

    Args:
        cells: best those that share reports; these are then drawn, attacked and defended once.
        context: where datasets are, and the device.
        watch: called with a trial and each epoch of its network.
    """
    trials = [Trial.of(cell) for cell in cells]
    yield from node_trials.run([trial for trial in trials if trial.classifier in NODE_LEARNERS], context)
    yield from _tables([trial for trial in trials if trial.classifier not in (NETWORK, *NODE_LEARNERS)], context)
    yield from packs.train([trial for trial in trials if trial.classifier == NETWORK], context, watch)


def _tables(trials: Sequence[Trial], context: Context) -> Iterator[list[CellOutcome]]:
    """Fit what needs no neural network: the controls, and the recipe's classifier."""
    fits = Fits()
    for own in by_case(trials):
        fits.keep(own[0].draw)
        case: Defended | None = None
        for trial in own:
            try:
                if aims(trial):  # at its own classifier
                    case = aimed(trial, context, fits)
                elif case is None:
                    case = defended(trial, context)
            except GraphLDPError as error:
                yield [refusal(trial.cell, error)]
                continue
            yield [_scored(trial, case.reports, case.rates, fits)]


def run_on(graphs: Profiled, cells: Sequence[Cell]) -> Iterator[list[CellOutcome]]:
    """Run trials that need no neural network on graphs whose reports were read before.

    Args:
        graphs: their rows.
        cells: trials without attack or defense; their draws name these graphs.
    """
    fits = Fits()
    for cell in cells:
        yield [_scored(Trial.of(cell), graphs, {}, fits)]


class Fits:
    """Fitted classifiers of one draw. Trials that differ only in the attack on test graphs share one."""

    def __init__(self) -> None:
        self._draw: Draw | None = None
        self._models: dict[str, TableClassifier] = {}

    def keep(self, draw: Draw) -> None:
        """Forget those of another draw."""
        if draw != self._draw:
            self._draw, self._models = draw, {}

    def fitted(self, trial: Trial, reports: Reports | Profiled) -> TableClassifier:
        """The classifier of a trial, fitted to the training graphs of the reports where nobody has done so before."""
        key = replace(trial, threat=(trial.threat or Threat()).learned).cell.id
        if key not in self._models:
            learn = split(reports.labels, trial.ratios, trial.seed)[0]
            self._models[key] = table_classifier(trial.classifier, trial.seed, trial.model).fit(reports.subset(learn))
        return self._models[key]


def _scored(trial: Trial, reports: Reports | Profiled, rates: Mapping[str, float], fits: Fits) -> CellOutcome:
    from graphldp.learn.certificates import checked

    model = fits.fitted(trial, reports)
    _, stop, test = split(reports.labels, trial.ratios, trial.seed)
    held_out = reports.subset(test)
    labels = checked(model, held_out)
    scores = evaluate(model.classes_, labels.predict_proba(held_out), np.asarray(held_out.labels))
    numbers = {**rates, **scored(scores, model.classes_), "val_accuracy": labels.score(reports.subset(stop))}
    if trial.threat == Threat():
        numbers |= _certified(labels, held_out)
    return CellOutcome(trial.cell, "done", numbers, model=model)


def _certified(model: TableClassifier, reports: Reports | Profiled) -> dict[str, Any]:
    """Of a classifier that certifies: users, certified k, and whether the label is right, for each graph."""
    certify = getattr(model, "certify", None)
    if certify is None:
        return {}
    right = model.predict(reports) == np.asarray(reports.labels)
    return {"certified": np.stack((reports.sizes, certify(reports), right), axis=1).astype(int).tolist()}


def recommended_classifier(name: str, seed: int, settings: Mapping[str, Any]) -> ProfileClassifier:
    """The unfitted classifier of the recipe, plain or robust."""
    from graphldp.learn.tables.profile_classifier import ProfileClassifier

    made = table_classifier(name, seed, settings)
    assert isinstance(made, ProfileClassifier)  # noqa: S101 (both are)
    return made


def table_classifier(name: str, seed: int, settings: Mapping[str, Any]) -> TableClassifier:
    """The unfitted classifier of a trial that trains no network, with settings that are not its own."""
    from graphldp.learn.tables.controls import DegreeControl, SizeControl
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.robust.bounded import BoundedControl
    from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier

    made: dict[str, Callable[[], TableClassifier]] = {
        "size": lambda: SizeControl(seed),
        "size-forest": lambda: SizeControl(seed, "forest"),
        "degree": lambda: DegreeControl(seed),
        "degree-forest": lambda: DegreeControl(seed, "forest"),
        "bounded": lambda: BoundedControl(seed=seed),
        "recipe-2": lambda: ProfileClassifier(seed=seed),
        "recipe-robust-5": lambda: RobustProfileClassifier(seed=seed, **settings),
    }
    return made[name]()

"""Run trials: draw → attack? → defend? → split → fit → score, the one way to a number about a classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context, Draw
from graphldp.experiments.trial import NETWORK, NODE_LEARNERS, Threat, Trial
from graphldp.experiments.trials import networks, users
from graphldp.experiments.trials.cases import Defended, by_case, defended
from graphldp.learn.fitting import Fitted
from graphldp.learn.metrics import evaluate
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.classifier import GraphClassifier
    from graphldp.learn.nodes.classifier import NodeClassifier
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.profiled import Profiled
    from graphldp.learn.tables.tabular import TableClassifier
    from graphldp.learn.tables.witness_classifier import WitnessClassifier

TRIAL = "trial"
"""The part of a model's provenance that names its trial."""


def run(trials: Sequence[Trial], context: Context, watch: networks.Watch | None = None) -> Iterator[list[Row]]:
    """Run some trials.

    Args:
        trials: best those that share reports; these are then drawn, attacked and defended once.
        context: where datasets are, and the device.
        watch: called with a trial and each epoch of its network.
    """
    of_users = [trial for trial in trials if trial.classifier in NODE_LEARNERS]
    of_networks = [trial for trial in trials if trial.classifier == NETWORK]
    yield from users.run(of_users, context)
    yield from _tables([trial for trial in trials if trial.classifier not in (NETWORK, *NODE_LEARNERS)], context)
    yield from networks.train(of_networks, context, watch)


def _tables(trials: Sequence[Trial], context: Context) -> Iterator[list[Row]]:
    """Fit what needs no neural network: the controls, and the recipe's classifier."""
    models: dict[str, TableClassifier] = {}
    draw: Draw | None = None
    for own in by_case(trials):
        if own[0].draw != draw:
            draw, models = own[0].draw, {}
        case: Defended | None = None
        for trial in own:
            try:
                case = case or defended(trial, context)
            except GraphLDPError as error:
                yield [Row.refused(trial.cell, error)]
                continue
            yield [_scored(trial, case.reports, case.rates, models)]


def run_on(graphs: Profiled, trials: Sequence[Trial]) -> Iterator[list[Row]]:
    """Run trials that need no neural network on graphs whose reports were read before.

    Args:
        graphs: their rows.
        trials: without attack or defense; their draws name these graphs.
    """
    models: dict[str, TableClassifier] = {}
    for trial in trials:
        yield [_scored(trial, graphs, {}, models)]


def _scored(
    trial: Trial, reports: Reports | Profiled, rates: Mapping[str, float], models: dict[str, TableClassifier]
) -> Row:
    """Score a trial's classifier; trials of one draw that differ only in the attack on test graphs share a fit."""
    learn, stop, test = trial.parts(reports.labels)
    key = replace(trial, threat=(trial.threat or Threat()).learned).cell.id
    if key not in models:
        models[key] = table_classifier(trial.classifier, trial.seed, trial.model).fit(reports.subset(learn))
    model, held_out = models[key], reports.subset(test)
    scores = evaluate(model.classes_, model.predict_proba(held_out), np.asarray(held_out.labels))
    numbers = {**rates, **scores.numbers(model.classes_), "val_accuracy": model.score(reports.subset(stop))}
    if trial.threat == Threat():
        numbers |= _certified(model, held_out)
    return Row(trial.cell, "done", numbers, model=model)


def _certified(model: TableClassifier, reports: Reports | Profiled) -> dict[str, Any]:
    """The certificates of each graph, where there are any: users, certified k, and whether the label is right."""
    from graphldp.learn.certificates import Certifying

    if not isinstance(model, Certifying):
        return {}
    right = model.predict(reports) == np.asarray(reports.labels)
    return {"certified": np.stack((reports.sizes, model.withstood(reports), right), axis=1).astype(int).tolist()}


def table_classifier(name: str, seed: int, settings: Mapping[str, Any]) -> TableClassifier:
    """The unfitted classifier of a trial that trains no network, with settings that are not its own."""
    from graphldp.learn.tables.controls import BoundedControl, DegreeControl, SizeControl
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.robust_classifier import RobustProfileClassifier
    from graphldp.learn.tables.witness_classifier import WitnessClassifier

    made: dict[str, Callable[[], TableClassifier]] = {
        "size": lambda: SizeControl(seed),
        "size-forest": lambda: SizeControl(seed, "forest"),
        "degree": lambda: DegreeControl(seed),
        "degree-forest": lambda: DegreeControl(seed, "forest"),
        "bounded": lambda: BoundedControl(seed=seed),
        "recipe-2": lambda: ProfileClassifier(seed=seed),
        "recipe-robust-6": lambda: RobustProfileClassifier(seed=seed, **settings),
        "witnesses-3": lambda: WitnessClassifier(seed=seed),
    }
    return made[name]()


def classifier_of(row: Row) -> GraphClassifier | ProfileClassifier | WitnessClassifier | NodeClassifier | None:
    """The classifier that a trial fitted, with its origin; None for a control."""
    from graphldp.learn.classifier import GraphClassifier, network_classifier
    from graphldp.learn.nodes.classifier import NodeClassifier
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.learn.tables.witness_classifier import WitnessClassifier

    model = network_classifier(row.model) if isinstance(row.model, Fitted) else row.model
    if not isinstance(model, GraphClassifier | ProfileClassifier | WitnessClassifier | NodeClassifier):
        return None
    model.provenance_ = {**model.provenance_, TRIAL: row.cell.id}
    return model

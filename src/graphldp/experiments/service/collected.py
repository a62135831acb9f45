"""Train on the labelled communities that a collector holds, and label others by the model.

A command, the live demo and a job of the dashboard call :func:`train_collected`; what it finds stays in the collector's
store. By the recipe it reads reports in a stream, see :mod:`graphldp.experiments.service.gathering`; a network, and
tests that flag users, hold all reports of the communities they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphldp.collector.community import MIN_REPORTS, Community, enough
from graphldp.collector.storage.operating.results import Prediction, Run, used_no_more
from graphldp.collector.storage.store import Store
from graphldp.errors import TrainingError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import RECOMMENDED, REPORTED, Context, Draw
from graphldp.experiments.plans.plan import file_id
from graphldp.experiments.plans.setup import Setup, allowed, split_settings
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.service.gathering import Course, gather, present, with_reports
from graphldp.experiments.trial import NETWORK, RECIPE, ROBUST, WITNESSES, Threat, Trial
from graphldp.experiments.trials.running import classifier_of, table_classifier
from graphldp.files.folders import passing_folder
from graphldp.learn.certificates import certificates
from graphldp.learn.classifier import GraphClassifier
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.loading import load_classifier
from graphldp.learn.selection import folds, split
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier
from graphldp.learn.tables.tabular import TableClassifier
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.reports import Reports

Labeller = GraphClassifier | ProfileClassifier | WitnessClassifier
_SHARES = (0.8, 0.1, 0.1)  # to learn from, to stop by, and to measure by
_READ, _COMPARED, _MEASURED = 0.3, 0.4, 0.8  # the shares of a training that are done by then
_LOADED = 0.4  # the share of a labelling that is done when its model is loaded


def train_collected(
    store: Store,
    communities: Sequence[Community],
    model: Path,
    results: Path,
    *,
    defense: str | None = None,
    allowance: float | None = None,
    seed: int = 0,
    recommended: bool = False,
    max_epochs: int = 500,
    min_reports: int = MIN_REPORTS,
    trusted_only: bool = False,
    course: Course = Course(),  # noqa: B008 - it is frozen
) -> Run:
    """Train on the communities that have a label and enough reports, and save the model.

    How often labels are right is measured by cross-validation: every community is held out once, from a classifier
    that learned from the others. A network is trained once: a tenth of the communities stops it in time, and another
    tenth, which nothing has seen, measures it. Beside it, a trial like any other compares it with two controls on one
    split. A community's graph is the one induced on those who reported.

    Args:
        store: the collector's.
        communities: among which to look for labelled ones.
        model: where to write what was learned, a .npz file.
        results: the results file where the trial's rows go, and those of the controls. It is not made
            before there is something to train on.
        defense: leave out the users that it flags, and keep who they are. ``"recommended"``, with the recommended
            classifier, leaves out nobody: it fits the one that withstands liars. Communities with witnesses always
            have one that does.
        allowance: how much accuracy that one may lose where nobody lies; the usual one by default.
        seed: of weights, batches and the communities held out.
        recommended: fit the recommended classifier, on the CPU, instead of a graph neural network. The one that is
            saved is fitted to all communities.
        max_epochs: of the network.
        min_reports: communities that hold fewer reports are left out.
        trusted_only: learn from trusted communities alone, and measure by these. No other report is read.
        course: how it is run.

    Returns:
        The run, as the store keeps it.
    """
    robust = defense == RECOMMENDED
    if robust and not recommended:
        raise bad_parameter("defense", "collect train", "a test that flags users, with --network", defense)
    if allowance is not None and not robust:
        raise bad_parameter("allowance", "collect train", "left out without the recommended defense", allowance)
    settings = allowed(allowance, "collect train")
    known = [each for each in communities if each.label is not None and (each.trusted or not trusted_only)]
    found = with_reports(store, known, "labelled and trusted" if trusted_only else "labelled", min_reports)
    witnesses = found[0].dealt  # as they all are, or an export refuses
    if witnesses and settings:
        raise bad_parameter("allowance", "collect train", "left out where communities have witnesses", allowance)
    before = store.retention.before([each.key for each in found])
    if recommended and (robust or defense is None):
        rows = course.read(store, found, course.part(0.0, _READ))
        name = WITNESSES if witnesses else ROBUST if robust else RECIPE
        classifier, run = _from_rows(rows, results, seed, name, settings, course)
    else:
        epochs = None if recommended else max_epochs
        classifier, run = _from_reports(*gather(store, found, defense, seed), results, defense, seed, epochs, course)
    classifier.save(model)
    asked = {"defense": defense or "none", "seed": seed, "trusted_only": trusted_only}
    keys = [each.key for each in found]
    run = replace(run, model=str(model), settings=asked | dict(run.settings), learned_from=keys)
    try:
        store.results.add_run(run, before)
    except BaseException:  # a model that the store does not know could never be withdrawn
        model.unlink(missing_ok=True)
        raise
    return run


def _from_rows(
    graphs: Profiled, results: Path, seed: int, recipe: str, asked: Mapping[str, Any], course: Course
) -> tuple[Labeller, Run]:
    """Fit one of the recommended classifiers to rows of graphs."""
    name = f"file:collected@{graphs.digest}"
    setup = Setup(Trial(Draw(name, REPORTED), _SHARES, 0, recipe, asked))
    split(graphs.labels, _SHARES, 0)  # raises what would go wrong in every seed
    _compared(setup, Context(), results, seed, course, graphs)
    right = _cross_validated(graphs, lambda: table_classifier(recipe, seed, asked), seed, course)
    course.watch("fitting to all communities", _MEASURED)
    classifier = table_classifier(recipe, seed, asked).fit(graphs)
    assert isinstance(classifier, ProfileClassifier | WitnessClassifier)  # noqa: S101 (all of the recipe are)
    settings: dict[str, Any] = {"mechanism": str(graphs.origin), "classifier": "recommended"}
    if isinstance(classifier, RobustProfileClassifier):
        settings["allowance"] = classifier.allowance
    users, reported = int(graphs.sizes.sum()), int(graphs.reported.sum())
    return classifier, Run("", len(graphs), users, reported, right / len(graphs), settings, len(graphs))


def _from_reports(
    reports: Reports,
    kept: Reports,
    results: Path,
    defense: str | None,
    seed: int,
    max_epochs: int | None,
    course: Course,
) -> tuple[Labeller, Run]:
    """Fit a network, or the plain recipe where there are no epochs, to reports; of these some may not be kept."""
    recommended = max_epochs is None
    with passing_folder("graphldp-training-") as folder:
        file = folder / "collected.npz"
        reports.save(file)
        name, _ = file_id(file)
        model, training = ({}, {}) if recommended else split_settings({"max_epochs": max_epochs})
        threat = None if defense is None else Threat.named(None, 0.0, defense)
        learner = RECIPE if recommended else NETWORK
        setup = Setup(Trial(Draw(name, REPORTED), _SHARES, 0, learner, model, training, threat))
        context = Context(device=str(resolve_device(course.device)), given={name: reports})
        setup.check(context)
        row, classifier = _compared(setup, context, results, seed, course)
    settings: dict[str, Any] = {"mechanism": str(kept.origin)}
    if recommended:
        right = _cross_validated(kept, lambda: ProfileClassifier(seed=seed), seed, course)
        held_out, classifier = kept.num_graphs, ProfileClassifier(seed=seed).fit(kept)
        settings["classifier"] = "recommended"
    else:
        confusion = np.array(row.numbers["confusion"])
        right, held_out = int(confusion.trace()), int(confusion.sum())
        settings["epochs"] = row.numbers["epochs"]
    reported = int(present(kept).sum())
    return classifier, Run("", kept.num_graphs, kept.num_users, reported, right / held_out, settings, held_out)


def _cross_validated(
    graphs: Reports | Profiled, classifier: Callable[[], TableClassifier], seed: int, course: Course
) -> int:
    """How many communities get their right label from what learned from others."""
    told, right = course.part(_COMPARED, _MEASURED), 0
    labels = np.asarray(graphs.labels)
    parts = folds(labels, seed)
    for done, (others, held_out) in enumerate(parts):
        told("measuring accuracy", done / len(parts))
        given = classifier().fit(graphs.subset(others)).predict(graphs.subset(held_out))
        right += int((given == labels[held_out]).sum())
    return right


def _compared(
    setup: Setup, context: Context, results: Path, seed: int, course: Course, graphs: Profiled | None = None
) -> tuple[Row, Labeller]:
    """Run the trial and its controls, and keep their rows; its own row, and what it fitted."""
    plan = setup.plan(1, first=seed)
    models: dict[str, Labeller] = {}
    rows: dict[str, Row] = {}

    def keep(row: Row) -> None:
        model = classifier_of(row)
        if isinstance(model, Labeller):
            models[row.cell.id] = model

    course.watch("comparing with controls", _READ)
    with ResultsFile(results) as table:
        table.add_plan(plan)
        work = [entry.work for entry in plan.entries]
        for row in compute(work, context, keep=keep, graphs=graphs):
            if row.status != "done":
                raise TrainingError(row.note.partition(": ")[2])
            table.add(row)
            rows[row.cell.id] = row
            course.part(_READ, _COMPARED)("comparing with controls", len(rows) / len(work))
    ((own, model),) = models.items()
    return rows[own], model


def label_collected(
    store: Store,
    communities: Sequence[Community],
    model: Path,
    *,
    defense: str | None = None,
    min_reports: int = MIN_REPORTS,
    course: Course = Course(),  # noqa: B008 - it is frozen
) -> list[tuple[Community, Prediction]]:
    """Label communities, and keep their labels in the store.

    Args:
        store: the collector's.
        communities: those to label.
        model: what :func:`train_collected` wrote.
        defense: leave out the users that it flags. Nothing is promised of the others' labels then.
        min_reports: a label from fewer says too much about each of them, and is not given.
        course: how it is run.

    Returns:
        Communities with enough reports, in their order, each with its label as the store keeps it.
    """
    if store.results.withdrawn(str(model)):
        raise used_no_more(str(model))
    course.watch("loading the model", 0.0)
    classifier = load_classifier(model, course.device)
    found = with_reports(store, communities, "unlabelled", min_reports)
    before = store.retention.before([each.key for each in found])
    graphs: Reports | Profiled
    if isinstance(classifier, ProfileClassifier | WitnessClassifier) and defense is None:
        graphs = course.read(store, found, course.part(_LOADED, 1.0))
        reported = graphs.reported
        chances = classifier.predict_proba(graphs)
    else:
        _, graphs = gather(store, found, defense)
        chances = classifier.predict_proba(graphs)
        reported = np.bincount(graphs.graph_of_user[present(graphs)], minlength=len(graphs))
    labels, sure = classifier.classes_[chances.argmax(axis=1)].tolist(), chances.max(axis=1).tolist()
    columns = (found, labels, sure, reported.tolist(), certificates(classifier, graphs))
    given = [
        Prediction(community.key, label, confidence, here, str(model), certified=certified)
        for community, label, confidence, here, certified in zip(*columns, strict=True)
    ]
    given = [each for each in given if enough(each.reported, min_reports)]  # a defense may have left too few
    by_key = {each.key: each for each in communities}
    return [(by_key[each.community], each) for each in store.results.set_predictions(given, before)]

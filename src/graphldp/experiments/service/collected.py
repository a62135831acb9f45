"""Learn from what a collector holds: train on labelled communities, and label the others.

A command, the live demo and a job of the dashboard call these two functions; what they find stays in the collector's
store. By the recipe they read reports in a stream, see :mod:`graphldp.experiments.service.gathering`; networks, and
tests that flag users, hold all reports of the communities they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import MIN_REPORTS, enough
from graphldp.collector.storage.operating.results import Prediction, Run, used_no_more
from graphldp.collector.storage.store import Store
from graphldp.errors import TrainingError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import REPORTED, Context, Draw
from graphldp.experiments.models import classifier_of
from graphldp.experiments.plans.plan import file_id
from graphldp.experiments.plans.setup import RECIPE, RECOMMENDED, ROBUST, Setup, split_settings
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.service.gathering import RowReader, Watch, gather, heard, read_profiles, unwatched
from graphldp.experiments.trial import Threat
from graphldp.experiments.trials.running import recommended_classifier
from graphldp.files import passing_folder
from graphldp.learn.certificates import certificates, checked
from graphldp.learn.classifier import GraphClassifier
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.saving.loading import load_classifier
from graphldp.learn.selection import split
from graphldp.learn.tables.agreement import Trust
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust_profile import RobustProfileClassifier
from graphldp.reports import Reports

_SHARES = (0.8, 0.1, 0.1)  # to learn from, to stop by, and to measure by
_READ, _MEASURED = 0.4, 0.7  # the shares of a training that are done by then


@dataclass(frozen=True)
class Recipient:
    """A community with the label it was given.

    Args:
        community: which one.
        prediction: its label, as the store keeps it.
    """

    community: Community
    prediction: Prediction


@dataclass(frozen=True)
class Labelled:
    """Labels that communities were given.

    Args:
        recipients: each with its label.
        trust: what was heard, where the classifier withstands liars; less where the communities contradict it.
    """

    recipients: list[Recipient]
    trust: Trust | None = None


@dataclass(frozen=True)
class Course:
    """How a training is run; nothing here changes what it finds.

    Args:
        watch: called with what is being done, and with the share that is done.
        read: how reports become rows.
        device: of a network.
    """

    watch: Watch = unwatched
    read: RowReader = read_profiles
    device: str = "auto"

    def part(self, first: float, last: float) -> Watch:
        """For a step that takes up this part of the whole."""
        return lambda doing, share: self.watch(doing, first + (last - first) * share)


@dataclass(frozen=True, eq=False)
class _Learned:
    """What was learned, and from how much."""

    classifier: GraphClassifier | ProfileClassifier
    row: Row
    communities: int
    users: int
    reported: int
    settings: dict[str, Any] = field(default_factory=dict)


def train_collected(
    store: Store,
    communities: Sequence[Community],
    model: Path,
    results: Path,
    *,
    defense: str | None = None,
    seed: int = 0,
    recommended: bool = False,
    max_epochs: int = 500,
    min_reports: int = MIN_REPORTS,
    course: Course = Course(),  # noqa: B008 - it is frozen
) -> Run:
    """Train on the communities that have a label and enough reports, and save the model.

    It is a trial like any other, on reports that were drawn elsewhere: a tenth of the communities stops a network in
    time, and another tenth, which nothing has seen, says how good it is. A community's graph is the one induced on
    those who reported.

    Args:
        store: the collector's.
        communities: among which to look for labelled ones.
        model: where to write what was learned, a .npz file.
        results: the results file where the trial's rows go, and those of the controls beside it. It is not made
            before there is something to train on.
        defense: leave out the users that it flags, and keep who they are. ``"recommended"``, with the recommended
            classifier, leaves out nobody: it fits the one that withstands liars.
        seed: of weights, batches and the communities held out.
        recommended: fit the recommended classifier, on the CPU, instead of a graph neural network. The one that is
            saved is fitted to all communities.
        max_epochs: of the network.
        min_reports: communities that hold fewer reports are left out.
        course: how it is run.

    Returns:
        The run, as the store keeps it.
    """
    robust = defense == RECOMMENDED
    if robust and not recommended:
        raise bad_parameter("defense", "collect train", "a test that flags users, with --network", defense)
    found = heard(store, [each for each in communities if each.label is not None], "labelled", min_reports)
    before = store.retention.before([each.key for each in found])
    if recommended and (robust or defense is None):
        learned = _from_rows(course.read(store, found, course.part(0.0, _READ)), results, seed, robust, course)
    else:
        epochs = None if recommended else max_epochs
        learned = _from_reports(*gather(store, found, defense, seed), results, defense, seed, epochs, course)
    learned.classifier.save(model)
    run = Run(
        model=str(model),
        communities=learned.communities,
        users=learned.users,
        reported=learned.reported,
        validation=learned.row.numbers["accuracy"],
        settings={"defense": defense or "none", "seed": seed} | learned.settings,
        held_out=sum(map(sum, learned.row.numbers["confusion"])),
        learned_from=[each.key for each in found],
    )
    try:
        store.results.add_run(run, before)
    except BaseException:  # a model that the store does not know could never be withdrawn
        model.unlink(missing_ok=True)
        raise
    return run


def _from_rows(graphs: Profiled, results: Path, seed: int, robust: bool, course: Course) -> _Learned:
    """Fit the recipe to rows of graphs."""
    name = f"file:collected@{graphs.digest}"
    setup = Setup(name, _SHARES, Draw(name, REPORTED), recommended=True, robust=robust)
    split(graphs.labels, _SHARES, 0)  # raises what would go wrong in every seed
    row, _ = _measured(setup, Context(), results, seed, course, graphs)
    course.watch("fitting to all communities", _MEASURED)
    classifier = fitted(graphs, seed, robust=robust)
    settings = {"mechanism": str(graphs.origin), "classifier": "recommended"}
    if isinstance(classifier, RobustProfileClassifier):
        settings["trust"] = classifier.trust_
    return _Learned(
        classifier, row, len(graphs), int(graphs.sizes.sum()), int(graphs.reported.sum()), settings=settings
    )


def _from_reports(
    reports: Reports,
    kept: Reports,
    results: Path,
    defense: str | None,
    seed: int,
    max_epochs: int | None,
    course: Course,
) -> _Learned:
    """Fit a network, or the plain recipe where there are no epochs, to reports; of these some may not be kept."""
    recommended = max_epochs is None
    with passing_folder("graphldp-training-") as folder:
        file = folder / "collected.npz"
        reports.save(file)
        name, files = file_id(file)
        model, training = ({}, {}) if recommended else split_settings({"max_epochs": max_epochs})
        threat = None if defense is None else Threat.named(None, 0.0, defense)
        setup = Setup(name, _SHARES, Draw(name, REPORTED), model, training, recommended, threat=threat)
        context = Context(files=tuple(files.items()), device=str(resolve_device(course.device)))
        setup.check(context)
        row, classifier = _measured(setup, context, results, seed, course)
    settings: dict[str, Any] = {"mechanism": str(kept.origin)}
    if recommended:
        classifier = fitted(kept, seed)
        settings["classifier"] = "recommended"
    else:
        settings["epochs"] = row.numbers["epochs"]
    reported = int(_present(kept).sum())
    return _Learned(classifier, row, kept.num_graphs, kept.num_users, reported, settings)


def label_collected(
    store: Store,
    communities: Sequence[Community],
    model: Path,
    *,
    defense: str | None = None,
    min_reports: int = MIN_REPORTS,
    course: Course = Course(),  # noqa: B008 - it is frozen
) -> Labelled:
    """Label communities, and keep their labels in the store.

    A classifier that withstands liars is compared with these communities first
    (:meth:`graphldp.RobustProfileClassifier.checked`).

    Args:
        store: the collector's.
        communities: those to label.
        model: what :func:`train_collected` wrote.
        defense: leave out the users that it flags.
        min_reports: a label from fewer says too much about each of them, and is not given.
        course: how it is run.

    Returns:
        A label for each community with enough reports, in their order.
    """
    if store.results.withdrawn(str(model)):
        raise used_no_more(str(model))
    course.watch("loading the model", 0.0)
    classifier = load_classifier(model, course.device)
    found = heard(store, communities, "unlabelled", min_reports)
    before = store.retention.before([each.key for each in found])
    graphs: Reports | Profiled
    if isinstance(classifier, ProfileClassifier) and defense is None:
        graphs = course.read(store, found, course.part(_READ, 1.0))
        classifier, reported = checked(classifier, graphs), graphs.reported
        chances = classifier.predict_proba(graphs)
    else:
        _, graphs = gather(store, found, defense)
        classifier = checked(classifier, graphs)
        chances = classifier.predict_proba(graphs)
        reported = np.bincount(graphs.graph_of_user[_present(graphs)], minlength=len(graphs))
    likeliest = zip(*_likeliest(classifier.classes_, chances), strict=True)
    given = [
        Prediction(community.key, label, confidence, here, str(model), certified=certified)
        for community, (label, confidence), here, certified in zip(
            found, likeliest, reported.tolist(), certificates(classifier, graphs), strict=True
        )
    ]
    given = [each for each in given if enough(each.reported, min_reports)]  # a defense may have left too few
    by_key = {each.key: each for each in communities}
    kept = [Recipient(by_key[each.community], each) for each in store.results.set_predictions(given, before)]
    return Labelled(kept, classifier.trust_ if isinstance(classifier, RobustProfileClassifier) else None)


def fitted(reports: Reports | Profiled, seed: int = 0, *, robust: bool = False) -> ProfileClassifier:
    """The recommended classifier, or the one that withstands liars, fitted to collected or simulated reports."""
    return recommended_classifier(ROBUST if robust else RECIPE, seed).fit(reports)


def labels_of(classifier: GraphClassifier | ProfileClassifier, reports: Reports) -> list[tuple[int, float]]:
    """The label of each graph, and how likely it is."""
    chances = checked(classifier, reports).predict_proba(reports)
    return list(zip(*_likeliest(classifier.classes_, chances), strict=True))


def _likeliest(classes: NDArray[Any], chances: NDArray[np.float64]) -> tuple[list[int], list[float]]:
    return [int(each) for each in classes[chances.argmax(axis=1)]], chances.max(axis=1).tolist()


def _measured(
    setup: Setup, context: Context, results: Path, seed: int, course: Course, graphs: Profiled | None = None
) -> tuple[Row, GraphClassifier | ProfileClassifier]:
    """Run the trial and its controls, and keep their rows; its own row, and what it fitted."""
    plan = setup.plan(1, first=seed)
    models: list[GraphClassifier | ProfileClassifier | None] = []
    rows = []
    course.watch("measuring accuracy", _READ)
    with ResultsFile(results) as table:
        table.add_plan(plan)
        cells = [entry.cell for entry in plan.entries]
        for row in compute(cells, context, keep=lambda outcome: models.append(classifier_of(outcome)), graphs=graphs):
            if row.status != "done":
                raise TrainingError(row.note.partition(": ")[2])
            table.add(row)
            rows.append(row)
            course.part(_READ, _MEASURED)("measuring accuracy", len(rows) / len(cells))
    return next((row, model) for row, model in zip(rows, models, strict=True) if model is not None)


def _present(reports: Reports) -> NDArray[np.bool_]:
    return np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing

"""Train on the labelled communities that a collector holds.

A command, the live demo and a job of the dashboard call :func:`train_collected`; what it finds stays in the collector's
store. By the recipe it reads reports in a stream, see :mod:`graphldp.experiments.service.gathering`; a network, and
tests that flag users, hold all reports of the communities they are given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import MIN_REPORTS
from graphldp.collector.storage.operating.results import Run
from graphldp.collector.storage.store import Store
from graphldp.errors import TrainingError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import REPORTED, Context, Draw
from graphldp.experiments.models import classifier_of
from graphldp.experiments.plans.plan import file_id
from graphldp.experiments.plans.setup import RECIPE, RECOMMENDED, ROBUST, Setup, allowed, split_settings
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.service.gathering import Course, gather, heard, present
from graphldp.experiments.trial import Threat
from graphldp.experiments.trials.running import recommended_classifier
from graphldp.files.whole import passing_folder
from graphldp.learn.classifier import GraphClassifier
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.selection import split
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.reports import Reports

_SHARES = (0.8, 0.1, 0.1)  # to learn from, to stop by, and to measure by
_READ, _MEASURED = 0.4, 0.7  # the shares of a training that are done by then


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
    allowance: float | None = None,
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
        allowance: how much accuracy that one may lose where nobody lies; the usual one by default.
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
    if allowance is not None and not robust:
        raise bad_parameter("allowance", "collect train", "left out without the recommended defense", allowance)
    settings = allowed(allowance, "collect train")
    found = heard(store, [each for each in communities if each.label is not None], "labelled", min_reports)
    before = store.retention.before([each.key for each in found])
    if recommended and (robust or defense is None):
        rows = course.read(store, found, course.part(0.0, _READ))
        learned = _from_rows(rows, results, seed, robust, settings, course)
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


def _from_rows(
    graphs: Profiled, results: Path, seed: int, robust: bool, asked: Mapping[str, Any], course: Course
) -> _Learned:
    """Fit the recipe to rows of graphs."""
    name = f"file:collected@{graphs.digest}"
    setup = Setup(name, _SHARES, Draw(name, REPORTED), asked, recommended=True, robust=robust)
    split(graphs.labels, _SHARES, 0)  # raises what would go wrong in every seed
    row, _ = _measured(setup, Context(), results, seed, course, graphs)
    course.watch("fitting to all communities", _MEASURED)
    classifier = fitted(graphs, seed, robust=robust, **asked)
    settings: dict[str, Any] = {"mechanism": str(graphs.origin), "classifier": "recommended"}
    if isinstance(classifier, RobustProfileClassifier):
        settings |= {"allowance": classifier.allowance, "trust": classifier.trust_}
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
    reported = int(present(kept).sum())
    return _Learned(classifier, row, kept.num_graphs, kept.num_users, reported, settings)


def fitted(reports: Reports | Profiled, seed: int = 0, *, robust: bool = False, **settings: Any) -> ProfileClassifier:
    """The recommended classifier, or the one that withstands liars, fitted to collected or simulated reports."""
    return recommended_classifier(ROBUST if robust else RECIPE, seed, settings).fit(reports)


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

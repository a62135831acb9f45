"""Learn from what a collector holds: train on labelled communities, and label the others.

A command, the live demo and a dashboard call these two functions; what they find stays in the collector's store.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.community import Community
from graphldp.collector.disclosure import MIN_REPORTS, enough
from graphldp.collector.storage.export import export
from graphldp.collector.storage.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, TrainingError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import REPORTED, Context, Draw
from graphldp.experiments.models import classifier_of
from graphldp.experiments.plans.plan import file_id
from graphldp.experiments.plans.setup import RECIPE, RECOMMENDED, ROBUST, Setup, split_settings
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.trial import Threat
from graphldp.experiments.trials import recommended_classifier
from graphldp.learn.certificates import certificates
from graphldp.learn.classifier import GraphClassifier
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.reports import Reports
from graphldp.threats.named import make_defense

_SHARES = (0.8, 0.1, 0.1)  # to learn from, to stop by, and to measure by


@dataclass(frozen=True)
class Recipient:
    """A community with the label it was given.

    Args:
        community: which one.
        prediction: its label, as the store keeps it.
    """

    community: Community
    prediction: Prediction


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
    device: str = "auto",
) -> Run:
    """Train on the communities that have a label and a report, and save the model.

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
        device: of the network.

    Returns:
        The run, as the store keeps it.
    """
    labelled = [each for each in communities if each.label is not None]
    robust = defense == RECOMMENDED
    if robust and not recommended:
        raise bad_parameter("defense", "collect train", "a test that flags users, with --network", defense)
    judge = None if robust else defense
    reports, kept = _gather(store, labelled, "labelled", judge, seed)
    row, classifier = _trial(reports, results, judge, seed, recommended, robust, max_epochs, device)
    settings: dict[str, Any] = {"defense": defense or "none", "seed": seed, "mechanism": str(kept.origin)}
    if recommended:
        classifier = fitted(kept, seed, robust=robust)
        settings["classifier"] = "recommended"
    else:
        settings["epochs"] = row.numbers["epochs"]
    classifier.save(model)
    run = Run(
        model=str(model),
        communities=kept.num_graphs,
        users=kept.num_users,
        reported=int(_present(kept).sum()),
        validation=row.numbers["accuracy"],
        settings=settings,
        held_out=sum(map(sum, row.numbers["confusion"])),
    )
    store.results.add_run(run)
    return run


def label_collected(
    store: Store,
    communities: Sequence[Community],
    model: Path,
    *,
    defense: str | None = None,
    device: str = "auto",
    min_reports: int = MIN_REPORTS,
) -> list[Recipient]:
    """Label communities, and keep their labels in the store.

    Args:
        store: the collector's.
        communities: those to label.
        model: what :func:`train_collected` wrote.
        defense: leave out the users that it flags.
        device: of a network.
        min_reports: a label from fewer says too much about each of them, and is not given.

    Returns:
        A label for each community with enough reports, in their order.
    """
    classifier = load_classifier(model, device)
    _, reports = _gather(store, communities, "unlabelled", defense, least=min_reports)
    present, owner = _present(reports), reports.graph_of_user
    found = [
        Prediction(
            community=int(reports.graph_ids[place]),
            label=label,
            confidence=confidence,
            reported=int(present[owner == place].sum()),
            model=str(model),
            certified=certified,
        )
        for place, ((label, confidence), certified) in enumerate(
            zip(labels_of(classifier, reports), certificates(classifier, reports), strict=True)
        )
    ]
    found = [each for each in found if enough(each.reported, min_reports)]  # a defense may have left too few
    store.results.set_predictions(found)
    by_key = {each.key: each for each in communities}
    return [Recipient(by_key[each.community], each) for each in found]


def fitted(reports: Reports, seed: int = 0, *, robust: bool = False) -> ProfileClassifier:
    """The recommended classifier, or the one that withstands liars, fitted to collected or simulated reports."""
    return recommended_classifier(ROBUST if robust else RECIPE, seed).fit(reports)


def labels_of(classifier: GraphClassifier | ProfileClassifier, reports: Reports) -> list[tuple[int, float]]:
    """The label of each graph, and how likely it is."""
    chances = classifier.predict_proba(reports)
    return [(int(classifier.classes_[each.argmax()]), float(each.max())) for each in chances]


def _trial(
    reports: Reports,
    results: Path,
    defense: str | None,
    seed: int,
    recommended: bool,
    robust: bool,
    max_epochs: int,
    device: str,
) -> tuple[Row, GraphClassifier | ProfileClassifier]:
    """Run the trial and its controls, and keep their rows; its own row, and what it fitted."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        file = Path(folder) / "collected.npz"
        reports.save(file)
        name, files = file_id(file)
        model, training = ({}, {}) if recommended else split_settings({"max_epochs": max_epochs})
        threat = None if defense is None else Threat.named(None, 0.0, defense)
        setup = Setup(name, _SHARES, Draw(name, REPORTED), model, training, recommended, threat=threat, robust=robust)
        context = Context(files=tuple(files.items()), device=str(resolve_device(device)))
        setup.check(context)
        plan = setup.plan(1, first=seed)
        table = stack.enter_context(ResultsFile(results))
        table.add_plan(plan)
        fitted: list[GraphClassifier | ProfileClassifier | None] = []
        rows = []
        for row in compute(
            [entry.cell for entry in plan.entries], context, keep=lambda outcome: fitted.append(classifier_of(outcome))
        ):
            if row.status != "done":
                raise TrainingError(row.note.partition(": ")[2])
            table.add(row)
            rows.append(row)
    return next((row, model) for row, model in zip(rows, fitted, strict=True) if model is not None)


def _gather(
    store: Store, communities: Sequence[Community], kind: str, defense: str | None, seed: int = 0, least: int = 1
) -> tuple[Reports, Reports]:
    """The reports of those communities that have enough, and those without the users whom the defense flags."""
    progress = store.progress()
    heard = [each for each in communities if enough(progress.get(each.key, (0, 0, 0))[1], least)]
    if not heard:
        many = "a report" if least <= 1 else f"{least} reports"
        raise ParameterError(f"There is no {kind} community with {many} among them.")
    reports = export(store, heard)
    if defense is None:
        return reports, reports
    kept, verdict = make_defense(defense).apply(reports, rng=seed)
    owner, local = reports.graph_of_user, reports.local_users
    for place, community in enumerate(heard):
        users = local[verdict.flagged & (owner == place)]
        store.results.set_flags(community.key, {int(user): defense for user in users})
    return reports, kept


def _present(reports: Reports) -> NDArray[np.bool_]:
    return np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing

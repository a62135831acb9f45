"""Learn from what a collector holds: train on labelled communities, and label the others.

A command, the live demo and a dashboard call these two functions; what they find stays in the collector's store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.community import Community
from graphldp.collector.disclosure import MIN_REPORTS, enough
from graphldp.collector.storage.export import export
from graphldp.collector.storage.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats.named import make_defense

_SHARES = (0.9, 0.1)  # to learn from, and to measure by


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
    *,
    defense: str | None = None,
    seed: int = 0,
    recommended: bool = False,
    max_epochs: int = 500,
    device: str = "auto",
) -> Run:
    """Train on the communities that have a label and a report, and save the model.

    A tenth of them is held out to measure by, and to stop a network in time. A community's graph is the one induced on
    those who reported.

    Args:
        store: the collector's.
        communities: among which to look for labelled ones.
        model: where to write what was learned, a .npz file.
        defense: leave out the users that it flags, and keep who they are.
        seed: of weights, batches and the communities held out.
        recommended: fit the recommended classifier, on the CPU, instead of a graph neural network.
        max_epochs: of the network.
        device: of the network.

    Returns:
        The run, as the store keeps it.
    """
    labelled = [each for each in communities if each.label is not None]
    reports = _gather(store, labelled, "labelled", defense, seed)
    settings: dict[str, Any] = {"defense": defense or "none", "seed": seed, "mechanism": str(reports.origin)}
    if recommended:
        validation = _fit_recommended(reports, seed, model)
        settings["classifier"] = "recommended"
    else:
        validation, settings["epochs"] = _fit_network(reports, seed, max_epochs, device, model)
    run = Run(
        model=str(model),
        communities=reports.num_graphs,
        users=reports.num_users,
        reported=int(_present(reports).sum()),
        validation=validation,
        settings=settings,
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
    from graphldp.learn.loading import load_classifier

    classifier = load_classifier(model, device)
    reports = _gather(store, communities, "unlabelled", defense, least=min_reports)
    present, owner = _present(reports), reports.graph_of_user
    found = [
        Prediction(
            community=int(reports.graph_ids[place]),
            label=int(classifier.classes_[chances.argmax()]),
            confidence=float(chances.max()),
            reported=int(present[owner == place].sum()),
            model=str(model),
        )
        for place, chances in enumerate(classifier.predict_proba(reports))
    ]
    found = [each for each in found if enough(each.reported, min_reports)]  # a defense may have left too few
    store.results.set_predictions(found)
    by_key = {each.key: each for each in communities}
    return [Recipient(by_key[each.community], each) for each in found]


def _fit_network(reports: Reports, seed: int, max_epochs: int, device: str, model: Path) -> tuple[float, int]:
    """Train and save a GIN; its accuracy on the tenth that it stopped by, and how many epochs it took."""
    from graphldp.learn.classifier import GINClassifier

    classifier = GINClassifier(seed=seed, max_epochs=max_epochs, device=device).fit(reports)
    classifier.save(model)
    best = classifier.history_[classifier.best_epoch_ - 1]
    return best.val_accuracy, classifier.n_epochs_


def _fit_recommended(reports: Reports, seed: int, model: Path) -> float:
    """Fit the recommended classifier to all and save it; the accuracy on a tenth of one that was fitted to the rest."""
    from graphldp.learn.tables.profile_classifier import ProfileClassifier

    rest, tenth = split(reports.labels, _SHARES, seed)
    validation = ProfileClassifier(seed=seed).fit(reports.subset(rest)).score(reports.subset(tenth))
    ProfileClassifier(seed=seed).fit(reports).save(model)
    return float(validation)


def _gather(
    store: Store, communities: Sequence[Community], kind: str, defense: str | None, seed: int = 0, least: int = 1
) -> Reports:
    """The reports of those communities that have enough, without the users whom the defense flags."""
    progress = store.progress()
    heard = [each for each in communities if enough(progress.get(each.key, (0, 0, 0))[1], least)]
    if not heard:
        many = "a report" if least <= 1 else f"{least} reports"
        raise ParameterError(f"There is no {kind} community with {many} among them.")
    reports = export(store, heard)
    if defense is None:
        return reports
    kept, verdict = make_defense(defense).apply(reports, rng=seed)
    owner, local = reports.graph_of_user, reports.local_users
    for place, community in enumerate(heard):
        users = local[verdict.flagged & (owner == place)]
        store.results.set_flags(community.key, {int(user): defense for user in users})
    return kept


def _present(reports: Reports) -> NDArray[np.bool_]:
    return np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing

"""Label communities by a model that was trained on others, and keep the labels in the collector's store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import MIN_REPORTS, enough
from graphldp.collector.storage.operating.results import Prediction, used_no_more
from graphldp.collector.storage.store import Store
from graphldp.experiments.service.gathering import Course, gather, heard, present
from graphldp.learn.certificates import certificates, checked
from graphldp.learn.classifier import GraphClassifier
from graphldp.learn.saving.loading import load_classifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust.agreement import Trust
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.reports import Reports

_LOADED = 0.4  # the share of a labelling that is done when its model is loaded


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
        model: what :func:`graphldp.experiments.service.collected.train_collected` wrote.
        defense: leave out the users that it flags. Nothing is promised of the others' labels then.
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
        graphs = course.read(store, found, course.part(_LOADED, 1.0))
        classifier, reported = checked(classifier, graphs), graphs.reported
        chances = classifier.predict_proba(graphs)
    else:
        _, graphs = gather(store, found, defense)
        classifier = checked(classifier, graphs)
        chances = classifier.predict_proba(graphs)
        reported = np.bincount(graphs.graph_of_user[present(graphs)], minlength=len(graphs))
    likeliest = zip(*_likeliest(classifier.classes_, chances), strict=True)
    promised = certificates(classifier, graphs)
    given = [
        Prediction(community.key, label, confidence, here, str(model), certified=certified)
        for community, (label, confidence), here, certified in zip(
            found, likeliest, reported.tolist(), promised, strict=True
        )
    ]
    given = [each for each in given if enough(each.reported, min_reports)]  # a defense may have left too few
    by_key = {each.key: each for each in communities}
    kept = [Recipient(by_key[each.community], each) for each in store.results.set_predictions(given, before)]
    return Labelled(kept, classifier.trust_ if isinstance(classifier, RobustProfileClassifier) else None)


def labels_of(classifier: GraphClassifier | ProfileClassifier, reports: Reports) -> list[tuple[int, float]]:
    """The label of each graph, and how likely it is."""
    chances = checked(classifier, reports).predict_proba(reports)
    return list(zip(*_likeliest(classifier.classes_, chances), strict=True))


def _likeliest(classes: NDArray[Any], chances: NDArray[np.float64]) -> tuple[list[int], list[float]]:
    return [int(each) for each in classes[chances.argmax(axis=1)]], chances.max(axis=1).tolist()

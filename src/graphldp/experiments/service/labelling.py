"""Label communities by a model that was trained on others, and keep the labels in the collector's store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphldp.collector.community import MIN_REPORTS, Community, enough
from graphldp.collector.storage.operating.results import Prediction, used_no_more
from graphldp.collector.storage.store import Store
from graphldp.experiments.service.gathering import Course, gather, present, with_reports
from graphldp.learn.certificates import certificates
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.reports import Reports

_LOADED = 0.4  # the share of a labelling that is done when its model is loaded


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
        model: what :func:`graphldp.experiments.service.collected.train_collected` wrote.
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

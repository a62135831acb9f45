"""How accurate a classifier is without a liar, and under the worst lie of one user in each graph.

A point of the frontier is a classifier that reads levels alone, so that all lies of one user can be tried out
(:class:`graphldp.experiments.one_liar.lies.SingleLies`). Nothing is estimated: a label that stands under all of them is
certified, and the worst case is the share of labels that are right and certified.

- *profile*: trees and a kernel machine that expect no liar, as in the recipe;
- *votes*: each user counts little (:class:`graphldp.learn.tables.robust.votes.Votes`);
- *trees*: boosted against the worst lie (:class:`graphldp.experiments.one_liar.trees.WaryTrees`), with several w;
- *both*: the mean of the votes and of the trees with the largest w, and the profile's voice up to τ.

The recommended defense reads exact degrees, so not all lies can be tried out. :func:`tried` takes those of the busiest
user, the next one and one in the middle; its worst case may be lower still, but not below what is right and certified.
It compares graphs, too. That helps where liars of all graphs lie at once, and they know it
(:mod:`graphldp.experiments.unnoticed`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.experiments.one_liar.lies import AWAY, CLAIMS, NOBODY, SHARES, SingleLies
from graphldp.experiments.one_liar.trees import Rows, WaryTrees
from graphldp.experiments.unnoticed import labelled_right, unnoticed
from graphldp.learn.certificates import certificates
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.robust.level_profile import NEARNESS
from graphldp.learn.tables.robust.levels import Floats, Levelled, levels_of
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.learn.tables.robust.votes import Votes
from graphldp.learn.tables.tabular import TableClassifier
from graphldp.reports import Reports

LEVELS = levels_of(20, 1.05)
EXPECTED = (0.25, 1.0, 4.0)
VOICES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)

_RARE = 1e-3  # the least probability whose logarithm is taken


@dataclass(frozen=True)
class FrontierPoint:
    """One classifier.

    Args:
        name: what it is.
        setting: w of the trees, or τ; 0 where there is none.
        accuracy: without a liar.
        worst: with one in each graph who is whoever she likes, and says what hurts most.
        certified: the share of labels that no lie changes; None where not all were tried.
        together: as worst, but with liars in all graphs at once, if the classifier compares graphs; None if not.
    """

    name: str
    setting: float
    accuracy: float
    worst: float
    certified: float | None
    together: float | None = None


def frontier(reports: Reports, train: NDArray[np.int64], test: NDArray[np.int64], seed: int = 0) -> list[FrontierPoint]:
    """The points that level-reading classifiers reach on test graphs, learned from training graphs.

    Args:
        reports: with a noisy degree of each user, and labels of two classes.
        train: the graphs to learn from.
        test: the graphs in which one user lies.
        seed: of the classifiers.
    """
    classes, codes = np.unique(np.asarray(reports.labels), return_inverse=True)
    if len(classes) != 2:
        raise DataError(f"The frontier is drawn for two classes. Got {len(classes)} instead.")
    graphs, sign = Levelled.of(reports, LEVELS), np.where(codes == 1, 1.0, -1.0)
    learned, asked = graphs.subset(train), graphs.subset(test)
    some, every = SingleLies.some(learned), SingleLies.all(asked)
    table, rows = some.table(learned), every.table(asked)
    right = sign[test][every.graph]

    profile = _profile(table[some.first], codes[train], rows, seed)
    votes = _on_lies(Votes.fit(learned, codes[train], 2), asked, every)
    trees = [WaryTrees.fit(table, some.first, sign[train], each, seed).score(rows) for each in EXPECTED]
    both = (trees[-1] + votes) / 2
    scores = [("profile", 0.0, profile), ("votes", 0.0, votes)]
    scores += [("trees", weight, score) for weight, score in zip(EXPECTED, trees, strict=True)]
    scores += [("both", voice, both + np.clip(profile, -voice, voice)) for voice in VOICES]
    return [_point(name, setting, score, right, every) for name, setting, score in scores]


def tried(classifier: TableClassifier, reports: Reports) -> FrontierPoint:
    """The worst of some lies for a classifier that reads reports as they are, and what it certifies by itself."""
    truth, compares = np.searchsorted(classifier.classes_, np.asarray(reports.labels)), _compares(classifier)
    if compares is None:
        labels = [np.searchsorted(classifier.classes_, classifier.predict(each)) for each in _forged(reports)]
    else:
        told = [compares.statements(each) for each in _forged(reports)]
        labels = [each.heard.argmax(axis=1) for each in told]
    known = [each > 0 for each in certificates(classifier, reports) if each is not None]
    return FrontierPoint(
        *("defense", 0.0),
        accuracy=float((labels[0] == truth).mean()),
        worst=float(np.all([each == truth for each in labels], axis=0).mean()),
        certified=float(np.mean(known)) if known else None,
        together=None
        if compares is None
        else labelled_right(compares, told, truth, unnoticed(compares, told, truth)) / len(truth),
    )


def _compares(classifier: TableClassifier) -> RobustProfileClassifier | None:
    """The classifier, if it compares graphs, and hears the profile of a graph that is compared with none."""
    if isinstance(classifier, RobustProfileClassifier) and classifier.trust_ == "profile":
        return classifier
    return None


def _forged(reports: Reports) -> Iterator[Reports]:
    """The reports as they are, and with each lie: of the busiest user, the next one, or one in the middle."""
    yield reports
    degree, graph, n = np.asarray(reports.noisy_degree), reports.graph_of_user, reports.sizes
    order, first = np.lexsort((-degree, graph)), reports.graph_ptr[:-1]
    liars = [order[first + np.minimum(place, n - 1)] for place in (0, 1, n // 2)]
    claims = [np.full(len(n), each) for each in CLAIMS] + [np.round(each * (n - 1)) for each in SHARES]
    claims += [degree[liars[0]], degree[liars[1]]]
    for liar, claim in product(liars, claims):
        told = degree.copy()
        told[liar] = claim
        yield replace(reports, noisy_degree=told)


def _point(name: str, setting: float, score: Floats, right: Floats, lies: SingleLies) -> FrontierPoint:
    lowest, highest = np.minimum.reduceat(score, lies.first), np.maximum.reduceat(score, lies.first)
    correct = score * right > 0
    return FrontierPoint(
        name,
        setting,
        accuracy=float(correct[lies.first].mean()),
        worst=float(np.logical_and.reduceat(correct, lies.first).mean()),
        certified=float(((lowest > 0) | (highest < 0)).mean()),
    )


def _profile(table: Rows, codes: NDArray[np.int64], rows: Rows, seed: int) -> Floats:
    """The log odds by models that expect no liar."""
    pair = Pair(seed, NEARNESS).fit(table.astype(np.float64), codes)
    chance = np.clip(pair.predict_proba(rows.astype(np.float64))[:, 1], _RARE, 1 - _RARE)
    return np.asarray(np.log(chance / (1 - chance)))


def _on_lies(votes: Votes, graphs: Levelled, lies: SingleLies) -> Floats:
    """The lead of the second class with each lie: the liar's vote is taken away, and the one that she claims added."""
    lead = np.diff(votes.scores(graphs), axis=1)[:, 0]
    each = np.concatenate([np.diff(votes.of_levels(part), axis=2)[..., 0] for part in graphs.chunks()])
    own, told = each[lies.graph, lies.source], each[lies.graph, lies.target]
    total, others = (graphs.present * each).sum(axis=1)[lies.graph], np.maximum(graphs.reported - 1, 1)[lies.graph]
    away = (total - own) * (others + 1) / others - total  # she counts as the mean of the others
    moved = np.where(lies.target == AWAY, away, told - own)
    return np.asarray(lead[lies.graph] + np.where(lies.source == NOBODY, 0.0, moved))

"""The paper's grid search: hyper-parameters chosen on validation graphs.

:func:`select` is given training and validation graphs only, so it cannot read the test fold; whoever calls it reads
that once, with the classifier that comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from graphldp.learn.classifier import GINClassifier, GraphClassifier
from graphldp.learn.fitting import Fit, OnEpoch, Validation, fit_many
from graphldp.learn.grid import Grid, preference
from graphldp.neighbour_lists import NeighbourLists


@dataclass(frozen=True)
class Searched:
    """One combination and how it did on the validation graphs, at its best epoch."""

    params: dict[str, Any]
    val_accuracy: float
    val_loss: float
    best_epoch: int
    epochs: int


@dataclass(frozen=True)
class Selection:
    """The fitted classifier that did best on validation graphs, and every point of the search."""

    classifier: GraphClassifier
    best: Searched
    points: list[Searched]


def select(
    X: NeighbourLists,
    y: ArrayLike | None = None,
    *,
    validation: Validation,
    grid: Grid,
    base: GraphClassifier | None = None,
    on_epoch: OnEpoch | None = None,
) -> Selection:
    """Fit every point of a grid and keep the best by validation accuracy, then validation loss.

    Args:
        X: training graphs.
        y: their labels; from X by default.
        validation: graphs to stop and to choose by, with labels or as a pair (X, y).
        grid: the points.
        base: a classifier whose other parameters all points share.
        on_epoch: called with the point's position and each epoch's record.

    Example::

        found = select(reports[train], validation=reports[val], grid=paper_grid("REDDIT-BINARY"))
        found.best.params, found.classifier.score(reports[test])
    """
    base = GINClassifier() if base is None else base
    points = [dict(params) for params in grid]
    models = [clone(base).set_params(**params) for params in points]
    fitted = fit_many([Fit(model, X, y, validation) for model in models], on_epoch=on_epoch)
    table = []
    for params, each in zip(points, fitted, strict=True):
        history, best = each.trained.history, each.trained.best_epoch
        record = history[best - 1]
        table.append(Searched(params, record.val_accuracy, record.val_loss, best, len(history)))
    winner = min(range(len(table)), key=lambda i: preference(table[i].val_accuracy, table[i].val_loss))
    return Selection(models[winner].adopt(fitted[winner]), table[winner], table)

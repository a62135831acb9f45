"""The paper's grid search: hyper-parameters chosen on validation graphs.

:func:`select` is given training and validation graphs only, so it cannot read the test fold; whoever calls it reads
that once, with the classifier that comes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from graphldp.errors import bad_parameter
from graphldp.learn.classifier import GINClassifier
from graphldp.learn.fitting import Fit, OnEpoch, Validation, fit_many
from graphldp.neighbour_lists import NeighbourLists


@dataclass(frozen=True)
class Grid:
    """All combinations of some values of four hyper-parameters; the defaults are the paper's for Reddit's threads."""

    layers: tuple[int, ...] = (2, 3, 4, 5)
    hidden: tuple[int, ...] = (16, 32, 64, 128)
    lr: tuple[float, ...] = (1e-4, 1e-3, 1e-2)
    dropout: tuple[float, ...] = (0.0, 0.5)

    def __post_init__(self) -> None:
        for name, values in vars(self).items():
            if not values:
                raise bad_parameter(name, "Grid", "at least one value", values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in product(*vars(self).values()):
            yield dict(zip(vars(self), values, strict=True))

    def __len__(self) -> int:
        return len(self.layers) * len(self.hidden) * len(self.lr) * len(self.dropout)


def paper_grid(dataset: str) -> Grid:
    """The grid of Section 5.1 for a dataset.

    For Github StarGazers the paper tries 1 to 4 layers, for the others 2 to 5. One layer is the input layer alone,
    which says the same of every graph when its feature is a constant and the readout a mean, so 2 to 4 are left.
    """
    return Grid(layers=(2, 3, 4)) if dataset == "github_stargazers" else Grid()


@dataclass(frozen=True)
class Point:
    """One combination and how it did on the validation graphs, at its best epoch."""

    params: dict[str, Any]
    val_accuracy: float
    val_loss: float
    best_epoch: int
    epochs: int


@dataclass(frozen=True)
class Selection:
    """The fitted classifier that did best on validation graphs, and every point of the search."""

    classifier: GINClassifier
    best: Point
    points: list[Point]


def select(
    X: NeighbourLists,
    y: ArrayLike | None = None,
    *,
    validation: Validation,
    grid: Grid,
    base: GINClassifier | None = None,
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
        table.append(Point(params, record.val_accuracy, record.val_loss, best, len(history)))
    winner = min(range(len(table)), key=lambda i: (-table[i].val_accuracy, table[i].val_loss))
    return Selection(models[winner].adopt(fitted[winner]), table[winner], table)

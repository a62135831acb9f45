"""What the estimators take: a set of graphs, and labels from it or beside it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.labels import check_labelled
from graphldp.learn.engine.features.columns import column_rows
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

_DEGREES = 64  # positions of the one-hot degree


class MaybeLabelled(Protocol):
    """Graphs, some of which may have a label."""

    @property
    def labels(self) -> NDArray[np.int64] | None:
        """One label per graph, or None."""

    @property
    def shape(self) -> tuple[int]:
        """(number of graphs,)."""

    def __len__(self) -> int: ...


def graphs_of(X: object, owner: str) -> NeighbourLists:
    """The graphs to learn from; users who have not reported leave their graph."""
    graphs = checked_graphs(X, owner)
    return graphs.induced() if isinstance(graphs, Reports) else graphs


def checked_graphs(X: object, owner: str) -> NeighbourLists:
    """The graphs as they are given; everything else is refused."""
    if not isinstance(X, NeighbourLists):
        raise bad_parameter("X", owner, "Reports or a GraphSet", type(X).__name__)
    return X


def given_labels(X: MaybeLabelled, y: ArrayLike | None) -> NDArray[Any]:
    """One label per graph, from y or else from the graphs."""
    if y is None:
        if X.labels is None:
            raise DataError("These graphs have no labels: pass y, or a set that has some.")
        y = X.labels
    labels = np.asarray(y)
    check_labelled(labels)
    if labels.shape != X.shape:
        raise DataError(f"y must hold {len(X)} labels, one per graph. Got shape {labels.shape} instead.")
    return labels


def labels_of(X: MaybeLabelled, y: ArrayLike | None, owner: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The sorted classes and each graph's class as 0 … C−1, for learning: at least two classes."""
    classes, codes = np.unique(given_labels(X, y), return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"{owner} needs graphs of at least two classes to learn from. Got {len(classes)} instead.")
    return classes, codes


def num_features(X: NeighbourLists, features: str) -> int:
    """What a model must know about its input in advance: how many columns, or how many lengths of lists.

    With the feature ``"degree"`` a model distinguishes so many lengths; the last one stands for all longer lists.
    """
    if features == "columns":
        return int(column_rows(X).shape[1])
    return min(int(X.degrees.max(initial=0)) + 1, _DEGREES) if features == "degree" else 1


def check_lists(X: NeighbourLists, features: str) -> None:
    """Refuse graphs in which all users look alike to a network with these features."""
    # batch norm has no spread to divide by then, and its running mean lags behind the weights
    if not X.num_entries and features in ("constant", "degree"):
        raise DataError(
            "No list names anybody, so all users look alike to this network, whatever its head sees: "
            "choose features='noisy-degree', 'size', 'profile' or 'columns', the recommended classifier, or send lists."
        )


def filtered(X: object) -> bool:
    """Whether a filter judged the graphs' reports: one user may then have changed whom it left out."""
    return isinstance(X, Reports) and X.filtered

"""The inputs of estimators: a set of graphs, labels from it or beside it, and where it comes from."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp import __version__
from graphldp.errors import DataError, Described, bad_parameter
from graphldp.learn.engine.features.columns import column_rows
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.labels import check_labelled
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


class SomeGraphs(MaybeLabelled, Protocol):
    """Graphs of which some can be taken."""

    def subset(self, graphs: NDArray[np.int64]) -> Self:
        """Some of the graphs."""


Subsettable = TypeVar("Subsettable", bound=SomeGraphs)


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


def among_trusted(
    X: Subsettable, y: ArrayLike | None, trusted: ArrayLike | None, owner: str
) -> tuple[Subsettable, ArrayLike | None]:
    """The graphs to learn from, and their labels: those at the ``trusted`` positions, or all of them."""
    if trusted is None:
        return X, y
    at = positions(trusted, len(X), "trusted", owner)
    if y is not None:
        y = np.asarray(y)
        if y.shape != X.shape:
            raise DataError(f"y must hold {len(X)} labels, one per graph. Got shape {y.shape} instead.")
        y = y[at]
    some = X.subset(at)
    if (classes := len(np.unique(given_labels(some, y)))) < 2:
        raise bad_parameter("trusted", owner, "graphs of at least two classes", Described(f"graphs of {classes}"))
    return some, y


def positions(given: ArrayLike, count: int, name: str, owner: str) -> NDArray[np.int64]:
    """Graphs or users as positions, from positions or a mask: the parameter ``name`` of ``owner``."""
    found = np.asarray(given)
    if found.dtype == np.bool_ and found.shape == (count,):
        found = np.flatnonzero(found)
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(np.unique(found)) == len(found) > 0
    if not (whole and found.min() >= 0 and found.max() < count):
        must_be = f"one or more different positions below {count}, or a mask of that length"
        raise bad_parameter(name, owner, must_be, given)
    return found.astype(np.int64)


def check_liars(liars: object, sizes: NDArray[np.int64], owner: str) -> int:
    """The number of liars to withstand in each graph, checked against the number of users of the largest one."""
    most = max(int(sizes.max(initial=0)), 1)
    if isinstance(liars, bool) or not isinstance(liars, int | np.integer) or not 0 <= liars <= most:
        raise bad_parameter("liars", owner, f"a whole number from 0 to {most}, the users of the largest graph", liars)
    return int(liars)


def num_features(X: NeighbourLists, features: str) -> int:
    """The number of features that a model must know in advance: of columns, or of lengths of lists.

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
    """Whether users may have been left out of the graphs' reports: one liar may then have changed who."""
    return isinstance(X, Reports) and X.filtered


def provenance_of(X: NeighbourLists, seed: int) -> dict[str, Any]:
    """The provenance of a model, in words and numbers that JSON can hold."""
    found: dict[str, Any] = {
        "dataset": X.name,
        "graphs": X.num_graphs,
        "mechanism": "none: raw graphs",
        "epsilon": None,
        "public_users": X.num_users,
        "guarantee": "None: trained on raw graphs.",
        "seed": int(seed),
        "graphldp": __version__,
    }
    if isinstance(X, Reports):
        private = X.guarantee.epsilon[np.isfinite(X.guarantee.epsilon)]
        found["mechanism"] = str(X.origin)
        # ε₁ + ε₂ is rounded down on purpose; 12 digits show the ε that was asked for
        found["epsilon"] = round(float(private.max()), 12) if len(private) else None
        found["public_users"] = X.guarantee.public_users
        found["guarantee"] = str(X.guarantee)
    return found

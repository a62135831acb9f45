"""Graph classification from a table, one row per graph: scikit-learn's ordinary classifiers behind our interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError
from graphldp.learn.inputs import given_labels, graphs_of, labels_of
from graphldp.learn.metrics import accuracy
from graphldp.learn.tables.profiled import Profiled
from graphldp.neighbour_lists import NeighbourLists

Floats = NDArray[np.float64]
Graphs = NeighbourLists | Profiled
"""What a classifier of tables takes: graphs, or the rows that were made of them before."""


class Model(Protocol):
    """What is fitted to the table."""

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn."""
        ...

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        ...


def chances_of(model: Model, table: Floats, classes: int) -> Floats:
    """The probability of each class by a fitted model, [rows, classes]; scikit-learn's refuse a table without rows."""
    return model.predict_proba(table) if len(table) else np.zeros((0, classes))


class TableClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of graphs that sees a few numbers of each.

    Args:
        seed: of what is drawn in the fit; the same seed gives the same classifier.
    """

    table: ClassVar[str]
    """What its table is called in :class:`graphldp.learn.tables.profiled.Profiled`."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @staticmethod
    @abstractmethod
    def features(X: NeighbourLists) -> Floats:
        """The numbers, [graphs, columns]."""

    @abstractmethod
    def _model(self) -> Model:
        """The unfitted model."""

    def fit(self, X: Graphs, y: ArrayLike | None = None) -> Self:
        """Learn from graphs; labels come from y, else from the graphs."""
        table = self._rows(X)
        self.classes_, codes = labels_of(X, y, type(self).__name__)
        return self._learn(table, codes)

    def _rows(self, X: Graphs) -> Floats:
        """The numbers of graphs, read now or before."""
        return X.tables[self.table] if isinstance(X, Profiled) else self.features(graphs_of(X, type(self).__name__))

    def _learn(self, table: Floats, codes: NDArray[np.int64]) -> Self:
        self.filled_ = ~np.isnan(table).all(axis=0)  # boosting refuses a column without a number
        self.model_ = self._model().fit(table[:, self.filled_], codes)
        return self

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]."""
        check_is_fitted(self)
        return chances_of(self.model_, self._table(X), len(self.classes_))

    def _table(self, X: Graphs) -> Floats:
        """The numbers that the model was fitted to, of other graphs."""
        table = self._rows(X)
        if table.shape[1] != np.size(self.filled_):
            raise DataError("These graphs have other columns than those that the classifier learned from.")
        return np.asarray(table[:, self.filled_])

    def predict(self, X: Graphs) -> NDArray[Any]:
        """The likeliest class of each graph."""
        codes = self.predict_proba(X).argmax(axis=1)
        likeliest: NDArray[Any] = self.classes_[codes]
        return likeliest

    def score(self, X: Graphs, y: ArrayLike | None = None) -> float:
        """Accuracy; the true labels come from y, else from the graphs."""
        return accuracy(given_labels(X, y), self.predict(X))

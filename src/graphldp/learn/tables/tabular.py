"""Graph classification from a table, one row per graph: scikit-learn's ordinary classifiers behind our interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError
from graphldp.learn.inputs import given_labels, graphs_of, labels_of
from graphldp.learn.metrics import accuracy
from graphldp.neighbour_lists import NeighbourLists

Floats = NDArray[np.float64]


class Model(Protocol):
    """What is fitted to the table."""

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Learn."""
        ...

    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class, [rows, classes]."""
        ...


class TableClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of graphs that sees a few numbers of each.

    Args:
        seed: of what is drawn in the fit; the same seed gives the same classifier.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @staticmethod
    @abstractmethod
    def features(X: NeighbourLists) -> Floats:
        """The numbers, [graphs, columns]."""

    @abstractmethod
    def _model(self) -> Model:
        """The unfitted model."""

    def fit(self, X: NeighbourLists, y: ArrayLike | None = None) -> Self:
        """Learn from graphs; labels come from y, else from the graphs."""
        graphs = graphs_of(X, type(self).__name__)
        self.classes_, codes = labels_of(graphs, y, type(self).__name__)
        return self._learn(self.features(graphs), codes)

    def _learn(self, table: Floats, codes: NDArray[np.int64]) -> Self:
        self.filled_ = ~np.isnan(table).all(axis=0)  # boosting refuses a column without a number
        self.model_ = self._model().fit(table[:, self.filled_], codes)
        return self

    def predict_proba(self, X: NeighbourLists) -> Floats:
        """The probability of each class, [graphs, classes]."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._table(X))

    def _table(self, X: NeighbourLists) -> Floats:
        """The numbers that the model was fitted to, of other graphs."""
        table = self.features(graphs_of(X, type(self).__name__))
        if table.shape[1] != np.size(self.filled_):
            raise DataError("These graphs must have the same columns as those that it learned from. They have others.")
        return np.asarray(table[:, self.filled_])

    def predict(self, X: NeighbourLists) -> NDArray[Any]:
        """The likeliest class of each graph."""
        codes = self.predict_proba(X).argmax(axis=1)
        likeliest: NDArray[Any] = self.classes_[codes]
        return likeliest

    def score(self, X: NeighbourLists, y: ArrayLike | None = None) -> float:
        """Accuracy; the true labels come from y, else from the graphs."""
        return accuracy(given_labels(graphs_of(X, type(self).__name__), y), self.predict(X))

"""What can be told without a graph neural network: from n alone, and from degrees alone.

n is public in the paper's model and d* costs no more than the list it comes with. On REDDIT-BINARY the two alone go a
long way (n about 0.77, degrees up to 0.90), so whatever spends ε on edges has to earn it against these controls. Both
feed scikit-learn's gradient boosting and keep the interface of :class:`graphldp.GINClassifier`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.validation import check_is_fitted

from graphldp.csr import NeighbourLists
from graphldp.learn.inputs import given_labels, graphs_of, labels_of
from graphldp.learn.metrics import accuracy
from graphldp.learn.summaries import degree_table


class _Control(ClassifierMixin, BaseEstimator):
    """Gradient boosting on a few numbers per graph.

    Args:
        seed: of the boosting; the same seed gives the same classifier.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @staticmethod
    @abstractmethod
    def features(X: NeighbourLists) -> NDArray[np.float64]:
        """The numbers, [graphs, columns]."""

    def fit(self, X: NeighbourLists, y: ArrayLike | None = None) -> Self:
        """Learn from graphs; labels come from y, else from the graphs."""
        graphs = graphs_of(X, type(self).__name__)
        self.classes_, codes = labels_of(graphs, y, type(self).__name__)
        # a leaf as small as 5 graphs: the default of 20 starves sets of a few hundred graphs
        model = HistGradientBoostingClassifier(
            random_state=self.seed, learning_rate=0.05, max_iter=150, max_leaf_nodes=15, min_samples_leaf=5
        )
        self.model_ = model.fit(self.features(graphs), codes)
        return self

    def predict_proba(self, X: NeighbourLists) -> NDArray[np.float64]:
        """The probability of each class, [graphs, classes]."""
        check_is_fitted(self)
        return self.model_.predict_proba(self.features(graphs_of(X, type(self).__name__)))

    def predict(self, X: NeighbourLists) -> NDArray[Any]:
        """The likeliest class of each graph."""
        codes = self.predict_proba(X).argmax(axis=1)
        likeliest: NDArray[Any] = self.classes_[codes]
        return likeliest

    def score(self, X: NeighbourLists, y: ArrayLike | None = None) -> float:
        """Accuracy; the true labels come from y, else from the graphs."""
        return accuracy(given_labels(graphs_of(X, type(self).__name__), y), self.predict(X))


class SizeControl(_Control):
    """Tell the classes apart by log n alone, which everybody sees."""

    @staticmethod
    def features(X: NeighbourLists) -> NDArray[np.float64]:
        """Log(1 + n), [graphs, 1]."""
        return np.log1p(X.sizes)[:, None]


class DegreeControl(_Control):
    """Tell the classes apart by n and degrees: log n, a histogram of d*, and the twelve largest d*, plain and over n.

    d* is the reported noisy degree where there is one, else the length of the reported list.
    """

    @staticmethod
    def features(X: NeighbourLists) -> NDArray[np.float64]:
        """Log(1 + n), the share of users in each bin of d*, the largest d* and d*/n (NaN beyond the last user)."""
        return degree_table(X)

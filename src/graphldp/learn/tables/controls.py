"""Controls without a graph neural network: classifiers on n alone, on degrees alone, and on bounded parts of lists.

n is public in the paper's model and d* costs no more than the list it comes with. On REDDIT-BINARY the two alone go a
long way (n about 0.77, degrees up to 0.90), so whatever spends ε on edges has to earn it against these controls. Both
feed an ordinary classifier and keep the interface of :class:`graphldp.GINClassifier`.

In the third control no single list has more than a bounded influence on the score:

    score = s(n) + (1/n) Σ_i φ(length of i's list),   |φ| ≤ B

s is learned from n alone by gradient boosting, then φ, a step function, by logistic regression within its bounds. One
list moves a class's score by at most 2B/n, and a fraction β of all lists by 2Bβ, whatever they hold: nobody has to be
detected. The price: where one list of each graph carries the signal, its influence is bounded too.
"""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from graphldp.errors import bad_parameter
from graphldp.learn.engine.features.summaries import degree_table
from graphldp.learn.inputs import among_trusted, graphs_of, labels_of
from graphldp.learn.tables.tabular import Floats, Graphs, Model, TableClassifier
from graphldp.neighbour_lists import NeighbourLists

Kind = Literal["boosting", "forest"]

_LENGTHS = np.array([0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 255.5])
_SHARES = np.arange(1, 16) / 16


class _Control(TableClassifier):
    """An ordinary classifier on a few numbers per graph.

    Args:
        seed: of the classifier; the same seed gives the same one.
        kind: ``"boosting"``, gradient boosting, or ``"forest"``, extremely randomized trees.
    """

    def __init__(self, seed: int = 0, kind: Kind = "boosting") -> None:
        super().__init__(seed)
        self.kind = kind

    def _model(self) -> Model:
        if self.kind not in get_args(Kind):
            raise bad_parameter("kind", type(self).__name__, f"one of {', '.join(get_args(Kind))}", self.kind)
        if self.kind == "forest":
            return ExtraTreesClassifier(n_estimators=300, random_state=self.seed, min_samples_leaf=2)
        # a leaf as small as 5 graphs: the default of 20 starves sets of a few hundred graphs
        return HistGradientBoostingClassifier(
            random_state=self.seed, learning_rate=0.05, max_iter=150, max_leaf_nodes=15, min_samples_leaf=5
        )


class SizeControl(_Control):
    """Tell the classes apart by log n alone, which everybody sees."""

    table = "size"

    @staticmethod
    def features(X: NeighbourLists) -> Floats:
        """Log(1 + n), [graphs, 1]."""
        return np.log1p(X.sizes)[:, None]


class DegreeControl(_Control):
    """Tell the classes apart by n and degrees: log n, a histogram of d*, and the twelve largest d*, plain and over n.

    d* is the reported noisy degree where there is one, else the length of the reported list.
    """

    table = "degrees"

    @staticmethod
    def features(X: NeighbourLists) -> Floats:
        """The table of :func:`graphldp.learn.engine.features.summaries.degree_table`."""
        return degree_table(X)


class BoundedControl(SizeControl):
    """Tell the classes apart by n, and by lists of which none has much influence.

    Args:
        bound: B, the largest |φ|; 0 leaves n alone.
        seed: of the boosting.
    """

    def __init__(self, bound: float = 0.5, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.bound = bound

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, trusted: ArrayLike | None = None) -> Self:
        """Learn s from the sizes, then φ from the lists; of the trusted graphs alone, where some are named."""
        if not self.bound >= 0.0:
            raise bad_parameter("bound", "BoundedControl", "a number ≥ 0", self.bound)
        X, y = among_trusted(X, y, trusted, "BoundedControl")
        super().fit(X, y)
        graphs = graphs_of(X, "BoundedControl")
        codes = labels_of(graphs, y, "BoundedControl")[1]
        base, parts = self._base(graphs), _parts(graphs)
        truth = np.eye(base.shape[1])[codes]

        def loss(flat: Floats) -> tuple[float, Floats]:
            scores = base + parts @ flat.reshape(parts.shape[1], -1)
            slope = parts.T @ (softmax(scores, axis=1) - truth) / len(codes)
            return float(-(truth * log_softmax(scores, axis=1)).sum() / len(codes)), slope.ravel()

        width = parts.shape[1] * base.shape[1]
        half = self.bound / 2  # every list is in two histograms
        found = minimize(loss, np.zeros(width), jac=True, method="L-BFGS-B", bounds=[(-half, half)] * width)
        self.steps_: NDArray[Any] = found.x.reshape(parts.shape[1], -1)
        return self

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]."""
        graphs = graphs_of(X, "BoundedControl")
        return np.asarray(softmax(self._base(graphs) + _parts(graphs) @ self.steps_, axis=1))

    def _base(self, graphs: NeighbourLists) -> Floats:
        return np.asarray(np.log(np.clip(super().predict_proba(graphs), 1e-6, 1.0)))


def _parts(X: NeighbourLists) -> Floats:
    """The share of users with lists of each length, and of each share of the graph: [graphs, columns]."""
    length, others = X.degrees, np.maximum(np.repeat(X.sizes, X.sizes) - 1, 1)
    shares = []
    for place, count in (
        (np.searchsorted(_LENGTHS, length), len(_LENGTHS) + 1),
        (np.searchsorted(_SHARES, length / others, side="right"), len(_SHARES) + 1),
    ):
        cells = np.bincount(X.graph_of_user * count + place, minlength=X.num_graphs * count)
        shares.append(cells.reshape(X.num_graphs, count) / np.maximum(X.sizes, 1)[:, None])
    return np.hstack(shares)

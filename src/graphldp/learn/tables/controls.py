"""Controls without a graph neural network: classifiers on n alone, and on degrees alone.

n is public in the paper's model and d* costs no more than the list it comes with. On REDDIT-BINARY the two alone go a
long way (n about 0.77, degrees up to 0.90), so whatever spends ε on edges has to earn it against these controls. Both
feed an ordinary classifier and keep the interface of :class:`graphldp.GINClassifier`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from graphldp.errors import bad_parameter
from graphldp.learn.engine.features.summaries import degree_table
from graphldp.learn.tables.tabular import Floats, Model, TableClassifier
from graphldp.neighbour_lists import NeighbourLists

Kind = Literal["boosting", "forest"]


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

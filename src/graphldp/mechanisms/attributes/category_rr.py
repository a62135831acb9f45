"""CategoryRR: a private category, at times replaced by another one.

Randomized response among k categories (Warner 1965, Kairouz et al. 2016):

    Pr(told = own) = e^ε/(e^ε + k − 1),   Pr(told = l) = 1/(e^ε + k − 1) for every other category l

How often each category was told gives an unbiased estimate of how often it occurs (:func:`indicators`). The proof is
in ``docs/mechanisms/category-rr.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, check_whole
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import DrawnLists, Mechanism, no_lists
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, first_words, to_uniform
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.privacy import Budget
from graphldp.reports import NoisyColumns, Reports

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CategoryRR(Mechanism):
    """Randomized response on users' private labels. No list is sent.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a user whose label is public and exact.
        categories: k. Public: it must not be read off the data. Labels are 0 to k − 1, and everybody has one.

    Example::

        graphs = graphs.with_node_labels(jobs, public=False)
        reports = gl.CategoryRR(epsilon=1.0, categories=7).randomize(graphs, rng=7)
        reports.columns.labels  # what each user told
    """

    categories: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "categories", check_whole(self.categories, "categories", "CategoryRR", least=2))

    def budget(self, n_max: int | None = None) -> Budget:
        """All of ε on the label."""
        return Budget(0.0, 0.0, labels=self.epsilon)

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw the category that every user tells."""
        told = self.tell(graphs.attributes, UserRows.of(graphs), np.asarray(budget.labels), key)
        return DrawnLists(*no_lists(graphs), columns=NoisyColumns(labels=told, categories=self.categories))

    def tell(self, about: Attributes | None, rows: UserRows, epsilon: Floats, key: Key) -> NDArray[np.int64]:
        """The category that each of some users tells; their lists are not looked at."""
        true = self._checked(about)
        graph, user = (each.astype(np.uint64) for each in (rows.graph, rows.user))
        drawn = to_uniform(first_words(key, Stream.CATEGORY, graph, user, 2))
        own, _ = chances(np.exp(-epsilon), self.categories)
        other = np.floor(drawn[:, 1] * (self.categories - 1)).astype(np.int64)
        return np.where(drawn[:, 0] < own, true, other + (other >= true))

    def _checked(self, about: Attributes | None) -> NDArray[np.int64]:
        if about is None or about.node_labels is None:
            raise DataError("CategoryRR needs labels of users: graphs.with_node_labels(labels).")
        if about.public_labels:
            raise DataError("CategoryRR is for private labels, and these are public.")
        if ((about.node_labels < 0) | (about.node_labels >= self.categories)).any():
            raise DataError(
                f"Every user must have a label from 0 to {self.categories - 1}. Some have none, or another one."
            )
        return about.node_labels


def chances(odds: Any, categories: int) -> tuple[Any, Any]:
    """Pr(own category told) and Pr(a given other one told), by e^(−ε): plain arithmetic, on floats and on rationals."""
    return 1 / (1 + (categories - 1) * odds), odds / (1 + (categories - 1) * odds)


def indicators(reports: Reports) -> Floats:
    """An unbiased estimate of whether each user is of each category, [users, categories]: (told − q)/(p − q)."""
    told = reports.columns
    if told.labels is None:
        raise DataError("These reports tell no category: draw them by CategoryRR.")
    own, other = chances(np.exp(-np.asarray(reports.budget.labels)), told.categories)
    each = told.labels[:, None] == np.arange(told.categories)
    return np.asarray((each - other[:, None]) / (own - other)[:, None])

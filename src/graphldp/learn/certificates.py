"""Certificates: how many liars each label of a classifier withstands."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.inputs import filtered
from graphldp.learn.tables.tabular import Graphs

FILTERED = "Nothing is promised where users are left out of the reports: one liar may change who is."
"""What to say where a classifier that certifies labels what a filter or :meth:`graphldp.Reports.induced` left."""


@runtime_checkable
class Certifying(Protocol):
    """A classifier that says how many liars each of its labels withstands."""

    def withstands(self, X: Graphs, *, liars: int = 1) -> NDArray[np.bool_]:
        """Whether each label stands, whatever up to so many users of its graph send."""
        ...

    def withstood(self, X: Graphs) -> NDArray[np.int64]:
        """The largest such number of users for each graph."""
        ...


def certificates(classifier: object, X: Graphs) -> list[int | None]:
    """How many users cannot change the label of each graph; None throughout where nothing can be promised."""
    if filtered(X) or not isinstance(classifier, Certifying):
        return [None] * len(X)
    return list(classifier.withstood(X).tolist())

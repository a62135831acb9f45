"""What a classifier promises about a label: how many users cannot change it, whatever they send."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.tables.tabular import Graphs


@runtime_checkable
class Certifying(Protocol):
    """A classifier that says how many liars each of its labels withstands."""

    def certify(self, X: Graphs) -> NDArray[np.int64]:
        """The largest k of each graph such that its label stands whatever up to k of its users send."""
        ...


def certificates(classifier: object, X: Graphs) -> list[int | None]:
    """How many users cannot change the label of each graph; None throughout where the classifier promises nothing."""
    return classifier.certify(X).tolist() if isinstance(classifier, Certifying) else [None] * len(X)

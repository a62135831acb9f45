"""What a classifier does against liars when it labels graphs: compare them, and say what each label withstands."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphldp.learn.inputs import filtered
from graphldp.learn.tables.robust.agreement import Trust
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.learn.tables.tabular import Graphs

Classifier = TypeVar("Classifier")

UNHEARD: dict[Trust | None, str] = {
    "many": "Claims do not fit together, or contradict: somebody lied, or these graphs are of another kind. "
    "Where that is so, the busiest users are not heard, and nothing is promised.",
    "size": "Claims do not fit together, or contradict: many lied, or these graphs are of another kind. "
    "Labels go by the number of users alone.",
}
"""What to say where a classifier does not hear all that it learned."""


FILTERED = "Nothing is promised: a filter judged these reports, and one liar may change whom it leaves out."
"""What to say where a classifier that certifies labels what a filter left."""


@runtime_checkable
class Certifying(Protocol):
    """A classifier that says how many liars each of its labels withstands."""

    def certify(self, X: Graphs) -> NDArray[np.int64]:
        """The largest k of each graph such that its label stands whatever up to k of its users send."""
        ...


def certificates(classifier: object, X: Graphs) -> list[int | None]:
    """How many users cannot change the label of each graph; None throughout where nothing can be promised."""
    if filtered(X) or not isinstance(classifier, Certifying):
        return [None] * len(X)
    return list(classifier.certify(X).tolist())


def checked(classifier: Classifier, X: Graphs) -> Classifier:
    """The classifier for graphs that are to be labelled; see :meth:`RobustProfileClassifier.checked`."""
    return classifier.checked(X) if isinstance(classifier, RobustProfileClassifier) else classifier

"""What we recommend for a given ε: a mechanism, a classifier, and why.

One rule for every dataset: the first ε of 1 goes to the degree, whatever exceeds it goes to the list.

    ε₁ = min(ε, 1),   ε₂ = ε − ε₁

At ε₁ = 1 the noise on a degree is about as large as one friend, the step between two degrees, and sums over a graph's
users are sharp: more buys nothing. Below, each halving of ε₁ doubles the noise of every number the classifier reads,
while ε₂ ≤ 1/2 tells so little of a single edge (odds of e^½) that a hub's list is mostly strangers.

The noise is the discrete Laplace law, which is what devices draw. A degree is a whole number, and among all that ε
allows for one, no law serves an estimate better, whatever is known beforehand and whatever loss grows with the error
(Ghosh, Roughgarden & Sundararajan, STOC 2009). At ε₁ = 1 its variance is 1.84 where the continuous law's is 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from graphldp.learn.profile_classifier import ProfileClassifier
from graphldp.mechanisms import DPRR, NoisyDegrees, RowMechanism
from graphldp.privacy import Budget, check_epsilon

ENOUGH = 1.0  # the most that a degree is worth


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to do.

    Args:
        mechanism: for the users' devices.
        classifier: for the server, unfitted.
        why: one sentence.
    """

    mechanism: RowMechanism
    classifier: ProfileClassifier
    why: str


def recommended(epsilon: ArrayLike, *, seed: int = 0) -> Recipe:
    """The mechanism and the classifier that we found to be most accurate at this ε.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, as from :func:`graphldp.customized`.
        seed: of the classifier.

    Example::

        recipe = gl.recommended(1.0)
        reports = recipe.mechanism.randomize(graphs, rng=7)
        recipe.classifier.fit(reports.subset(train)).score(reports.subset(test))
    """
    given = check_epsilon(epsilon, "recommended")
    classifier = ProfileClassifier(seed=seed)
    values = np.asarray(given)
    if not (values[np.isfinite(values)] > ENOUGH).any():
        why = f"Up to ε = {ENOUGH:g} all of it goes to the degrees: edges would cost more accuracy than they add."
        return Recipe(NoisyDegrees(given, noise="discrete"), classifier, why)
    degree = np.minimum(values, ENOUGH)
    edges = values - degree
    edges = np.where(Budget(degree, edges).total > values, np.nextafter(edges, 0.0), edges)
    why = f"Degrees are sharp enough at ε₁ = {ENOUGH:g}; the rest shows who gathers around the busiest user."
    mechanism = DPRR(given, allocation=Budget(degree[()], edges[()]), noise="discrete")
    return Recipe(mechanism, classifier, why)

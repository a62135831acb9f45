"""What we recommend for a given ε: a mechanism, a classifier, and why.

One rule for every dataset: all of ε goes to the degrees, and above ε = 1 hubs spend most of theirs on their lists.

Sums over a graph's users average the noise of degrees away, and no edge tells as much as they do, but for those of the
busiest user: who gathers around her is worth more than the precision of her degree, once a list tells friends from
strangers. Below ε = 1 it does not, and from ε = 2 on it pays; :class:`graphldp.HubLists` lets each device decide by its
own noisy degree whether it is a hub's. Where users can be asked twice, two counts tell nearly the same as a list, and
pay from ε = 0.5 on: :class:`graphldp.HubCounts`.

The noise is the discrete Laplace law, which is what devices draw. A degree is a whole number, and among all that ε
allows for one, no law serves an estimate better, whatever is known beforehand and whatever loss grows with the error
(Ghosh, Roughgarden & Sundararajan, STOC 2009). At ε₁ = 1 its variance is 1.84 where the continuous law's is 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from graphldp.errors import bad_parameter
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.mechanisms import HubCounts, HubLists, Mechanism, NoisyDegrees
from graphldp.privacy import check_epsilon
from graphldp.privacy.hubs import LISTS_ABOVE, advised


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to do.

    Args:
        mechanism: for the users' devices.
        classifier: for the server, unfitted.
        why: one sentence.
    """

    mechanism: Mechanism
    classifier: ProfileClassifier
    why: str


def recommended(epsilon: ArrayLike, *, rounds: int = 1, seed: int = 0) -> Recipe:
    """The mechanism and the classifier that we found to be most accurate at this ε.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, as from :func:`graphldp.customized`.
        rounds: 2 where hubs can be asked a second question once everybody has reported. It pays from ε = 0.5 on; below,
            one round is recommended whatever is asked for.
        seed: of the classifier.

    Example::

        recipe = gl.recommended(1.0)
        reports = recipe.mechanism.randomize(graphs, rng=7)
        recipe.classifier.fit(reports.subset(train)).score(reports.subset(test))
    """
    given = check_epsilon(epsilon, "recommended")
    classifier = ProfileClassifier(seed=seed)
    if rounds not in (1, 2):
        raise bad_parameter("rounds", "recommended", "1 or 2", rounds)
    name = advised(np.ravel(given).tolist(), rounds)
    if name == "hub-counts":
        why = "Everybody's degree, then two counts from hubs: who gathers around them, at no further ε."
        return Recipe(HubCounts(given), classifier, why)
    if name == "noisy-degrees":
        why = f"Up to ε = {LISTS_ABOVE:g} all of it goes to the degrees: edges would cost more accuracy than they add."
        return Recipe(NoisyDegrees(given, noise="discrete"), classifier, why)
    why = "All of ε goes to the degrees, but for hubs: who gathers around them tells more than how many do."
    return Recipe(HubLists(given, least=LISTS_ABOVE), classifier, why)

"""Recipes for a given ε: a mechanism, a classifier, another one against liars, and why.

One rule for every dataset: all of ε goes to the degrees, and above ε = 1 hubs spend most of theirs on their lists.

Sums over a graph's users average the noise of degrees away, and say more than edges do. The one exception is the
busiest user: the list of her friends is worth more than a precise degree, once ε is large enough for the list to tell
friends from strangers. Up to ε = 1 it is not, and from ε = 2 on the list pays. With :class:`graphldp.HubLists` each
device decides by its own noisy degree whether its user is a hub. Where users can be asked twice, two counts say nearly
the same as a list, and pay from ε = 0.5 on: :class:`graphldp.HubCounts`.

The noise is the discrete Laplace law, which is what devices draw. A degree is a whole number, and among all that ε
allows for one, no law serves an estimate better, whatever is known beforehand and whatever loss grows with the error
(Ghosh, Roughgarden & Sundararajan, STOC 2009). At ε₁ = 1 its variance is 1.84 where the continuous law's is 2.

Where users may lie (``witnesses=True``), users of a graph are dealt into groups, and everybody's friends are counted by
group: what others say of a user's group is a witness to how many friends she has. It costs accuracy where nobody lies.

For classes of single users (``task="nodes"``), friends are counted by public group below ε = 5: one friendship changes
one count, so noise of 1/ε protects it. From ε = 5 on, lists under randomized response tell nearly the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import bad_parameter
from graphldp.learn.nodes.classifier import NodeClassifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.mechanisms import RR, FriendCounts, HubCounts, HubLists, Mechanism, NoisyDegrees
from graphldp.privacy import check_epsilon
from graphldp.privacy.hubs import LISTS_ABOVE, advised, advised_for_nodes
from graphldp.wire.deal import GROUPS

Classifier = TypeVar("Classifier", ProfileClassifier, NodeClassifier, WitnessClassifier)


@dataclass(frozen=True, eq=False)
class Recipe(Generic[Classifier]):
    """A recipe: what to do.

    Args:
        mechanism: for the users' devices.
        classifier: for the server, unfitted.
        why: one sentence.
        defense: the classifier to fit in its place where users may lie, unfitted. It says how many liars each label
            withstands. None for classes of single users.
    """

    mechanism: Mechanism
    classifier: Classifier
    why: str
    defense: RobustProfileClassifier | None = None


@overload
def recommended(
    epsilon: ArrayLike, *, task: Literal["graphs"] = "graphs", rounds: int = 1, seed: int = 0
) -> Recipe[ProfileClassifier]: ...


@overload
def recommended(
    epsilon: ArrayLike, *, task: Literal["graphs"] = "graphs", rounds: int = 1, witnesses: Literal[True], seed: int = 0
) -> Recipe[WitnessClassifier]: ...


@overload
def recommended(
    epsilon: ArrayLike, *, task: Literal["nodes"], rounds: int = 1, seed: int = 0
) -> Recipe[NodeClassifier]: ...


def recommended(
    epsilon: ArrayLike,
    *,
    task: Literal["graphs", "nodes"] = "graphs",
    rounds: int = 1,
    witnesses: bool = False,
    seed: int = 0,
) -> Recipe[ProfileClassifier] | Recipe[NodeClassifier] | Recipe[WitnessClassifier]:
    """The mechanism and the classifier that we found to be most accurate at this ε.

    Args:
        epsilon: ε of every user, or one per user; ``inf`` is a public user, as from :func:`graphldp.customized`.
        task: ``"graphs"`` to label whole graphs, ``"nodes"`` to label single users of one graph with public features.
        rounds: 2 if hubs can be asked a second question once everybody has reported. It pays from ε = 0.5 on; below,
            one round is recommended whatever is asked for.
        witnesses: whether labels are to be such that a liar cannot change them: the classifier says of each label
            whether it withstands so many.
        seed: of the classifier.

    Example::

        recipe = gl.recommended(1.0)
        reports = recipe.mechanism.randomize(graphs, rng=7)
        recipe.classifier.fit(reports.subset(train)).score(reports.subset(test))
    """
    given = check_epsilon(epsilon, "recommended")
    classifier, defense = ProfileClassifier(seed=seed), RobustProfileClassifier(seed=seed)
    if task not in ("graphs", "nodes"):
        raise bad_parameter("task", "recommended", "'graphs' or 'nodes'", task)
    if rounds not in ((1, 2) if task == "graphs" else (1,)):
        raise bad_parameter("rounds", "recommended", "1, or 2 for graphs", rounds)
    if witnesses:
        return _with_witnesses(given, task, rounds, seed)
    if task == "nodes":
        return _for_nodes(given, seed)
    name = advised(np.ravel(given).tolist(), rounds)
    if name == "hub-counts":
        why = "Everybody's degree, then two counts from hubs: who gathers around them, at no further ε."
        return Recipe(HubCounts(given), classifier, why, defense)
    if name == "noisy-degrees":
        why = f"Up to ε = {LISTS_ABOVE:g} all of it goes to the degrees: edges would cost more accuracy than they add."
        return Recipe(NoisyDegrees(given, noise="discrete"), classifier, why, defense)
    why = "All of ε goes to the degrees, but for hubs: who gathers around them tells more than how many do."
    return Recipe(HubLists(given, least=LISTS_ABOVE), classifier, why, defense)


def _with_witnesses(
    epsilon: float | NDArray[np.float64], task: str, rounds: int, seed: int
) -> Recipe[WitnessClassifier]:
    if task != "graphs":
        expected = "False for classes of single users: only sums over a whole graph are out of one liar's reach"
        raise bad_parameter("witnesses", "recommended", expected, True)
    if rounds != 1:
        expected = "False with two rounds: a hub who hides is asked nothing in the second, and has no witness there"
        raise bad_parameter("witnesses", "recommended", expected, True)
    why = f"Friends are counted by {GROUPS} groups that users are dealt into: one liar moves no sum by much."
    return Recipe(FriendCounts(epsilon, dealt=GROUPS), WitnessClassifier(seed=seed), why)


def _for_nodes(epsilon: float | NDArray[np.float64], seed: int) -> Recipe[NodeClassifier]:
    classifier = NodeClassifier(seed=seed)
    if advised_for_nodes(np.ravel(epsilon).tolist()) == "rr":
        why = "At so large an ε a pair that names each other is nearly always a friendship."
        return Recipe(RR(epsilon), classifier, why)
    why = "Friends are counted by public group: one friendship changes one count, so little noise hides it."
    return Recipe(FriendCounts(epsilon), classifier, why)

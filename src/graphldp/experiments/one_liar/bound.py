"""What no classifier can have against one liar, if it labels graphs one by one and loses little where nobody lies.

Theorem 6 of docs/forged-degrees.md. Of each graph x some users are picked: the busiest, the next one, and so on. y_i is
what all users but the i-th of these report. If a label withstands one liar, it is given by each y_i alone. And whoever
labels by y_i labels so all graphs that share it, also those where the user who is left out makes the difference. So for
all weights α_i ≥ 0 that add up to 1, and γ_i ≥ 0,

    right and safe ≤ lost·Σ γ_i + m·E max(0, max_c Σ_i π_i(y)·[(α_i + γ_i)·P_i(c | y) − γ_i·P_i(best right | y)])

where y is one of all y_1 … y_m, π_i(y) is the chance that it is the i-th of its graph, P_i(c | y) the chance of a class
if it is, and *best* the best classifier of whole graphs. The right side is convex in the weights: a linear program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack, identity, vstack

from graphldp.errors import bad_parameter

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LeftOut:
    """What is known of graphs without one of their users, [views] or [users left out, views].

    Args:
        weight: how likely each view y is; adds up to 1.
        who: the chance that it is the i-th user who is missing, by y alone.
        chance: of each class if it is, [users left out, views, classes].
        best: the chance that the best classifier of the whole graph is right if it is.
    """

    weight: Floats
    who: Floats
    chance: Floats
    best: Floats

    @classmethod
    def alike(cls, who: Floats, chance: Floats, best: Floats) -> Self:
        """All views are equally likely."""
        return cls(np.full(who.shape[1], 1 / who.shape[1]), who, chance, best)


class ViewTruth(NamedTuple):
    """What is true of each view: which user is missing, the class, and whether the best classifier is right."""

    who: NDArray[np.int64]
    truth: NDArray[np.int64]
    best: NDArray[np.bool_]


class Bound(NamedTuple):
    """The largest share of labels that are right and withstand one liar.

    Args:
        share: by the chances that are known.
        alpha: the weight of each user who is left out.
        gamma: the price of what is lost by leaving each of them out.
    """

    share: float
    alpha: Floats
    gamma: Floats


def right_and_safe(known: LeftOut, lost: float) -> Bound:
    """The bound with the best weights.

    Args:
        known: of graphs without each of some users.
        lost: what a classifier may lose against the best one where nobody lies.
    """
    if not 0 <= lost < np.inf:
        raise bad_parameter("lost", "right_and_safe", "a finite number ≥ 0", lost)
    users, views, classes = known.chance.shape
    worth = known.who[:, :, None] * known.chance
    costs = known.who * known.best
    # α, γ and, for each view, what labels by it are worth: at least what each class is, and at least nothing
    each = [
        hstack((csr_array(np.vstack((worth[:, :, c], worth[:, :, c] - costs)).T), -identity(views)))
        for c in range(classes)
    ]
    price = np.concatenate((np.zeros(users), np.full(users, lost), users * known.weight))
    one = csr_array(np.concatenate((np.ones(users), np.zeros(users + views)))[None])
    limits = LinearConstraint(vstack(each), -np.inf, 0.0), LinearConstraint(one, 1.0, 1.0)
    found = milp(price, bounds=Bounds(0.0, np.inf), constraints=limits)
    assert found.fun is not None  # noqa: S101 - α on one user and large enough views are always a solution
    assert found.x is not None  # noqa: S101
    return Bound(float(found.fun), found.x[:users], found.x[users : 2 * users])


def as_it_came_out(known: LeftOut, lost: float, outcome: ViewTruth) -> float:
    """The same share, with views labelled by what is known of them, and counted by what is true of them.

    Chances that are not sure enough make the bound too low, and this shows it: no labels of views are worth more than
    the best, so the true bound with these weights is at least this, but for chance.
    """
    _, alpha, gamma = right_and_safe(known, lost)
    both = alpha + gamma
    worth = np.einsum("i,ij,ijc->jc", both, known.who, known.chance) - ((gamma @ (known.who * known.best))[:, None])
    label, used = worth.argmax(axis=1), worth.max(axis=1) > 0
    counted = both[outcome.who] * (label == outcome.truth) - gamma[outcome.who] * outcome.best
    return float(lost * gamma.sum() + len(alpha) * (known.weight * used * counted).sum())

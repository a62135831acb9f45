"""The choices of ε that a community offers, from what its operator asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from graphldp.errors import bad_parameter
from graphldp.privacy import allocate
from graphldp.privacy.budget import ALLOCATIONS
from graphldp.wire import Choice

if TYPE_CHECKING:
    from graphldp.privacy import Allocation

PUBLIC = Choice("public", math.inf, math.inf)
"""The user's list as it is."""


def offer(epsilon: float, mechanism: str, allocation: str, alpha: float, n_max: int) -> Choice:
    """One ε to offer, split as the mechanism spends it.

    Args:
        epsilon: what a user spends in all.
        mechanism: the community's mechanism.
        allocation: how dprr splits ε.
        alpha: the share of ε that dprr spends on edges.
        n_max: users in the largest community, for the paper's split.

    Raises:
        ParameterError: where ε cannot be offered or split so.
    """
    if not 0 < epsilon < math.inf:
        raise bad_parameter("epsilon", "a community", "a positive number", epsilon)
    name = f"epsilon-{epsilon:g}"
    if mechanism != "dprr":
        spent = _down(epsilon)
        return Choice(name, *((0.0, spent) if mechanism == "rr" else (spent, 0.0)))
    if allocation not in ALLOCATIONS:
        raise bad_parameter("allocation", "a community", f"one of {', '.join(ALLOCATIONS)}", allocation)
    if not 0 < alpha < 1:
        raise bad_parameter("alpha", "a community", "a number between 0 and 1, both excluded", alpha)
    split = allocate(epsilon, cast("Allocation", allocation), alpha=alpha, n_max=n_max, owner="a community")
    degree = _down(float(split.degree))
    return Choice(name, degree, _down(epsilon - degree))


def _down(epsilon: float) -> float:
    """ε in whole millionths, never more than asked for."""
    return math.floor(epsilon * 10**6 + 1e-6) / 10**6

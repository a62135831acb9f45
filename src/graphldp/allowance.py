"""The dial of the recommended defense: how much accuracy it may lose where nobody lies.

The more it may lose, the fewer labels hang on what one user can make up, and the more are certified
(:class:`graphldp.RobustProfileClassifier`).
"""

from __future__ import annotations

from numbers import Real

from graphldp.errors import bad_parameter

ALLOWANCE = 0.01
"""What it may lose unless it is told otherwise."""


def check_allowance(given: object, owner: str) -> float:
    """Refuse what is not a number from 0 to 1.

    Args:
        given: the allowance.
        owner: whose parameter it is.
    """
    if not (isinstance(given, Real) and not isinstance(given, bool) and 0.0 <= float(given) <= 1.0):
        raise bad_parameter("allowance", owner, "a number from 0 to 1", given)
    return float(given)

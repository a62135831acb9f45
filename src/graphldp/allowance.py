"""The dial of the recommended defense: how much accuracy it may lose where nobody lies.

The more it may lose, the fewer labels hang on what one user can make up, and the more are certified
(:class:`graphldp.RobustProfileClassifier`).
"""

from __future__ import annotations

from typing import Any

from graphldp.errors import check_number

ALLOWANCE = 0.01
"""What it may lose unless it is told otherwise."""


def check_allowance(given: Any, owner: str) -> float:
    """Refuse what is not a number from 0 to 1."""
    check_number(given, "allowance", owner, "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0)
    return float(given)

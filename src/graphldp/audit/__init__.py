"""Is the promise kept? Exact enumeration and Monte Carlo over the real code, not over a model of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One check and its outcome.

    Args:
        check: what was checked.
        claimed: the ε that is promised.
        shown: the ε that was shown to be needed at least; ``inf`` where an outcome tells two lists apart for certain.
        holds: whether the promise was kept as far as the check can see.
        effort: how much was looked at.
    """

    check: str
    claimed: float
    shown: float
    holds: bool
    effort: str

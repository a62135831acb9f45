"""Bounds of a counted share: how far it may be from the true one, exact for any number of trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[Any] | int

LEVEL = 0.95
"""Of the intervals that people are shown."""
LEAST = 5
"""Reports that a number must rest on to be shown: those of a community, of a group, of a bar of a histogram."""


def share_bounds(hits: Counts, of: Counts, doubt: float = (1 - LEVEL) / 2) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lower and the upper bound of a share, by Clopper and Pearson (1934).

    Zero tries (``of``) leave everything open. The chance that either bound is wrong is at most ``doubt``.
    """
    import numpy as np  # which a client does without
    from scipy.special import betaincinv  # a sixth of what a collector loads, and most never need it

    missed = np.asarray(of) - hits
    low = np.where(np.asarray(hits) > 0, betaincinv(np.maximum(hits, 1), missed + 1, doubt), 0.0)
    high = np.where(missed > 0, betaincinv(np.asarray(hits) + 1, np.maximum(missed, 1), 1 - doubt), 1.0)
    return low, high

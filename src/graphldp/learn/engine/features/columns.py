"""The columns of users, one row each: public ones as they are, private ones by what was told of them.

What was told is an unbiased estimate: that of :class:`graphldp.MultiBit` for numbers, and the indicators of
:class:`graphldp.CategoryRR` for a label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]


def exact_columns(X: NeighbourLists, most: int | None = None) -> Floats:
    """Features that are known as they are, but none of more columns than ``most``; then a column for each group."""
    found = [np.zeros((X.num_users, 0))]
    if X.features is not None and (most is None or X.features.shape[1] <= most):
        dense = X.features.toarray() if hasattr(X.features, "toarray") else X.features
        found.append(np.asarray(dense, np.float64))
    if X.groups is not None:
        found.append((X.groups[:, None] == np.arange(X.num_groups)).astype(np.float64))
    return np.hstack(found)


def noisy_columns(X: NeighbourLists, most: int | None = None) -> Floats:
    """Unbiased estimates of private columns; see :func:`exact_columns`."""
    found = [np.zeros((X.num_users, 0))]
    if not isinstance(X, Reports):
        return found[0]
    told = X.columns.features
    if told is not None and (most is None or told.shape[1] <= most):
        found.append(np.asarray(told, np.float64))
    if X.columns.labels is not None:
        from graphldp.mechanisms.attributes.category_rr import (
            indicators,  # loads samplers, which models without columns do not
        )

        found.append(indicators(X))
    return np.hstack(found)


def column_rows(X: NeighbourLists) -> NDArray[np.float32]:
    """All columns of each user, [users, columns].

    Raises:
        DataError: where users have no columns, or numbers that float32 does not hold.
    """
    rows = np.hstack((exact_columns(X), noisy_columns(X)))
    if not rows.shape[1]:
        raise DataError(
            "features='columns' needs columns of users, and these graphs have none: give public ones "
            "(graphs.with_features(values, public=True), graphs.with_groups(groups)), or let users tell private ones "
            "(gl.MultiBit, gl.CategoryRR)."
        )
    largest = float(np.finfo(np.float32).max)
    if rows.size and np.abs(rows).max() > largest:
        raise DataError(f"A network computes with columns up to {largest:.1e}, and these are larger: scale them.")
    return rows.astype(np.float32) + np.float32(0)  # -0 becomes 0: equal numbers, equal bytes

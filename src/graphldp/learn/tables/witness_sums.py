"""Sums over a graph that no user moves by much: how many users have a friend in each group.

Users were dealt into G groups, and each sent how many friends she has in each, with noise of her ε. A count is cut at
one friend, which makes it randomized response:

    b = [count ≥ 1],   Pr(b = 1 | no friend) = 1 − p,   Pr(b = 1 | one friend) = p = e^ε/(1 + e^ε)

    s_g = Σ_u (b_ug − (1 − p))/(2p − 1)

is then unbiased for how many users have a friend in group g, but for those who have several there, who count a little
more than once. **One user moves each sum by at most W = 1/(2p − 1) for the smallest ε on offer**, whether she lies, is
silent, withdraws or comes late: what is added for her lies between −(1 − p)W and pW, and is 0 for who is silent. The
sums are not rescaled by who answered. So a hub who is silent still shows in her friends' reports, and nobody becomes
a hub by her own.

A row has n, G and W, then the largest sums over n, what the others add up to beyond n, over √n, and the share of users
whose counts add up to :data:`BUSY` friends or more. The j-th largest of G numbers moves no further than the furthest of
them, the sum of the G − j smallest by at most G − j times that, and the share by 1/n: it is what users say of
themselves, but each counts once, however many friends she claims.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]

TOP = 2
BUSY = 7
FACTS = 3
"""The columns n, G and W, which are public."""
COLUMNS = FACTS + TOP + 2
_SLACK = 1e-9  # what rounding could add to a sum


def witness_profile(X: NeighbourLists) -> Floats:
    """The rows of graphs, [graphs, COLUMNS]; of fewer users than groups, NaN after the public columns."""
    reports = _checked(X)
    sums, n = witness_sums(reports), reports.sizes.astype(np.float64)
    facts = np.stack((n, np.full_like(n, sums.shape[1]), np.full_like(n, _weight(_least(reports)))), axis=1)
    falling = -np.sort(-sums, axis=1)
    some = np.maximum(n, 1.0)[:, None]
    rest = (falling[:, TOP:].sum(axis=1, keepdims=True) - n[:, None]) / np.sqrt(some)
    busy = np.bincount(reports.graph_of_user, _totals(reports) >= BUSY, reports.num_graphs)[:, None]
    columns = np.where(n[:, None] < sums.shape[1], np.nan, np.hstack((falling[:, :TOP] / some, rest, busy / some)))
    return np.hstack((facts, columns))


def witness_sums(reports: Reports) -> Floats:
    """s_g of each graph and group, [graphs, groups]."""
    counts = reports.friend_counts
    assert counts is not None  # noqa: S101
    silent = np.zeros(len(counts), np.bool_) if reports.missing is None else reports.missing
    epsilon = np.where(silent, np.inf, reports.epsilon1)
    weight = _weight(epsilon)
    named, unnamed = (np.where(silent, 0.0, weight * part) for part in _contributions(epsilon))
    columns = (np.where(count >= 1, named, unnamed) for count in counts.T)
    total = [np.bincount(reports.graph_of_user, each, reports.num_graphs) for each in columns]
    return np.stack(total, axis=1).astype(np.float64, copy=False)


def reach(rows: Floats, liars: NDArray[np.int64] | int) -> Floats:
    """The most by which so many users of each graph can move each column after the facts, [graphs, columns]."""
    n, groups, weight = np.maximum(rows[:, 0], 1.0), rows[:, 1], rows[:, 2]
    moved = np.asarray(liars * weight * (1 + _SLACK) + _SLACK * n)
    others = moved * (groups - TOP) / np.sqrt(n)
    return np.column_stack((*([moved / n] * TOP), others, liars * (1 + _SLACK) / n))


def _totals(reports: Reports) -> Floats:
    """The totals of each user's counts; 0 of who is silent."""
    totals = np.asarray(reports.friend_counts).sum(axis=1)
    return np.asarray(totals if reports.missing is None else np.where(reports.missing, 0.0, totals))


def _contributions(epsilon: Floats) -> tuple[Floats, Floats]:
    """p and −(1 − p): what a user who names somebody of a group adds to its sum, over W, and one who names nobody."""
    flip = 1.0 / (1.0 + np.exp(epsilon))
    return 1.0 - flip, -flip


def _weight(epsilon: Floats | float) -> Floats:
    """1/(2p − 1), which is 1/tanh(ε/2)."""
    return np.asarray(1.0 / np.tanh(np.asarray(epsilon) / 2))


def _least(reports: Reports) -> float:
    """The smallest ε that anybody could choose."""
    least = reports.origin.parameters.get("least", np.inf)
    if not isinstance(least, int | float) or not least > 0:
        raise DataError(f"The smallest ε on offer, which bounds liars, must be above 0. Got {least!r} instead.")
    return float(least)


def _checked(X: NeighbourLists) -> Reports:
    """Reports by a deal; all others are refused."""
    if not isinstance(X, Reports) or X.friend_counts is None or "dealt" not in X.origin.parameters:
        raise DataError(
            "Witnesses are counts by groups that users were dealt into: gl.FriendCounts(epsilon, dealt=12), or "
            "gl.recommended(epsilon, witnesses=True).mechanism."
        )
    sizes = np.bincount(X.graph_of_user * X.num_groups + np.asarray(X.groups), minlength=X.num_graphs * X.num_groups)
    uneven = np.ptp(sizes.reshape(X.num_graphs, X.num_groups), axis=1) > 1
    if X.origin.parameters["dealt"] != X.num_groups or uneven.any():
        raise DataError("These groups are no deal: their sizes must differ by at most one, as FriendCounts deals them.")
    present = slice(None) if X.missing is None else ~X.missing
    if (np.asarray(X.epsilon1)[present] < _least(X) * (1 - _SLACK)).any():
        raise DataError("Reports were drawn with an ε below the smallest on offer, which bounds what a user can say.")
    return X

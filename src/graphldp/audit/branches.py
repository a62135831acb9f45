"""The branches of each mechanism: what a report must look like to have come that way.

An audit that never saw a branch says nothing of it. So each mechanism of ours names its branches here, and an audit in
which one of them did not occur does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms import (
    ARR,
    DPRR,
    RR,
    Blink,
    CategoryRR,
    ClosedPairs,
    FriendCounts,
    HubCounts,
    HubLists,
    LocalLap,
    Mechanism,
    MultiBit,
    NoisyDegrees,
)
from graphldp.reports import Reports

Came = Callable[[Reports], NDArray[np.bool_]]


def _part(value: NDArray[Any] | None) -> NDArray[Any]:
    """A part that reports by this mechanism have."""
    assert value is not None  # noqa: S101
    return value


def _degrees(reports: Reports) -> NDArray[np.float64]:
    return _part(reports.noisy_degree)


def _middle(reports: Reports) -> NDArray[np.float64]:
    """(n − 1)/2, from which d* on DPRR does not sample."""
    return np.repeat((reports.sizes - 1) / 2, reports.sizes)


def _listed(reports: Reports) -> NDArray[np.int64]:
    """Entries of each user's whole graph: T of LocalLap."""
    return np.repeat(np.add.reduceat(reports.degrees, reports.graph_ptr[:-1]), reports.sizes)


def _pairs(reports: Reports) -> NDArray[np.int64]:
    return np.repeat(reports.sizes * (reports.sizes - 1), reports.sizes)


def _asked(reports: Reports) -> NDArray[np.bool_]:
    assert reports.answers is not None  # noqa: S101
    return reports.answers.asked


def _told(reports: Reports) -> NDArray[np.float64]:
    assert reports.pair_answers is not None  # noqa: S101
    return reports.pair_answers.told


_LISTS: Mapping[str, Came] = {"a list": lambda reports: reports.degrees > 0, "none": lambda r: r.degrees == 0}
BRANCHES: Mapping[type[Mechanism], Mapping[str, Came]] = {
    RR: _LISTS,
    ARR: _LISTS,
    Blink: _LISTS,
    NoisyDegrees: {"below 0": lambda reports: _degrees(reports) < 0, "0 or more": lambda r: _degrees(r) >= 0},
    DPRR: {
        "q = 0": lambda reports: _degrees(reports) <= 0,
        "0 < q < 1": lambda reports: (_degrees(reports) > 0) & (_degrees(reports) < _middle(reports)),
        "q = 1": lambda reports: _degrees(reports) >= _middle(reports),
    },
    HubLists: {"a degree": lambda reports: reports.epsilon2 == 0, "a hub": lambda reports: reports.epsilon2 > 0},
    HubCounts: {"done": lambda reports: ~_asked(reports), "asked": _asked},
    ClosedPairs: {
        "an answer below 0": lambda reports: _told(reports) < 0,
        "0 or more": lambda reports: _told(reports) >= 0,
    },
    FriendCounts: {
        "a count below 0": lambda reports: _part(reports.friend_counts).min(axis=1) < 0,
        "none": lambda reports: _part(reports.friend_counts).min(axis=1) >= 0,
    },
    MultiBit: {
        "a high number": lambda reports: _part(reports.columns.features).max(axis=1) > 1,
        "a low number": lambda reports: _part(reports.columns.features).min(axis=1) < 0,
    },
    CategoryRR: {
        "the first category": lambda reports: _part(reports.columns.labels) == 0,
        "another": lambda reports: _part(reports.columns.labels) > 0,
    },
    LocalLap: {
        "T = 0": lambda reports: _listed(reports) == 0,
        "0 < T < all": lambda reports: (_listed(reports) > 0) & (_listed(reports) < _pairs(reports)),
        "T = all": lambda reports: _listed(reports) == _pairs(reports),
    },
}


def shares(mechanism: Mechanism, reports: Reports) -> dict[str, float]:
    """How often each branch occurred, among the first users of all graphs; empty for a mechanism of one's own."""
    first = reports.graph_ptr[:-1]
    return {name: float(came(reports)[first].mean()) for name, came in BRANCHES.get(type(mechanism), {}).items()}

"""Who lists whom, seen from the one who is listed. Entries are taken in blocks, so memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.reports import Reports

Ints = NDArray[np.int64]
_BLOCK = 1 << 22


def entries(reports: Reports, listers: NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """The entries of some users' lists as (lister, listed) pairs of numbers in the whole set, block by block."""
    who = np.flatnonzero(listers & (reports.degrees > 0))
    start = np.repeat(reports.graph_ptr[:-1], reports.sizes)
    filled = np.cumsum(reports.degrees[who])
    cuts = np.searchsorted(filled, np.arange(_BLOCK, filled[-1] if len(who) else 0, _BLOCK))
    for some in np.split(who, np.unique(cuts)):
        positions, indptr = gather_ranges(reports.indptr, some)
        lister = np.repeat(some, np.diff(indptr))
        yield lister, reports.indices[positions] + start[lister]


def listed_by(reports: Reports, listers: NDArray[np.bool_]) -> Ints:
    """How many of these users list each user."""
    count = np.zeros(reports.num_users, np.int64)
    for _, listed in entries(reports, listers):
        count += np.bincount(listed, minlength=len(count))
    return count


def inconsistencies(reports: Reports, others: NDArray[np.bool_]) -> Ints:
    """For each user i, how many j among the others there are with ã_ij ≠ ã_ji.

    |row ∩ others| + |column ∩ others| − 2·|both|.
    """
    count = listed_by(reports, others)
    for lister, listed in entries(reports, np.ones(reports.num_users, np.bool_)):
        count += np.bincount(lister, others[listed], len(count)).astype(np.int64)
    for lister, listed in entries(reports, others):
        count -= 2 * np.bincount(listed, lists(reports, listed, lister), len(count)).astype(np.int64)
    return count


def lists(reports: Reports, owner: Ints, member: Ints) -> NDArray[np.bool_]:
    """Whether each owner has this member of her graph on her list: bisection in all lists at once."""
    wanted = reports.local_users[member]
    low, end = reports.indptr[owner], reports.indptr[owner + 1]
    high = end.copy()
    last = max(reports.num_entries - 1, 0)
    for _ in range(int(reports.degrees.max(initial=0)).bit_length()):
        middle = (low + high) // 2
        before = (low < high) & (reports.indices[np.minimum(middle, last)] < wanted)
        high = np.where((low < high) & ~before, middle, high)
        low = np.where(before, middle + 1, low)
    return np.asarray((low < end) & (reports.indices[np.minimum(low, last)] == wanted))

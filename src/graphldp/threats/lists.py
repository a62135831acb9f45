"""Lists that malicious users agree on, built for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.neighbour_lists.pointers import gather_ranges, lists_from_pairs
from graphldp.reports import Reports


@dataclass(frozen=True)
class ForgedLists:
    """One list per user, as in :class:`graphldp.neighbour_lists.NeighbourLists`."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]


def pooled_lists(reports: Reports, users: NDArray[np.bool_], pool: NDArray[np.bool_]) -> ForgedLists:
    """Each of these users lists all of the pool in her graph but herself; the others keep their lists."""
    members, who = np.flatnonzero(pool), np.flatnonzero(users)
    pool_ptr = np.searchsorted(members, reports.graph_ptr)
    entries, indptr = gather_ranges(pool_ptr, reports.graph_of_user[who])
    listed = reports.local_users[members].astype(np.int32)[entries]
    kept = listed != np.repeat(reports.local_users[who].astype(np.int32), np.diff(indptr))
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    return spliced(reports, users, np.diff(kept_before[indptr]), listed[kept])


def with_member(reports: Reports, users: NDArray[np.bool_], member: NDArray[np.int64]) -> ForgedLists:
    """Each of these users adds her ``member``, a number in the whole set, to her list."""
    who = np.flatnonzero(users)
    entries, indptr = gather_ranges(reports.indptr, who)
    start = np.repeat(reports.graph_ptr[:-1], reports.sizes)
    owner = np.repeat(who, np.diff(indptr))
    source = np.concatenate((owner, who))
    target = np.concatenate((reports.indices[entries] + start[owner], member[who]))
    pointers, listed = lists_from_pairs(source, target, reports.num_users)
    lengths = np.diff(pointers)
    return spliced(reports, users, lengths[who], (listed - np.repeat(start, lengths)).astype(np.int32))


def spliced(
    reports: Reports, users: NDArray[np.bool_], lengths: NDArray[np.int64], indices: NDArray[np.int32]
) -> ForgedLists:
    """The reported lists with other lists in place of these users'."""
    new = reports.degrees
    new[users] = lengths
    theirs = np.repeat(users, new)
    merged = np.empty(len(theirs), np.int32)
    merged[theirs] = indices
    merged[~theirs] = reports.indices[gather_ranges(reports.indptr, np.flatnonzero(~users))[0]]
    return ForgedLists(np.concatenate(([0], np.cumsum(new))), merged)

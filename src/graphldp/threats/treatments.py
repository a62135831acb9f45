"""Treatments of users who were flagged."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Rng, Stream, key_from
from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.reports import HubAnswers, Reports
from graphldp.threats.lists import spliced

Treatment = Literal["remove", "empty", "redraw"]
_TAG = 0x5C4E30  # keeps these draws apart from the noise and from attacks with the same seed


def treat(reports: Reports, flagged: NDArray[np.bool_], treatment: Treatment, *, rng: Rng = None) -> Reports:
    """Take flagged users' lists away.

    - ``"remove"``: they count as missing and leave the graph, the paper's way. A graph without anybody left stays in
      the set with no users.
    - ``"empty"``: they stay, with an empty list and d* = 0, so that n stays what it was.
    - ``"redraw"``: each gets list and d* of an unflagged private user of her graph, drawn at random, so that degrees
      keep their distribution too; an empty list where nobody is left to draw from.

    Args:
        reports: what was collected.
        flagged: True for each user whose list goes.
        treatment: one of the three.
        rng: the seed of ``"redraw"``.
    """
    if treatment == "redraw":
        return _redraw(reports, flagged, rng)
    degree, gone = reports.noisy_degree, flagged if reports.missing is None else flagged | reports.missing
    lists = spliced(reports, flagged, np.zeros(np.count_nonzero(flagged), np.int64), np.zeros(0, np.int32))
    return replace(
        without_answers(reports, flagged),
        indptr=lists.indptr,
        indices=lists.indices,
        noisy_degree=None if degree is None else np.where(flagged, 0.0, degree),
        missing=gone if treatment == "remove" else reports.missing,
        trusted=True,
    )


def without_answers(reports: Reports, users: NDArray[np.bool_]) -> Reports:
    """The reports without what some users answered when they were asked again; two counts go with the d* they fit."""
    if (told := reports.answers) is None:
        return reports
    quiet, busy = (np.where(users, np.nan, counts) for counts in (told.quiet_friends, told.busy_friends))
    return reports.changed(answers=HubAnswers(told.asked & ~users, told.busy, quiet, busy), trusted=True)


def _redraw(reports: Reports, flagged: NDArray[np.bool_], rng: Rng) -> Reports:
    seed = np.random.SeedSequence([_TAG, *map(int, key_from(rng, "redraw"))])
    donors = ~flagged & ~reports.public if reports.missing is None else ~flagged & ~reports.public & ~reports.missing
    pool, who = np.flatnonzero(donors), np.flatnonzero(flagged)
    pool_ptr = np.searchsorted(pool, reports.graph_ptr)
    graph = reports.graph_of_user[who]
    choice = np.diff(pool_ptr)[graph]
    helped = choice > 0
    words = backend.first_words(UserRows.of(reports), Stream.PUBLIC, key_from(seed, "redraw"))[who, 0]
    place = pool_ptr[graph] + (words % np.maximum(choice, 1).astype(np.uint64)).astype(np.int64)
    donor = pool[place[helped]]
    entries, indptr = gather_ranges(reports.indptr, donor)
    listed = reports.indices[entries]
    mine = np.repeat(reports.local_users[who[helped]].astype(np.int32), np.diff(indptr))
    kept = listed != mine  # nobody lists herself
    lengths = np.zeros(len(who), np.int64)
    lengths[helped] = np.diff(np.concatenate(([0], np.cumsum(kept)))[indptr])
    lists = spliced(reports, flagged, lengths, listed[kept])
    degree = None if reports.noisy_degree is None else np.where(flagged, 0.0, reports.noisy_degree)
    if degree is not None:
        degree[who[helped]] = degree[donor]
    return replace(
        without_answers(reports, flagged), indptr=lists.indptr, indices=lists.indices, noisy_degree=degree, trusted=True
    )

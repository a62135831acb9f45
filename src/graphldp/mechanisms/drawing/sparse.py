"""Sparse lists: strangers are reached by geometric skips, and the words of many rows are drawn at a time.

The draws are those of :mod:`graphldp.mechanisms.drawing.reference`. They are fast because little waits for anything
else:

1. **Plan.** Rows are taken until a batch is full. A row that will report m names on average asks for some words more
   than m. Words that it leaves over are thrown away.
2. **Draw** all words of the batch, then the whole parts of all skips (:mod:`graphldp.mechanisms.drawing.skips`).
3. **Write** row after row. Skips add up to ranks: a neighbour's among her neighbours, a stranger's among all others. A
   stranger of rank r stands behind each neighbour x_s with x_s − s ≤ r. Where there are few neighbours, each of them is
   compared with the ranks of four strangers at once, else each rank with sixteen neighbours
   (:mod:`graphldp.mechanisms.drawing.lanes`). So no place waits for the one before it. The few neighbours who are kept
   are merged in at the end.

Nothing here allocates memory, so nothing has to be counted for it (``_nrt=False``): counting took a tenth of the time.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.lanes import SIXTEEN, at_most, places, stand_before
from graphldp.mechanisms.drawing.skips import (
    BATCH,
    EDGES,
    FAKES,
    WINDOW,
    ListLaw,
    Parts,
    Workspace,
    ask,
    blocks_for,
    draw,
    draw_more,
    settle,
)
from graphldp.mechanisms.drawing.streams import Key

_FEW = 16  # neighbours who are compared with each stranger
_SMALL = 2**27  # strangers, so that a sum of five ranks is below 2^31
_FAR = np.int32(2**31 - 1)


@njit(nogil=True, cache=True, _nrt=False)
def what_to_expect(start: int, stop: int, law_parts: Parts) -> tuple[float, int, int]:
    """How many names rows start … stop−1 will report, on average; of how many; and how many neighbours one has."""
    law, names, pairs, most = ListLaw(*law_parts), 0.0, 0, 0
    for row in range(start, stop):
        degree = law.indptr[row + 1] - law.indptr[row]
        names += law.keep[row] * degree + law.fake[row] * (law.n[row] - 1 - degree)
        pairs += law.n[row]
        most = max(most, degree)
    return names, pairs, most


@njit(forceinline=True, _nrt=False)
def _keep(law: ListLaw, row: int, key: Key, space: Workspace, at: int, count: int) -> int:
    """Find which neighbours stay, by ``count`` blocks from ``at`` on, and more if need be; returns how many."""
    degree = law.indptr[row + 1] - law.indptr[row]
    rank, have, drawn = np.int64(-1), 0, count
    while True:
        place, end = 4 * at, 4 * (at + count)
        while place < end and rank < degree:
            rank = min(rank + 1 + np.int64(space.skips[place]), degree)
            space.kept[have] = rank
            have += rank < degree
            place += 1
        if rank == degree:
            return have
        count = draw_more(law, row, EDGES, degree - rank - 1, drawn, key, space)
        at, drawn = BATCH, drawn + count


@njit(forceinline=True, _nrt=False)
def _own_rank(law: ListLaw, row: int, before: NDArray[np.int32]) -> int:
    """How many of all others stand before the user herself, and before each neighbour (``before``)."""
    begin, user = law.indptr[row], law.user[row]
    return int(user - stand_before(law.indices, begin, law.indptr[row + 1] - begin, np.int32(user), before))


@njit(forceinline=True, _nrt=False)
def _add_to_few(
    law: ListLaw, row: int, key: Key, space: Workspace, at: int, count: int, room: NDArray[np.int32], written: int
) -> int:
    """Write the names of strangers who are added to few neighbours; returns where they end, or −1 where room does."""
    degree = law.indptr[row + 1] - law.indptr[row]
    strangers, own_rank = np.int32(law.n[row] - 1 - degree), np.int32(_own_rank(law, row, space.before))
    rank, drawn = np.int64(-1), count
    while written + 4 * count <= len(room):
        so_far = np.int32(rank)
        rank, written = places(
            space.skips, 4 * at, count, so_far, strangers, own_rank, space.before, degree, room, written
        )
        if rank == strangers:
            return written
        count = draw_more(law, row, FAKES, strangers - rank - 1, drawn, key, space)
        at, drawn = BATCH, drawn + count
    return -1


@njit(forceinline=True, _nrt=False)
def _add_to_many(
    law: ListLaw, row: int, key: Key, space: Workspace, at: int, count: int, room: NDArray[np.int32], written: int
) -> int:
    """As :func:`_add_to_few`, where comparing each stranger with every neighbour would take too long."""
    degree, before = law.indptr[row + 1] - law.indptr[row], space.before
    strangers, own_rank = law.n[row] - 1 - degree, _own_rank(law, row, before)
    for i in range(SIXTEEN):
        before[degree + i] = _FAR
    rank, first, drawn = np.int64(-1), 0, count
    while written + 4 * count <= len(room):
        for block in range(at, at + count):
            for place in range(4 * block, 4 * block + 4):
                rank = min(rank + 1 + np.int64(space.skips[place]), strangers)
                other = rank + (rank >= own_rank)  # among all but her neighbours
                while before[first + SIXTEEN - 1] <= other:
                    first += SIXTEEN
                room[written] = other + first + at_most(before, first, np.int32(other))
                written += rank < strangers
            if rank == strangers:
                return written
        count = draw_more(law, row, FAKES, strangers - rank - 1, drawn, key, space)
        at, drawn = BATCH, drawn + count
    return -1


@njit(forceinline=True, _nrt=False)
def _merge(
    law: ListLaw, row: int, kept: NDArray[np.int32], count: int, room: NDArray[np.int32], begin: int, end: int
) -> None:
    """Sort the neighbours who stay into the strangers at begin … end−1, the last first: there is room behind them."""
    for i in range(count - 1, -1, -1):
        name = law.indices[law.indptr[row] + kept[i]]
        while end > begin and room[end - 1] > name:
            room[end + i] = room[end - 1]
            end -= 1
        room[end + i] = name


@njit(forceinline=True, _nrt=False)
def _who_draws(law: ListLaw, start: int, stop: int, rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> int:
    """Find the rows that have anything to draw; returns how many they are."""
    count = 0
    for row in range(start, stop):
        lengths[row] = 0
        rows[count] = row
        count += (law.keep[row] > 0.0) | (law.fake[row] > 0.0)
    return count


@njit(forceinline=True, _nrt=False)
def _ask_batch(law: ListLaw, member: int, members: int, space: Workspace) -> tuple[int, int]:
    """Ask for the blocks of rows from ``member`` on; returns the first one left over, and how many blocks."""
    used = 0
    while member < members:
        row = space.rows[member]
        degree = law.indptr[row + 1] - law.indptr[row]
        edges = blocks_for(law.keep[row], degree)
        fakes = blocks_for(law.fake[row], law.n[row] - 1 - degree)
        if used + edges + fakes > BATCH:
            break
        ask(law, row, EDGES, 0, edges, space, used)
        ask(law, row, FAKES, 0, fakes, space, used + edges)
        space.planned[member, 0], space.planned[member, 1] = edges, fakes
        used += edges + fakes
        member += 1
    return member, used


@njit(forceinline=True, _nrt=False)
def _write(
    law: ListLaw,
    row: int,
    key: Key,
    space: Workspace,
    at: int,
    edges: int,
    fakes: int,
    room: NDArray[np.int32],
    written: int,
) -> int:
    """Write a row's list, by its blocks from ``at`` on; returns where it ends, or −1 where room does."""
    degree, end = law.indptr[row + 1] - law.indptr[row], written
    kept = _keep(law, row, key, space, at, edges) if edges else 0
    if fakes and degree <= _FEW and law.n[row] <= _SMALL:
        end = _add_to_few(law, row, key, space, at + edges, fakes, room, written)
    elif fakes:
        end = _add_to_many(law, row, key, space, at + edges, fakes, room, written)
    if end < 0 or end + kept > len(room):
        return -1
    if kept:
        _merge(law, row, space.kept, kept, room, written, end)
    return end + kept


@njit(nogil=True, cache=True, _nrt=False)
def fill_lists(
    start: int,
    stop: int,
    law_parts: Parts,
    key: Key,
    space_parts: Parts,
    room: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> int:
    """Draw the lists of rows start … stop−1 into ``room``; returns how many names they have, or −1 where room ends."""
    law, space, written = ListLaw(*law_parts), Workspace(*space_parts), 0
    for window in range(start, stop, WINDOW):
        members = _who_draws(law, window, min(window + WINDOW, stop), space.rows, lengths)
        last = 0
        while last < members:
            first = last
            last, used = _ask_batch(law, first, members, space)
            unknown, at = draw(key, space, 0, used), 0
            for member in range(first, last):
                row, edges, fakes = space.rows[member], space.planned[member, 0], space.planned[member, 1]
                if unknown:
                    settle(law, row, EDGES, space, at, edges)
                    settle(law, row, FAKES, space, at + edges, fakes)
                end = _write(law, row, key, space, at, edges, fakes, room, written)
                if end < 0:
                    return -1
                lengths[row] = end - written
                written = end
                at += edges + fakes
    return written

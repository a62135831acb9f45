"""Sparse lists: strangers are reached by geometric skips, and the words of many rows are drawn at a time.

The draws are those of :mod:`graphldp.mechanisms.drawing.reference`. They are fast because little waits for anything
else:

1. **Plan.** Rows are taken until a batch is full. A row that will report m names on average asks for some words more
   than m. Words that it leaves over are thrown away.
2. **Draw** all words of the batch, then the whole parts of all skips (:mod:`graphldp.mechanisms.drawing.words`).
3. **Write** row after row. Skips add up to ranks: a neighbour's among her neighbours, a stranger's among all others. A
   stranger of rank r stands behind each neighbour x_s with x_s − s ≤ r. Where there are few neighbours, each of them is
   compared with the ranks of four strangers at once, else each rank with sixteen neighbours
   (:mod:`graphldp.mechanisms.drawing.lanes`). So no place waits for the one before it. The few neighbours who are kept
   are merged in at the end.

Nothing here allocates memory, so nothing has to be counted for it (``_nrt=False``): counting took a tenth of the time.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.lanes import BLOCKS, SIXTEEN, ask_four, at_most, places, sixteen_times, stand_before
from graphldp.mechanisms.drawing.streams import Key, Stream, Words
from graphldp.mechanisms.drawing.words import LONGEST, about_rate_of, draw_blocks, rate_of, uniform, whole_skips

EDGES, FAKES = np.uint64(Stream.EDGES), np.uint64(Stream.FAKES)
_BLOCKS = 512  # of a batch: their words and skips stay in the nearest caches
_MOST = _BLOCKS // 2  # blocks that are drawn at a time for one row and one stream
_ROOM = _BLOCKS + _MOST + BLOCKS
_WINDOW = 512  # rows that are looked through at a time
_FEW = 16  # neighbours who are compared with each stranger
_SMALL = 2**27  # strangers, so that a sum of five ranks is below 2^31
_FAR = np.int32(2**31 - 1)


Parts = tuple[Any, ...]
"""What a named tuple holds, as Python hands it over: finding out the type of a named one takes numba 0.4 ms a call."""


class ListLaw(NamedTuple):
    """What the lists of some users are drawn by: :class:`graphldp.mechanisms.drawing.rows.UserRows` and two rates.

    Args:
        indptr: where each list begins.
        indices: the lists, sorted.
        user: each user's number inside her graph.
        n: users in each user's graph.
        graph: the id of each user's graph.
        keep: how likely a neighbour stays.
        fake: how likely a stranger is added.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    user: NDArray[np.int64]
    n: NDArray[np.int64]
    graph: NDArray[np.int64]
    keep: NDArray[np.float64]
    fake: NDArray[np.float64]


class Workspace(NamedTuple):
    """Memory for one batch, and behind it for the blocks of a row that needs more.

    Args:
        counters: of each block, the four parts apart.
        words: four of each block.
        rates: what turns a word's logarithm into a skip.
        skips: the whole parts of skips.
        rows: those of some hundred rows that have anything to draw.
        planned: how many blocks each row of the batch has for neighbours and for strangers.
        kept: ranks of neighbours who stay.
        before: how many of all others stand before each neighbour.
    """

    counters: Words
    words: Words
    rates: NDArray[np.float64]
    skips: NDArray[np.int32]
    rows: NDArray[np.int64]
    planned: NDArray[np.int64]
    kept: NDArray[np.int32]
    before: NDArray[np.int32]


def workspace(degree: int) -> Parts:
    """Memory for lists of up to ``degree`` neighbours."""
    space = Workspace(
        np.empty(4 * _ROOM, np.uint64),
        np.empty(4 * _ROOM, np.uint64),
        np.empty(4 * _ROOM, np.float64),
        np.empty(4 * _ROOM, np.int32),
        np.empty(_WINDOW, np.int64),
        np.empty((_WINDOW, 2), np.int64),
        np.empty(degree + 1, np.int32),
        np.empty(degree + SIXTEEN, np.int32),
    )
    return tuple(space)


def most_neighbours(space: Parts) -> int:
    """How long lists a workspace has memory for."""
    return len(Workspace(*space).kept) - 1


@njit(forceinline=True, _nrt=False)
def _expected(law: ListLaw, row: int) -> float:
    degree = law.indptr[row + 1] - law.indptr[row]
    return float(law.keep[row] * degree + law.fake[row] * (law.n[row] - 1 - degree))


@njit(nogil=True, cache=True, _nrt=False)
def expected_names(start: int, stop: int, law_parts: Parts) -> float:
    """How many names rows start … stop−1 will report, on average."""
    law, total = ListLaw(*law_parts), 0.0
    for row in range(start, stop):
        total += _expected(law, row)
    return total


@njit(forceinline=True, _nrt=False)
def _blocks_for(probability: float, limit: int) -> int:
    """Blocks to draw at first, enough for most rows: as many words as things will happen, and one that ends the row."""
    mean = probability * limit
    return min(_MOST, 1 + int(0.25 * (mean + 1.0 + sqrt(np.float32(mean))))) if mean > 0.0 else 0


@njit(forceinline=True, _nrt=False)
def _ask(law: ListLaw, row: int, stream: np.uint64, first: int, count: int, space: Workspace, at: int) -> None:
    """Ask for blocks first, first + 1, … of a row's stream."""
    user, graph, counters = np.uint64(law.user[row]), np.uint64(law.graph[row]), space.counters
    rate = about_rate_of(law.keep[row] if stream == EDGES else law.fake[row])
    for block in range(0, count, 4):  # up to three more, which the next row writes over
        ask_four(counters, _ROOM, at + block, np.uint64(first + block), user, graph, stream)
        sixteen_times(space.rates, 4 * (at + block), rate)


@njit(nogil=True, cache=True, _nrt=False)
def _draw(key: Key, space: Workspace, at: int, count: int) -> bool:
    """Draw words and skips of ``count`` blocks from block ``at`` on; returns whether some skips are not known yet."""
    whole = -(-count // BLOCKS) * BLOCKS
    draw_blocks(key, space.counters, space.words, at, whole)
    whole_skips(space.words, space.rates, space.skips, 4 * at, 4 * whole)
    skips, least = space.skips[4 * at :], np.int32(0)
    for i in range(4 * count):
        least = min(least, skips[i])
    return bool(least < 0)


@njit(nogil=True, cache=True, _nrt=False)
def _settle(law: ListLaw, row: int, stream: np.uint64, space: Workspace, at: int, count: int) -> None:
    """Compute the skips of a row that the polynomial could not tell, by the logarithm."""
    rate = rate_of(law.keep[row] if stream == EDGES else law.fake[row])
    for place in range(4 * at, 4 * (at + count)):
        if space.skips[place] < 0:
            space.skips[place] = np.int32(min(log(uniform(space.words[place])) * rate, LONGEST))


@njit(nogil=True, cache=True, _nrt=False)
def _draw_more(law: ListLaw, row: int, stream: np.uint64, left: int, first: int, key: Key, space: Workspace) -> int:
    """Draw on behind the batch, for a row that has not come to its end; returns how many blocks."""
    count = max(1, _blocks_for(law.keep[row] if stream == EDGES else law.fake[row], left))
    _ask(law, row, stream, first, count, space, _BLOCKS)
    if _draw(key, space, _BLOCKS, count):
        _settle(law, row, stream, space, _BLOCKS, count)
    return count


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
        count = _draw_more(law, row, EDGES, degree - rank - 1, drawn, key, space)
        at, drawn = _BLOCKS, drawn + count


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
        count = _draw_more(law, row, FAKES, strangers - rank - 1, drawn, key, space)
        at, drawn = _BLOCKS, drawn + count
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
        count = _draw_more(law, row, FAKES, strangers - rank - 1, drawn, key, space)
        at, drawn = _BLOCKS, drawn + count
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
        edges = _blocks_for(law.keep[row], degree)
        fakes = _blocks_for(law.fake[row], law.n[row] - 1 - degree)
        if used + edges + fakes > _BLOCKS:
            break
        _ask(law, row, EDGES, 0, edges, space, used)
        _ask(law, row, FAKES, 0, fakes, space, used + edges)
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
    for window in range(start, stop, _WINDOW):
        members = _who_draws(law, window, min(window + _WINDOW, stop), space.rows, lengths)
        last = 0
        while last < members:
            first = last
            last, used = _ask_batch(law, first, members, space)
            unknown, at = _draw(key, space, 0, used), 0
            for member in range(first, last):
                row, edges, fakes = space.rows[member], space.planned[member, 0], space.planned[member, 1]
                if unknown:
                    _settle(law, row, EDGES, space, at, edges)
                    _settle(law, row, FAKES, space, at + edges, fakes)
                end = _write(law, row, key, space, at, edges, fakes, room, written)
                if end < 0:
                    return -1
                lengths[row] = end - written
                written = end
                at += edges + fakes
    return written

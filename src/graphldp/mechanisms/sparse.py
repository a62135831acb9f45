"""Sparse lists: strangers are reached by geometric skips, and the words of many rows are drawn at a time.

The draws are those of :mod:`graphldp.mechanisms.reference`. They are fast because little waits for anything else:

1. **Plan.** Rows are taken until a batch is full. A row that will report m names on average gets room for some words
   more than m. Words that it leaves over are thrown away.
2. **Draw** all words of the batch, then the whole parts of all skips (:mod:`graphldp.mechanisms.words`).
3. **Write** row after row. Skips add up to ranks: a neighbour's among her neighbours, a stranger's among all others. A
   stranger of rank r stands behind each neighbour x_s with x_s − s ≤ r. Sixteen neighbours are compared with r at once,
   so no place waits for the one before it. The few neighbours who are kept are merged in at the end.

Nothing here allocates memory, so nothing has to be counted for it (``_nrt=False``): counting took a tenth of the time.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graphldp.mechanisms.streams import Key, Stream, Words
from graphldp.mechanisms.words import about_rate_of, draw_blocks, rate_of, uniform, whole_skips

EDGES, FAKES = np.uint64(Stream.EDGES), np.uint64(Stream.FAKES)
_BLOCKS = 512  # of a batch: their words and skips stay in the nearest caches
_MOST = _BLOCKS // 2  # blocks that are drawn at a time for one row and one stream
_LANES = 16
_FAR = np.int32(2**31 - 1)


class ListLaw(NamedTuple):
    """What the lists of some users are drawn by: :class:`graphldp.mechanisms.rows.UserRows` and two rates.

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
        words: four of each block; its counter before they are drawn.
        rates: what turns a word's logarithm into a skip.
        skips: the whole parts of skips, −1 where only the logarithm can tell.
        planned: the rows of the batch, and how many blocks each has for neighbours and for strangers.
        kept: ranks of neighbours who stay.
        before: how many of all others stand before each neighbour.
    """

    words: Words
    rates: NDArray[np.float64]
    skips: NDArray[np.int32]
    planned: NDArray[np.int64]
    kept: NDArray[np.int32]
    before: NDArray[np.int32]


def workspace(degree: int) -> Workspace:
    """Memory for lists of up to ``degree`` neighbours."""
    words = 4 * (_BLOCKS + _MOST)
    return Workspace(
        np.empty(words, np.uint64),
        np.empty(words, np.float64),
        np.empty(words, np.int32),
        np.empty((_BLOCKS, 3), np.int64),
        np.empty(degree + 1, np.int32),
        np.empty(degree + _LANES, np.int32),
    )


@njit(forceinline=True, _nrt=False)
def _expected(law: ListLaw, row: int) -> float:
    degree = law.indptr[row + 1] - law.indptr[row]
    return float(law.keep[row] * degree + law.fake[row] * (law.n[row] - 1 - degree))


@njit(nogil=True, cache=True, _nrt=False)
def expected_names(start: int, stop: int, law: ListLaw) -> float:
    """How many names rows start … stop−1 will report, on average."""
    total = 0.0
    for row in range(start, stop):
        total += _expected(law, row)
    return total


@njit(nogil=True, cache=True, _nrt=False)
def cut(law: ListLaw, share: float, ends: NDArray[np.int64]) -> int:
    """Cut all rows into runs of about ``share`` names to read and to write; returns how many ``ends`` they have."""
    runs, work = 0, share
    for row in range(len(law.user)):
        if work >= share and runs < len(ends) - 1:
            ends[runs] = row
            runs, work = runs + 1, 0.0
        work += 1.0 + law.indptr[row + 1] - law.indptr[row] + _expected(law, row)
    ends[runs] = len(law.user)
    return runs + 1


@intrinsic
def _at_most(typingctx: Any, values: Any, first: Any, rank: Any) -> Any:
    """How many of sixteen values from ``first`` on are at most ``rank``: a few machine instructions."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        lanes = ir.VectorType(number, _LANES)
        array = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.bitcast(builder.gep(array.data, [args[1]]), lanes.as_pointer())
        one = builder.insert_element(ir.Constant(lanes, ir.Undefined), args[2], ir.Constant(number, 0))
        every = builder.shuffle_vector(one, one, ir.Constant(lanes, [0] * _LANES))
        below = builder.icmp_signed("<=", builder.load(pointer, align=4), every)
        return builder.zext(builder.ctpop(builder.bitcast(below, ir.IntType(_LANES))), ir.IntType(64))

    return types.int64(types.Array(types.int32, 1, "C"), types.int64, types.int32), build


@njit(forceinline=True, _nrt=False)
def _blocks_for(probability: float, limit: int) -> int:
    """Blocks to draw at first, enough for most rows: as many words as things will happen, and one that ends the row."""
    mean = probability * limit
    return min(_MOST, 1 + int(0.25 * (mean + 1.0 + 0.75 * sqrt(mean)))) if mean > 0.0 else 0


@njit(forceinline=True, _nrt=False)
def _ask(law: ListLaw, row: int, stream: np.uint64, first: int, count: int, space: Workspace, at: int) -> None:
    """Put the counters of blocks first, first + 1, … of a row's stream where their words will be."""
    user, graph = np.uint64(law.user[row]), np.uint64(law.graph[row])
    rate = about_rate_of(law.keep[row] if stream == EDGES else law.fake[row])
    for i in range(count):
        word = 4 * (at + i)
        space.words[word], space.words[word + 1] = np.uint64(first + i + 1), user
        space.words[word + 2], space.words[word + 3] = graph, stream
        for j in range(4):
            space.rates[word + j] = rate


@njit(nogil=True, cache=True, _nrt=False)
def _draw(key: Key, space: Workspace, at: int, count: int) -> None:
    """Draw words and skips of ``count`` blocks from block ``at`` on."""
    draw_blocks(key, space.words, at, count)
    whole_skips(space.words, space.rates, space.skips, 4 * at, 4 * count)


@njit(nogil=True, cache=True, _nrt=False)
def _draw_more(law: ListLaw, row: int, stream: np.uint64, left: int, first: int, key: Key, space: Workspace) -> int:
    """Draw on behind the batch, for a row that has not come to its end; returns how many blocks."""
    count = max(1, _blocks_for(law.keep[row] if stream == EDGES else law.fake[row], left))
    _ask(law, row, stream, first, count, space, _BLOCKS)
    _draw(key, space, _BLOCKS, count)
    return count


@njit(forceinline=True, _nrt=False)
def _length(space: Workspace, place: int, probability: float, limit: int) -> int:
    """The whole part of a skip, by the logarithm where the polynomial could not tell."""
    skip = int(space.skips[place])
    if skip < 0:
        exact = log(uniform(space.words[place])) * rate_of(probability)
        skip = limit if exact >= limit else int(exact)
    return skip


@njit(forceinline=True, _nrt=False)
def _keep(law: ListLaw, row: int, key: Key, space: Workspace, at: int, count: int) -> int:
    """Find which neighbours stay, by ``count`` blocks from ``at`` on, and more if need be; returns how many."""
    degree, probability = law.indptr[row + 1] - law.indptr[row], law.keep[row]
    rank, have, drawn = np.int64(-1), 0, count
    while True:
        place, end = 4 * at, 4 * (at + count)
        while place < end and rank < degree:
            rank = min(rank + 1 + _length(space, place, probability, degree), degree)
            space.kept[have] = rank
            have += rank < degree
            place += 1
        if rank == degree:
            return have
        count = _draw_more(law, row, EDGES, degree - rank - 1, drawn, key, space)
        at, drawn = _BLOCKS, drawn + count


@njit(forceinline=True, _nrt=False)
def _stand_before(law: ListLaw, row: int, before: NDArray[np.int32]) -> int:
    """How many of all others stand before each neighbour; returns how many stand before the user herself."""
    begin, degree, user = law.indptr[row], law.indptr[row + 1] - law.indptr[row], law.user[row]
    below = 0
    for i in range(degree):
        name = law.indices[begin + i]
        before[i] = name - i
        below += name < user
    for i in range(_LANES):
        before[degree + i] = _FAR
    return int(user - below)


@njit(forceinline=True, _nrt=False)
def _add(
    law: ListLaw, row: int, key: Key, space: Workspace, at: int, count: int, room: NDArray[np.int32], written: int
) -> int:
    """Write the names of strangers who are added; returns where they end, or −1 where room does."""
    strangers = law.n[row] - 1 - (law.indptr[row + 1] - law.indptr[row])
    probability, before, own_rank = law.fake[row], space.before, _stand_before(law, row, space.before)
    rank, first, drawn = np.int64(-1), 0, count
    while written + 4 * count <= len(room):
        for block in range(at, at + count):
            for place in range(4 * block, 4 * block + 4):
                rank = min(rank + 1 + _length(space, place, probability, strangers), strangers)
                other = rank + (rank >= own_rank)  # among all but her neighbours
                while before[first + _LANES - 1] <= other:
                    first += _LANES
                room[written] = other + first + _at_most(before, first, np.int32(other))
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
def _plan(law: ListLaw, row: int, stop: int, space: Workspace, lengths: NDArray[np.int64]) -> tuple[int, int]:
    """Fill a batch with rows from ``row`` on; returns how many have anything to draw, and the first row left over."""
    members, used = 0, 0
    while row < stop and members < _BLOCKS:
        degree = law.indptr[row + 1] - law.indptr[row]
        edges = _blocks_for(law.keep[row], degree)
        fakes = _blocks_for(law.fake[row], law.n[row] - 1 - degree)
        used += edges + fakes
        if used > _BLOCKS:
            break
        lengths[row] = 0
        space.planned[members, 0], space.planned[members, 1], space.planned[members, 2] = row, edges, fakes
        members += edges + fakes > 0
        row += 1
    return members, row


@njit(nogil=True, cache=True, _nrt=False)
def fill_lists(
    start: int,
    stop: int,
    law: ListLaw,
    key: Key,
    space: Workspace,
    room: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> int:
    """Draw the lists of rows start … stop−1 into ``room``; returns how many names they have, or −1 where room ends."""
    row, written = start, 0
    while row < stop:
        members, row = _plan(law, row, stop, space, lengths)
        used = 0
        for member in range(members):
            each, edges, fakes = space.planned[member, 0], space.planned[member, 1], space.planned[member, 2]
            if edges:
                _ask(law, each, EDGES, 0, edges, space, used)
            if fakes:
                _ask(law, each, FAKES, 0, fakes, space, used + edges)
            used += edges + fakes
        _draw(key, space, 0, used)
        at = 0
        for member in range(members):
            each, edges, fakes = space.planned[member, 0], space.planned[member, 1], space.planned[member, 2]
            kept = _keep(law, each, key, space, at, edges) if edges else 0
            end = _add(law, each, key, space, at + edges, fakes, room, written) if fakes else written
            if end < 0 or end + kept > len(room):
                return -1
            if kept:
                _merge(law, each, space.kept, kept, room, written, end)
            lengths[each] = end + kept - written
            written = end + kept
            at += edges + fakes
    return written

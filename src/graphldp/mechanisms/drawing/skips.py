"""Random words for the lists of many rows, and the skips that they stand for: what sparse lists are written from.

A row asks for blocks of words in one of two streams, one for its neighbours and one for strangers. All blocks of a
batch are drawn at a time, and each word is turned into the whole part of a skip
(:mod:`graphldp.mechanisms.drawing.words`). A row that has not come to its end draws on behind the batch.

Nothing here allocates memory, so nothing has to be counted for it (``_nrt=False``): counting took a tenth of the time.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.lanes import BLOCKS, SIXTEEN, ask_four, sixteen_times
from graphldp.mechanisms.drawing.streams import Key, Stream, Words
from graphldp.mechanisms.drawing.words import LONGEST, about_rate_of, draw_blocks, rate_of, uniform, whole_skips

EDGES, FAKES = np.uint64(Stream.EDGES), np.uint64(Stream.FAKES)
BATCH = 512  # blocks: their words and skips stay in the nearest caches
_MOST = BATCH // 2  # blocks that are drawn at a time for one row and one stream
_ROOM = BATCH + _MOST + BLOCKS
WINDOW = 512  # rows that are looked through at a time


Parts = tuple[Any, ...]
"""What a named tuple holds, as Python hands it over: finding out the type of a named one takes numba 0.4 ms a call."""


class ListLaw(NamedTuple):
    """:class:`graphldp.mechanisms.drawing.rows.UserRows`, how likely a neighbour stays and a stranger is added."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    user: NDArray[np.int64]
    n: NDArray[np.int64]
    graph: NDArray[np.int64]
    keep: NDArray[np.float64]
    fake: NDArray[np.float64]


class Workspace(NamedTuple):
    """Memory for one batch, and behind it for the blocks of a row that needs more."""

    counters: Words  # of each block, the four parts apart
    words: Words  # four of each block
    rates: NDArray[np.float64]  # what turns a word's logarithm into a skip
    skips: NDArray[np.int32]  # the whole parts of skips
    rows: NDArray[np.int64]  # those of some hundred rows that have anything to draw
    planned: NDArray[np.int64]  # how many blocks each row of the batch has for neighbours and for strangers
    kept: NDArray[np.int32]  # ranks of neighbours who stay
    before: NDArray[np.int32]  # how many of all others stand before each neighbour


def workspace(degree: int) -> Parts:
    """A :class:`Workspace` for lists of up to ``degree`` neighbours."""
    of_words = (np.empty(4 * _ROOM, kind) for kind in (np.uint64, np.uint64, np.float64, np.int32))
    of_rows = np.empty(WINDOW, np.int64), np.empty((WINDOW, 2), np.int64)
    return *of_words, *of_rows, np.empty(degree + 1, np.int32), np.empty(degree + SIXTEEN, np.int32)


@njit(forceinline=True, _nrt=False)
def blocks_for(probability: float, limit: int) -> int:
    """Blocks to draw at first, enough for most rows: as many words as things will happen, and one that ends the row."""
    mean = probability * limit
    return min(_MOST, 1 + int(0.25 * (mean + 1.0 + sqrt(np.float32(mean))))) if mean > 0.0 else 0


@njit(forceinline=True, _nrt=False)
def ask(law: ListLaw, row: int, stream: np.uint64, first: int, count: int, space: Workspace, at: int) -> None:
    """Ask for blocks first, first + 1, … of a row's stream."""
    user, graph, counters = np.uint64(law.user[row]), np.uint64(law.graph[row]), space.counters
    rate = about_rate_of(law.keep[row] if stream == EDGES else law.fake[row])
    for block in range(0, count, 4):  # up to three more, which the next row writes over
        ask_four(counters, _ROOM, at + block, np.uint64(first + block), user, graph, stream)
        sixteen_times(space.rates, 4 * (at + block), rate)


@njit(nogil=True, cache=True, _nrt=False)
def draw(key: Key, space: Workspace, at: int, count: int) -> bool:
    """Draw words and skips of ``count`` blocks from block ``at`` on; returns whether some skips are not known yet."""
    whole = -(-count // BLOCKS) * BLOCKS
    draw_blocks(key, space.counters, space.words, at, whole)
    whole_skips(space.words, space.rates, space.skips, 4 * at, 4 * whole)
    skips, least = space.skips[4 * at :], np.int32(0)
    for i in range(4 * count):
        least = min(least, skips[i])
    return bool(least < 0)


@njit(nogil=True, cache=True, _nrt=False)
def settle(law: ListLaw, row: int, stream: np.uint64, space: Workspace, at: int, count: int) -> None:
    """Compute the skips of a row that the polynomial could not tell, by the logarithm."""
    rate = rate_of(law.keep[row] if stream == EDGES else law.fake[row])
    for place in range(4 * at, 4 * (at + count)):
        if space.skips[place] < 0:
            space.skips[place] = np.int32(min(log(uniform(space.words[place])) * rate, LONGEST))


@njit(nogil=True, cache=True, _nrt=False)
def draw_more(law: ListLaw, row: int, stream: np.uint64, left: int, first: int, key: Key, space: Workspace) -> int:
    """Draw on behind the batch, for a row that has not come to its end; returns how many blocks."""
    count = max(1, blocks_for(law.keep[row] if stream == EDGES else law.fake[row], left))
    ask(law, row, stream, first, count, space, BATCH)
    if draw(key, space, BATCH, count):
        settle(law, row, stream, space, BATCH, count)
    return count

"""Dense lists as bits, one for each pair, and names only where somebody wants names.

Where more than one pair in 32 is reported, a list of bits is shorter than a list of names. The draws are those of
:mod:`graphldp.mechanisms.drawing.kernels`, and so are the bits. Drawing is faster, for three reasons:

- A bit has its own place, so strangers and true neighbours are not merged into one sorted list.
- The length of every list is known before the names are written (:mod:`graphldp.neighbour_lists.bit_names`), so each
  is written where it stays.
- Where many skips have one rate, a table says how long a skip is by the top bits of its random word. A word that stands
  near the border of two lengths is not in the table and takes the logarithm.
"""

from __future__ import annotations

from math import floor, log

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.machines.threads import in_threads, runs_of
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, Words
from graphldp.mechanisms.drawing.words import block_of, rate_of, uniform
from graphldp.neighbour_lists.bit_lists import words_of

EDGES, FAKES = np.uint64(Stream.EDGES), np.uint64(Stream.FAKES)
PER_NAME = 32
"""Bits of a name."""
_TABLE = 11  # bits of a random word that the table is asked by
_WORTH = 4096.0  # logarithms that a table costs: one is made when as many were paid without it
_NEAR = 1e-6  # far more than the rounding of a logarithm
_ONE, _SIX, _LAST = np.uint64(1), np.uint64(6), np.uint64(63)
_TOP = np.uint64(64 - _TABLE)


@njit(nogil=True, cache=True)
def lengths_of_skips(rate: float, table: NDArray[np.int32]) -> None:
    """Of each range of words the whole part of its skips, or −1 where they are not all alike."""
    width = 2.0**-_TABLE
    table[0] = -1
    for place in range(1, 1 << _TABLE):
        longest, shortest = log(place * width) * rate, log((place + 1) * width) * rate
        alike = floor(longest + _NEAR) == floor(shortest - _NEAR) and longest < 2.0**30
        table[place] = np.int32(floor(longest)) if alike else np.int32(-1)


@njit(nogil=True, cache=True)
def _set_kept(
    friends: NDArray[np.int32], keep: float, user: int, graph: int, key: Key, words: Words, own: Words
) -> int:
    """Set the bits of the true neighbours who stay; returns how many they are."""
    rate, number, count, degree = rate_of(keep), 0, 0, len(friends)
    kept = -1 if keep > 0.0 else degree
    while kept < degree:
        if number & 3 == 0:
            block_of(number >> 2, user, graph, EDGES, key, words)
        skip = log(uniform(words[number & 3])) * rate
        number += 1
        kept = degree if skip >= degree else kept + 1 + int(skip)
        if kept < degree:
            place = np.uint64(friends[kept])
            own[place >> _SIX] |= _ONE << (place & _LAST)
            count += 1
    return count


@njit(nogil=True, cache=True)
def _set_strangers(
    friends: NDArray[np.int32],
    n: int,
    rate: float,
    quick: bool,
    table: NDArray[np.int32],
    user: int,
    graph: int,
    key: Key,
    words: Words,
    own: Words,
) -> int:
    """Set the bits of the strangers who are added; returns how many they are."""
    degree, early, late = len(friends), words[:4], words[4:]
    strangers = n - 1 - degree
    edge, passed, number, count = 0, 0, 0, 0
    stranger = np.int64(-1)
    before = degree > 0 and friends[0] < user
    limit = np.int64(friends[0]) if before else np.int64(user)  # the next one who is no stranger
    while stranger < strangers:
        block_of(number, user, graph, FAKES, key, early)
        block_of(number + 1, user, graph, FAKES, key, late)
        number += 2
        for i in range(8):
            length = np.int64(table[words[i] >> _TOP]) if quick else np.int64(-1)
            if length < 0:
                skip = log(uniform(words[i])) * rate
                length = np.int64(strangers) if skip >= strangers else np.int64(skip)
            stranger += 1 + length
            if stranger >= strangers:
                break
            while stranger + passed >= limit:
                edge += limit != user
                passed += 1
                limit = np.int64(friends[edge]) if edge < degree else np.int64(n)
                if edge == passed and user < limit:  # she herself has not been passed
                    limit = np.int64(user)
            place = np.uint64(stranger + passed)
            own[place >> _SIX] |= _ONE << (place & _LAST)
            count += 1
    return count


@njit(nogil=True, cache=True)
def _fill_bits(
    start: int,
    stop: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    users: NDArray[np.int64],
    sizes: NDArray[np.int64],
    graphs: NDArray[np.int64],
    keep: NDArray[np.float64],
    fake: NDArray[np.float64],
    key: Key,
    word_ptr: NDArray[np.int64],
    bits: Words,
    lengths: NDArray[np.int64],
) -> None:
    """Draw the lists of rows start … stop−1 into ``bits``, which are 0 before."""
    words = np.empty(8, np.uint64)
    table, tabled, paid = np.empty(1 << _TABLE, np.int32), np.nan, 0.0
    for row in range(start, stop):
        friends, who = indices[indptr[row] : indptr[row + 1]], (users[row], graphs[row])
        own = bits[word_ptr[row] : word_ptr[row + 1]]
        lengths[row] = _set_kept(friends, keep[row], *who, key, words, own)
        if fake[row] > 0.0:
            rate = rate_of(fake[row])
            if tabled != rate and paid > _WORTH:
                lengths_of_skips(rate, table)
                tabled, paid = rate, 0.0
            if tabled != rate:
                paid += fake[row] * sizes[row]
            lengths[row] += _set_strangers(friends, sizes[row], rate, tabled == rate, table, *who, key, words, own)


def sample_bits(
    rows: UserRows, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], Words, NDArray[np.int64]]:
    """Noisy lists as :func:`graphldp.mechanisms.drawing.kernels.sample_lists` draws them, one bit for each pair.

    Returns:
        Where each row's words begin, the words, and how many bits of each row are set. Bit j of a row, counted from the
        lowest of its first word, says whether j is in the list.
    """
    word_ptr = np.concatenate(([0], np.cumsum(words_of(rows.n))))
    bits, lengths = np.zeros(word_ptr[-1], np.uint64), np.empty(len(rows), np.int64)
    lists = rows.indptr, rows.indices, rows.user, rows.n, rows.graph
    in_threads(
        lambda run: _fill_bits(run[0], run[1], *lists, keep, fake, key, word_ptr, bits, lengths),
        runs_of(1.0 + rows.degrees + fake * rows.n),
    )
    return word_ptr, bits, lengths

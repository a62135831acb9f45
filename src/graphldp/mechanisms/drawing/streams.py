"""Where randomness comes from: one seed, many independent streams, the same bits however the work is split.

Every word of randomness is Philox4x64-10 (Salmon et al. 2011), a keyed bijection of a 256-bit counter, at

    key = two words of the seed,   counter = (block, user, graph, stream),

so a user's draws depend on (seed, stream, graph, user) alone: on no other user, no thread, no partition of the work.
The words are those of ``numpy.random.Philox(key=key, counter=[0, user, graph, stream])``, which the tests use as an
oracle.

This is for simulation: a seed can be replayed. A live client draws from the operating system and takes no seed.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter

Rng = int | np.random.Generator | np.random.SeedSequence | None
Key = NDArray[np.uint64]
Words = NDArray[np.uint64]


class Stream(IntEnum):
    """One number for each use of randomness, so that no two uses share a draw."""

    DEGREE = 1  # noise on the degree
    EDGES = 2  # which true neighbours stay
    FAKES = 3  # which strangers are added
    PUBLIC = 4  # who is public
    PAIR_NOISE = 5  # LocalLap: noise on true pairs
    PAIR_ORDER = 6  # LocalLap: order statistics of the other pairs' noise
    PAIR_CHOICE = 7  # LocalLap: which of the other pairs
    STEP = 8  # whether a noisy degree is made coarser
    STEP_SIZE = 9  # and by how much
    SECOND = 10  # HubCounts: the second noise of a degree
    AWAY = 11  # HubCounts, ClosedPairs: who does not come back
    COUNTS = 12  # FriendCounts: noise on the counts
    CHOICE = 13  # MultiBit: which numbers a user tells of
    BITS = 14  # and the bits
    CATEGORY = 15  # CategoryRR: what she tells
    ANSWER = 16  # ClosedPairs: noise on the count


def key_from(rng: Rng, owner: str) -> Key:
    """Two words from an int, a ``Generator`` (which advances), a ``SeedSequence``, or fresh entropy for None."""
    if isinstance(rng, np.random.Generator):
        return np.asarray(rng.integers(0, 2**64, size=2, dtype=np.uint64))
    if isinstance(rng, np.random.SeedSequence):
        return np.asarray(rng.generate_state(2, np.uint64), np.uint64)
    if rng is None or (isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0):
        return key_from(np.random.SeedSequence(None if rng is None else int(rng)), owner)
    raise bad_parameter("rng", owner, "an int ≥ 0, a numpy Generator, a SeedSequence or None", rng)


MULTIPLIER = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
ROUNDS = 10
_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def _multiply(constant: int, x: Words) -> tuple[Words, Words]:
    """High and low word of constant · x, from 32-bit halves."""
    a_low, a_high = np.uint64(constant & 0xFFFFFFFF), np.uint64(constant >> 32)
    x_low, x_high = x & _MASK, x >> _HALF
    cross = a_high * x_low + ((a_low * x_low) >> _HALF)
    middle = a_low * x_high + (cross & _MASK)
    return a_high * x_high + (cross >> _HALF) + (middle >> _HALF), np.uint64(constant) * x


def philox(key: Key, stream: Stream, graph: Words, user: Words, word: Words) -> Words:
    """Word number ``word`` of each (stream, graph, user), vectorised."""
    four = _blocks(key, stream, graph, user, word >> np.uint64(2))
    return np.choose((word & np.uint64(3)).astype(np.intp), four)


def first_words(key: Key, stream: Stream, graph: Words, user: Words, count: int) -> Words:
    """Words 0 to count − 1 of each (stream, graph, user), [users, count]: a block gives four of them at once."""
    number = np.arange(-(-count // 4), dtype=np.uint64)
    four = _blocks(key, stream, graph[:, None], user[:, None], number[None])
    return np.stack(four, axis=2).reshape(len(user), -1)[:, :count]


def _blocks(key: Key, stream: Stream, graph: Words, user: Words, number: Words) -> tuple[Words, ...]:
    """The four words of each block."""
    c0, c1, c2 = np.broadcast_arrays(number + np.uint64(1), user, graph)
    c3 = np.full_like(c0, int(stream))
    k0, k1 = int(key[0]), int(key[1])
    for _ in range(ROUNDS):
        high0, low0 = _multiply(MULTIPLIER[0], c0)
        high1, low1 = _multiply(MULTIPLIER[1], c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ np.uint64(k0), low1, high0 ^ c3 ^ np.uint64(k1), low0
        k0, k1 = (k0 + WEYL[0]) % 2**64, (k1 + WEYL[1]) % 2**64
    return c0, c1, c2, c3


def to_uniform(words: Words) -> NDArray[np.float64]:
    """The top 52 bits as a number strictly between 0 and 1: with 53, adding the half would round up to 1.

    (k + ½)·2⁻⁵² for these bits k: as a fraction behind 1 they are the bits of 1 + k·2⁻⁵².
    """
    bits = words >> np.uint64(12)
    bits |= np.uint64(0x3FF0000000000000)  # the bits of 1
    numbers = bits.view(np.float64)
    numbers -= 1.0 - 2.0**-53
    return numbers

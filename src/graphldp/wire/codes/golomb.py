"""Sorted positions as bits: a Rice code of the gaps (Golomb 1966; Rice 1979), whole arrays at a time.

Of m positions below ``size``, gap g is the number of positions skipped since the one before. With the parameter k:

    the k low bits of every gap, then every ⌊g/2ᵏ⌋ in unary (that many zeros, then a one), then zeros to a whole byte

Both halves are laid side by side instead of interleaved, so that each is one array operation. k = 0 has no low bits,
and its unary half is the bitmap of the positions up to the last one: no list costs more than its bitmap. k is the
smallest that gives the fewest bits, so every set of positions has exactly one code, and a reader refuses any other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError

Positions = NDArray[np.int64]


def pack(positions: Positions) -> tuple[int, bytes]:
    """The best k and the bits of sorted, distinct positions."""
    gaps = np.diff(positions, prepend=-1) - 1
    k, m = best_parameter(gaps), len(gaps)
    ones = m * k + np.cumsum(gaps >> k) + np.arange(m)
    bits = np.zeros(int(ones[-1]) + 1 if m else 0, np.uint8)
    for place in range(k):
        bits[place : m * k : k] = gaps >> (k - 1 - place) & 1
    bits[ones] = 1
    return k, np.packbits(bits).tobytes()


def unpack(data: bytes, k: int, m: int, size: int) -> Positions:
    """The m positions below ``size`` that ``data`` holds.

    Raises:
        WireError: for anything that :func:`pack` would not have written.
    """
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    if m * (k + 1) > len(bits):
        raise WireError("The list is cut short.")
    ones = np.flatnonzero(bits[m * k :])
    if len(ones) != m:
        raise WireError("The list does not hold as many entries as its header says.")
    used = m * k + (int(ones[-1]) + 1 if m else 0)
    if -(-used // 8) != len(data):
        raise WireError("The list is followed by bytes that mean nothing.")
    gaps = np.diff(ones, prepend=-1) - 1
    for place in range(k):
        gaps = gaps << 1 | bits[place : m * k : k]
    if m and (int(gaps.max()) >= size or int(gaps.sum()) + m > size):
        raise WireError("The list names users beyond the community's last.")
    if best_parameter(gaps) != k:
        raise WireError("The list is not in its shortest code.")
    return np.cumsum(gaps + 1) - 1


def best_parameter(gaps: Positions) -> int:
    """The smallest k with the fewest bits, m(k + 1) + Σ⌊g/2ᵏ⌋.

    One more low bit costs m and saves Σ⌈⌊g/2ᵏ⌋/2⌉, which only shrinks with k: the first that does not pay is the best.
    """
    k, high = 0, gaps
    while int((high - (high >> 1)).sum()) > len(gaps):
        k, high = k + 1, high >> 1
    return k

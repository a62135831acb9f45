"""Sorted positions as bits: a Rice code of the gaps (Golomb 1966; Rice 1979), whole arrays at a time.

Of m positions below ``size``, gap g is the number of positions skipped since the one before. With the parameter k:

    the k low bits of every gap, then every ⌊g/2ᵏ⌋ in unary (that many zeros, then a one), then zeros to a whole byte

Both halves are laid side by side instead of interleaved, so that each is one array operation. k = 0 has no low bits,
and its unary half is the bitmap of the positions up to the last one: no list costs more than its bitmap. k is the
smallest that gives the fewest bits, so every set of positions has exactly one code, and a reader refuses any other.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError

LONGEST = 1024  # bytes that are looked at as one number; arrays look at more of them faster
_CHUNK = 1 << 14  # bytes that are bits at a time: what arrays of them take stays below a few megabytes
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


def fits(data: bytes, k: int, m: int, size: int) -> bool:
    """Whether ``data`` is the one code of m positions below ``size``, as :func:`unpack` finds out.

    The bits are one number too: what is asked of all gaps at once takes a few operations on it.
    """
    if len(data) > LONGEST:
        return _fits_long(data, k, m, size)
    bits = int.from_bytes(data)
    width = 8 * len(data) - m * k
    if width < 0:
        return False
    low, high = bits >> width, bits & (1 << width) - 1  # the k low bits of every gap; the rest of it in unary
    padding = (high & -high).bit_length() - 1 if m else width
    unary = width - padding  # m ones, and as many zeros as the gaps' high parts add up to
    if high.bit_count() != m or not 0 <= padding < 8:
        return False
    # the smallest k with the fewest bits, as best_parameter finds it: this one does not pay, the last one did
    if unary > 2 * m and len(f"{high >> padding:0{unary}b}".replace("00", "0")) > 2 * m:
        return False
    each = _repeated_one(m, k)
    if k and unary + (low >> k - 1 & each).bit_count() <= 2 * m:
        return False
    gaps = unary - m << k
    if k and m <= 2 << k:  # every other gap in a place twice as wide: what these add up to is what is left of them
        modulus, others = (1 << 2 * k) - 1, _repeated_one((m + 1) // 2, 2 * k) * ((1 << k) - 1)
        gaps += (low & others) % modulus + (low >> k & others) % modulus
    else:
        for place in range(k):
            gaps += (low >> place & each).bit_count() << place
    return gaps + m <= size


def _fits_long(given: bytes, k: int, m: int, size: int) -> bool:
    """As :func:`fits` for long data, some of the bits at a time."""
    data, low_bits = np.frombuffer(given, np.uint8), m * k
    if low_bits + m > 8 * len(data):
        return False
    count, last, halves = 0, -1, 0  # of the unary half: ones so far, the last of them, what one more low bit would save
    for at in range(low_bits // 8, len(data), _CHUNK):
        bits = np.unpackbits(data[at : at + _CHUNK])
        ones = np.flatnonzero(bits[max(0, low_bits - 8 * at) :]) + max(8 * at - low_bits, 0)
        if len(ones):
            gaps = np.diff(ones, prepend=last) - 1
            halves += int((gaps - (gaps >> 1)).sum())
            count, last = count + len(ones), int(ones[-1])
    if count != m or -(-(low_bits + last + 1) // 8) != len(data) or halves > m:
        return False
    high, places = last + 1 - m, _sums(data, m, k)
    if k and high + places[0] <= m:
        return False
    low = sum(total << (k - 1 - place) for place, total in enumerate(places))
    return (high << k) + low + m <= size


def _sums(data: NDArray[np.uint8], m: int, k: int) -> list[int]:
    """How many of m numbers of k bits have a one in each place, the highest first."""
    total = np.zeros(k, np.int64)
    for first in range(0, m if k else 0, 8 * _CHUNK // 32):  # whole bytes, whatever k is
        count = min(m - first, 8 * _CHUNK // 32)
        bits = np.unpackbits(data[first * k // 8 : -(-(first + count) * k // 8)], count=count * k)
        total += bits.reshape(count, k).sum(axis=0, dtype=np.int64)
    return [int(each) for each in total]


@lru_cache(maxsize=4096)
def _repeated_one(m: int, k: int) -> int:
    """A one in the lowest bit of each of m numbers of k bits."""
    return ((1 << m * k) - 1) // ((1 << k) - 1) if k else 0

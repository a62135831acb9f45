"""The check of a long list that arrives, some of its bits at a time, with NumPy: a collector has it, a client not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 14  # bytes that are bits at a time: what arrays of them take stays below a few megabytes


def fits_long(given: bytes, k: int, m: int, size: int) -> bool:
    """As :func:`graphldp.wire.codes.golomb.fits`."""
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

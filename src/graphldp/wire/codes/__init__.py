"""Codes of a list in few bytes: the sorted positions below a size, or those that are left out where they are fewer.

They are a Rice code of the gaps with a parameter k (:mod:`.golomb`), and few bits more than a list must have.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from graphldp.wire.codes import golomb


def pack(listed: Sequence[int], size: int) -> tuple[int, bytes]:
    """k and the bytes."""
    return golomb.pack(_complement(listed, size) if len(listed) > size - len(listed) else listed)


def unpack(data: bytes, k: int, count: int, size: int) -> list[int]:
    """The ``count`` positions below ``size`` that were packed.

    Raises:
        WireError: for anything that :func:`pack` would not have written.
    """
    written = min(count, size - count)
    found = golomb.unpack(data, k, written, size)
    return _complement(found, size) if count > written else found


def fits(data: bytes, k: int, count: int, size: int) -> bool:
    """Whether :func:`pack` would have written it, found out without unpacking it."""
    return golomb.fits(data, k, min(count, size - count), size)


def _complement(positions: Sequence[int], size: int) -> list[int]:
    left = bytearray(b"\1") * size
    for position in positions:
        left[position] = 0
    return list(compress(range(size), left))

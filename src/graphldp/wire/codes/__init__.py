"""Codes of a list in few bytes: the sorted positions below a size, or those that are left out where they are fewer.

They are a Rice code of the gaps with a parameter k (:mod:`.golomb`), and few bits more than a list must have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.wire.codes import golomb

Positions = NDArray[np.int64]


def pack(listed: Positions, size: int) -> tuple[int, bytes]:
    """k and the bytes."""
    return golomb.pack(_complement(listed, size) if len(listed) > size - len(listed) else listed)


def unpack(data: bytes, k: int, count: int, size: int) -> Positions:
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


def _complement(positions: Positions, size: int) -> Positions:
    mask = np.ones(size, np.bool_)
    mask[positions] = False
    return np.flatnonzero(mask)

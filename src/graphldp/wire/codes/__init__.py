"""Codes of a list in few bytes: the sorted positions below a size, or those that are left out where they are fewer.

Below 512 they are one number (:mod:`.combinations`), else a Rice code of the gaps with a parameter k (:mod:`.golomb`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError
from graphldp.wire.codes import combinations, golomb

SMALL = 512  # users up to which a list is one number; beyond, the last byte of a Rice code is no matter
Positions = NDArray[np.int64]


def pack(listed: Positions, size: int) -> tuple[int, bytes]:
    """k, which is 0 where there is none, and the bytes."""
    written = _complement(listed, size) if len(listed) > size - len(listed) else listed
    return (0, combinations.pack(written, size)) if size < SMALL else golomb.pack(written)


def unpack(data: bytes, k: int, count: int, size: int) -> Positions:
    """The ``count`` positions below ``size`` that were packed.

    Raises:
        WireError: for anything that :func:`pack` would not have written.
    """
    written = min(count, size - count)
    if size >= SMALL:
        found = golomb.unpack(data, k, written, size)
    elif k:
        raise WireError(f"A list of {SMALL} users or fewer has no k.")
    else:
        found = combinations.unpack(data, written, size)
    return _complement(found, size) if count > written else found


def fits(data: bytes, k: int, count: int, size: int) -> bool:
    """Whether :func:`pack` would have written it, found out without unpacking it."""
    written = min(count, size - count)
    if size >= SMALL:
        return golomb.fits(data, k, written, size)
    return not k and combinations.fits(data, written, size)


def _complement(positions: Positions, size: int) -> Positions:
    mask = np.ones(size, np.bool_)
    mask[positions] = False
    return np.flatnonzero(mask)

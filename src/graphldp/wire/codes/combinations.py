"""Sorted positions as one number: their place among all sets of as many (Cover 1973, enumerative source coding).

Of the C(size, m) sets of m positions p₀ < p₁ < … below ``size``, in the order of the combinatorial number system, this
one comes after

    C(p₀, 1) + C(p₁, 2) + … + C(pₘ₋₁, m)

others. The number is written in the fewest whole bytes that hold C(size, m) − 1, so no code that treats all sets alike
is shorter, and every number below C(size, m) stands for one set. Both directions walk down the positions with one
binomial coefficient, which each step multiplies and divides by small numbers: linear in ``size``, on numbers of as many
bits. That is little for the short lists of small communities, and too much for long ones.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError

Positions = NDArray[np.int64]


class Sets(NamedTuple):
    """The sets of positions: how many there are, and how many bytes their numbers take."""

    total: int
    width: int


@lru_cache(maxsize=4096)
def sets(size: int, m: int) -> Sets:
    """The sets of m positions below ``size``."""
    total = comb(size, m)
    return Sets(total, -(-(total - 1).bit_length() // 8))


def pack(positions: Positions, size: int) -> bytes:
    """The bytes of sorted, distinct positions below ``size``."""
    listed, left = set(positions.tolist()), len(positions)
    number, smaller = 0, comb(size - 1, left) if size else 0
    for place in range(size - 1, 0, -1):
        if place in listed:
            number += smaller
            smaller = smaller * left // place
            left -= 1
        else:
            smaller = smaller * (place - left) // place
    return number.to_bytes(sets(size, len(positions)).width)


def unpack(data: bytes, m: int, size: int) -> Positions:
    """The m positions below ``size`` that ``data`` holds.

    Raises:
        WireError: for anything that :func:`pack` would not have written.
    """
    total, width = sets(size, m)
    if len(data) < width:
        raise WireError("The list is cut short.")
    if len(data) > width:
        raise WireError("The list is followed by bytes that mean nothing.")
    number = int.from_bytes(data)
    if number >= total:
        raise WireError("The list's number is beyond that of the last list.")
    found, left, smaller = [], m, comb(size - 1, m) if size else 0
    for place in range(size - 1, -1, -1):
        if left and number >= smaller:
            found.append(place)
            number -= smaller
            smaller = smaller * left // place if place else 0
            left -= 1
        else:
            smaller = smaller * (place - left) // place if place else 0
    return np.array(found[::-1], np.int64)


def fits(data: bytes, m: int, size: int) -> bool:
    """Whether ``data`` is the number of m positions below ``size``."""
    total, width = sets(size, m)
    return len(data) == width and int.from_bytes(data) < total

"""Whole numbers in as few bytes as they need: seven bits a byte, low ones first, the top bit set on all but the last.

A number has one form: at most four bytes, and no last byte of zero after another.
"""

from __future__ import annotations

from functools import lru_cache

MOST_BYTES = 4
CUT, PADDED, LARGE = -1, -2, -3  # where no number ends: the bytes do, one is too many, or there are too many of them


@lru_cache(maxsize=1 << 16)
def write(value: int) -> bytes:
    """A number's one form."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def read(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a place, and where it ends: ``CUT``, ``PADDED`` or ``LARGE`` where it does not."""
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for place, byte in enumerate(data[at : at + MOST_BYTES]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return (value, at + place + 1) if byte else (0, PADDED)
    return 0, LARGE if len(data) >= at + MOST_BYTES else CUT


def fold(value: int) -> int:
    """A number of either sign as one that is not negative: 0, −1, 1, −2, … become 0, 1, 2, 3, …."""
    return value * 2 if value >= 0 else -value * 2 - 1


def unfold(folded: int) -> int:
    """What :func:`fold` folded."""
    return -(folded >> 1) - 1 if folded & 1 else folded >> 1

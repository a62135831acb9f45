"""Rosters: how names are compared, and the digest by which members see that they were shown the same ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hashlib import _Hash

_MARK = b"\xff" * 8  # no name is so long
_GROUPS, _DIGITS = 8, 4


def plain(name: str) -> str:
    """A name as it is compared: without regard to case, an @ in front, and the ways Unicode has to write one letter."""
    return unicodedata.normalize("NFC", name.strip().removeprefix("@")).casefold()


def roster_digest(names: Sequence[str], group_names: Sequence[str] = (), groups: Sequence[int] = ()) -> str:
    """SHA-256 of a roster, in hex: of each name its length as eight bytes, big-endian, then its UTF-8 bytes.

    The lengths keep two rosters apart whose names run together, whatever characters the names hold. In a community with
    groups it goes on: eight bytes of 255, the groups' names in the same way, eight bytes of 255, and the number of each
    user's group as eight bytes.
    """
    total = sha256()
    _add(total, names)
    if group_names:
        total.update(_MARK)
        _add(total, group_names)
        total.update(_MARK + np.asarray(groups, ">u8").tobytes())
    return total.hexdigest()


def _add(total: _Hash, names: Sequence[str]) -> None:
    for name in names:
        data = name.encode()
        total.update(len(data).to_bytes(8, "big") + data)


def spoken(digest: str) -> str:
    """The first 128 bits of a digest in groups, for two members to compare by voice.

    Fewer would not do: whoever makes both rosters looks for two that agree, and finds them after the square root of
    all values.
    """
    return " ".join(digest[start : start + _DIGITS] for start in range(0, _GROUPS * _DIGITS, _DIGITS))

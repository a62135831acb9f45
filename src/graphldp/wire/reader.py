"""Numbers and messages byte by byte: what a message is called stands in every reason why it is refused.

A whole number takes as few bytes as it needs: seven bits a byte, low ones first, the top bit set on all but the last.
It has one form: at most four bytes, and no last byte of zero after another. A number of either sign is folded first.
"""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral

from graphldp.errors import WireError

MOST_BYTES = 4  # of a number


@lru_cache(maxsize=1 << 16)
def varint(value: int) -> bytes:
    """A number's one form."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def zigzag(value: int) -> bytes:
    """The one form of a number of either sign: 0, −1, 1, −2, … are written as 0, 1, 2, 3, …."""
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


class Reader:
    """The parts of a message, one after the other.

    Args:
        data: its bytes.
        what: what to call it where something is wrong.
    """

    def __init__(self, data: bytes, what: str) -> None:
        self.data, self.what, self.at = data, what, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        taken = self.data[self.at : self.at + count]
        if len(taken) != count:
            raise WireError(f"The {self.what} is cut short.")
        self.at += count
        return taken

    def rest(self) -> bytes:
        """All that is left."""
        return self.data[self.at :]

    def varint(self, name: str) -> int:
        """A number of no sign."""
        value, data, at = 0, self.data, self.at
        for place, byte in enumerate(data[at : at + MOST_BYTES]):
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                if place and not byte:
                    raise WireError(f"The {self.what}'s {name} is written with more bytes than it needs.")
                self.at = at + place + 1
                return value
        if len(data) < at + MOST_BYTES:
            raise WireError(f"The {self.what} is cut short.")
        raise WireError(f"The {self.what}'s {name} is too large.")

    def signed(self, name: str) -> int:
        """A number of either sign."""
        folded = self.varint(name)
        return -(folded >> 1) - 1 if folded & 1 else folded >> 1

    def version(self, first: int) -> None:
        """The first byte, which says what kind of message it is, in which version."""
        if self.take(1)[0] != first:
            raise WireError(f"These bytes are not {_article(self.what)} {self.what} of a known version.")

    def users(self, n: int | None) -> int:
        """How many users the community has: ``n``, where that is known."""
        users = self.varint("n")
        if n is not None and users != n:
            raise WireError(f"The {self.what} is for a community of {users} users, not {n}.")
        return users


def _article(what: str) -> str:
    return "an" if what[0] in "aeiou" else "a"


def check_whole(what: str, name: str, value: object, low: int, high: int) -> None:
    """Refuse what is no whole number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (int, Integral)) or not low <= int(value) <= high:
        raise WireError(f"{_article(what).title()} {what}'s {name} must be a whole number from {low} to {high}.")

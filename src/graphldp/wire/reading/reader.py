"""A message read byte by byte: what it is called stands in every reason why it is refused."""

from __future__ import annotations

import numpy as np

from graphldp.errors import WireError
from graphldp.wire.codes import varints


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
        value, end = varints.read(self.data, self.at)
        if end == varints.CUT:
            raise WireError(f"The {self.what} is cut short.")
        if end == varints.PADDED:
            raise WireError(f"The {self.what}'s {name} is written with more bytes than it needs.")
        if end == varints.LARGE:
            raise WireError(f"The {self.what}'s {name} is too large.")
        self.at = end
        return value

    def signed(self, name: str) -> int:
        """A number of either sign."""
        return varints.unfold(self.varint(name))

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
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise WireError(f"{_article(what).title()} {what}'s {name} must be a whole number from {low} to {high}.")

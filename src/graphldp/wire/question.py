"""The second question, as bytes: who is busy? A community by hub-counts asks it once, and hubs count by it.

::

    byte 0        0xE3: a question, version 1
    n             varint                      users in the community, 1 to 2²⁷
    busy          ⌈n/8⌉ bytes                 a bit for each user, the most significant one first: 1 for who is busy;
                                              zeros up to a whole byte

Its digest is the SHA-256 of these bytes. An answer names it, so that nobody can take an answer to one question for an
answer to another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError
from graphldp.wire.codes import varints
from graphldp.wire.reading.reader import Reader, check_whole
from graphldp.wire.report import MAX_USERS

QUESTION_TYPE = "application/vnd.graphldp.question"
_FIRST_BYTE = 0xE3


@dataclass(frozen=True, eq=False)
class Question:
    """Who is said to be busy.

    Args:
        busy: True for each user who is.
    """

    busy: NDArray[np.bool_] = field(repr=False)

    def __post_init__(self) -> None:
        given = np.array(self.busy)
        if given.ndim != 1 or given.dtype != np.bool_:
            raise WireError("A question must say of each user whether she is busy.")
        check_whole("question", "n", len(given), 1, MAX_USERS)
        given.flags.writeable = False
        object.__setattr__(self, "busy", given)

    @property
    def n(self) -> int:
        """Users in the community."""
        return len(self.busy)

    def encode(self) -> bytes:
        """The one encoding of a question."""
        return bytes((_FIRST_BYTE,)) + varints.write(self.n) + np.packbits(self.busy).tobytes()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the encoding, in hex."""
        return sha256(self.encode()).hexdigest()

    @staticmethod
    def decode(data: bytes, *, n: int) -> Question:
        """Read a question to a community of n users.

        Raises:
            WireError: for anything that :meth:`encode` would not have written, with the reason.
        """
        reader = Reader(data, "question")
        reader.version(_FIRST_BYTE)
        reader.users(n)
        packed = reader.rest()
        if len(packed) != -(-n // 8):
            raise WireError(f"A question to {n} users has {-(-n // 8)} bytes of bits.")
        bits = np.unpackbits(np.frombuffer(packed, np.uint8))
        if bits[n:].any():
            raise WireError("A question ends in zeros.")
        return Question(bits[:n].astype(np.bool_))

"""A hub's answer to the second question, as bytes.

::

    byte 0        0xE2: an answer, version 1
    n             varint                      users in the community, 1 to 2²⁷
    user          varint                      the answering user's number, below n
    question      32 bytes                    the digest of the question that is answered
    u₂            zigzag varint               her busy friends, with noise

The noisy number of her other friends is not sent: u₁ = d* − u₂, and d* is in her report. So every answer adds up. It
has exactly one encoding; whatever else arrives is refused with a reason. Test vectors are in ``tests/wire/vectors``.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass

from graphldp.errors import WireError
from graphldp.wire.codes import varints
from graphldp.wire.reading.reader import Reader, check_whole
from graphldp.wire.reading.strict import read_object
from graphldp.wire.report import DEGREE_RANGE, MAX_USERS

ANSWER_TYPE = "application/vnd.graphldp.answer"
MAX_ANSWER = 45
_FIRST_BYTE = 0xE2
_DIGEST = re.compile("[0-9a-f]{64}")
_FIELDS = ("n", "user", "question", "busy_friends")


@dataclass(frozen=True)
class Answer:
    """One hub's answer, as it leaves her device.

    Args:
        n: users in the community.
        user: her number in the roster.
        question: the digest of the question, in hex.
        busy_friends: u₂, how many of her friends are busy, with noise.
    """

    n: int
    user: int
    question: str
    busy_friends: int

    def __post_init__(self) -> None:
        check_whole("answer", "n", self.n, 1, MAX_USERS)
        check_whole("answer", "user", self.user, 0, self.n - 1)
        check_whole("answer", "busy_friends", self.busy_friends, *DEGREE_RANGE)
        if type(self.question) is not str or not _DIGEST.fullmatch(self.question):
            raise WireError("An answer's question must be 64 hexadecimal digits.")

    def encode(self) -> bytes:
        """The one encoding of an answer."""
        head = bytes((_FIRST_BYTE,)) + varints.write(self.n) + varints.write(self.user)
        return head + bytes.fromhex(self.question) + varints.write(varints.fold(self.busy_friends))

    @staticmethod
    def decode(data: bytes, *, n: int) -> Answer:
        """Read an answer of a community of n users.

        Raises:
            WireError: for anything that :meth:`encode` would not have written, with the reason.
        """
        reader = Reader(data, "answer")
        reader.version(_FIRST_BYTE)
        users, user, question = reader.users(n), reader.varint("user"), reader.take(32).hex()
        found = Answer(users, user, question, reader.signed("count"))
        if reader.rest():
            raise WireError("The answer is followed by bytes that mean nothing.")
        return found

    def to_json(self) -> str:
        """The form for people."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Answer:
        """Read the form for people, as strictly as :meth:`decode`."""
        fields = read_object(text)
        if set(fields) != set(_FIELDS):
            raise WireError(f"An answer in JSON is an object with the fields {', '.join(_FIELDS)}.")
        return Answer(**fields)

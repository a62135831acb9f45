"""The second questions and their answer, as bytes. A community asks one, once.

By hub-counts it says who is busy, and hubs count by it::

    byte 0        0xE3: a question, version 1
    n             varint                      users in the community, 1 to 2²⁷
    busy          ⌈n/8⌉ bytes                 a bit for each user, the most significant one first: 1 for who is busy;
                                              zeros up to a whole byte

By closed-pairs it holds all noisy lists, and everybody counts pairs of her friends by them::

    byte 0        0xE5: noisy lists, version 1
    n             varint                      users in the community, 1 to 2,000
    lists         ⌈n(n−1)/8⌉ bytes            of each user, a bit for each other one, in the order of their numbers: 1
                                              for who is listed; zeros up to a whole byte

Its digest is the SHA-256 of these bytes. An answer names it, so that nobody can take an answer to one question for an
answer to another::

    byte 0        0xE2: an answer, version 1
    n             varint                      users in the community, 1 to 2²⁷
    user          varint                      the answering user's number, below n
    question      32 bytes                    the digest of the question that is answered
    u             zigzag varint               what she counted, with noise

By hub-counts it is u₂, her busy friends. The noisy number of the others is not sent: u₁ = d* − u₂, and d* is in her
report. So every answer adds up. By closed-pairs it is a count less what is subtracted for each friend
(``docs/mechanisms/closed-pairs.md``). Each of these messages has exactly one encoding; whatever else arrives is refused
with a reason. Test vectors are in ``tests/wire/vectors``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from operator import add, itemgetter
from typing import Any

from graphldp.errors import WireError
from graphldp.privacy.pairs import PAIR_USERS
from graphldp.wire.layout import DEGREE_RANGE, LAYOUTS, MAX_USERS
from graphldp.wire.reader import Reader, check_whole, varint, zigzag
from graphldp.wire.strict_json import read_object

QUESTION_TYPE = "application/vnd.graphldp.question"
ANSWER_TYPE = "application/vnd.graphldp.answer"
MAX_ANSWER = 45
_QUESTION_BYTE, _ANSWER_BYTE, _LISTS_BYTE = 0xE3, 0xE2, 0xE5
_DIGEST = re.compile("[0-9a-f]{64}")
_FIELDS = ("n", "user", "question", "count")
_BITS, _DIGITS = bytes.maketrans(b"01", b"\0\1"), bytes.maketrans(b"\0\1", b"01")
Flags = Any  # what lends its memory, as arrays of NumPy do: kept is a memoryview of the format "?", unchangeable


@dataclass(frozen=True, eq=False)
class Question:
    """The question of hub-counts: who is said to be busy.

    Args:
        busy: True for each user who is.
    """

    busy: Flags = field(repr=False)

    def __post_init__(self) -> None:
        given = _flags(self.busy, 1)
        if given is None:
            raise WireError("A question must say of each user whether she is busy.")
        check_whole("question", "n", len(given), 1, MAX_USERS)
        object.__setattr__(self, "busy", memoryview(given.tobytes()).cast("?"))

    @property
    def n(self) -> int:
        """Users in the community."""
        return len(self.busy)

    def encode(self) -> bytes:
        """The one encoding of a question."""
        return bytes((_QUESTION_BYTE,)) + varint(self.n) + _packed(self.busy.tobytes())

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
        return Question(memoryview(_bits(data, _QUESTION_BYTE, n, n)).cast("?"))


@dataclass(frozen=True, eq=False)
class NoisyLists:
    """The noisy lists of a community, as it publishes them.

    Args:
        listed: [users, users], True where the first one's list names the second; nobody's names herself.
    """

    listed: Flags = field(repr=False)

    def __post_init__(self) -> None:
        given = _flags(self.listed, 2)
        if given is None or any(given.tobytes()[:: len(given) + 1]):
            raise WireError("Noisy lists must say of each user who of the others is listed.")
        n = len(given)
        check_whole("question", "n", n, 1, PAIR_USERS)
        object.__setattr__(self, "listed", memoryview(given.tobytes()).cast("?", (n, n)))

    @property
    def n(self) -> int:
        """Users in the community."""
        return len(self.listed)

    def among(self, friends: Sequence[int]) -> list[bytes]:
        """For each two of some users, how many of their two bits say that they are friends: a row for each user."""
        if len(friends) < 2:
            return [b"\0"] * len(friends)
        bits, n, chosen = self.listed.tobytes(), self.n, itemgetter(*friends)
        some = [chosen(bits[friend * n : (friend + 1) * n]) for friend in friends]
        return [bytes(map(add, row, column)) for row, column in zip(some, zip(*some, strict=True), strict=True)]

    def encode(self) -> bytes:
        """The one encoding of noisy lists."""
        bits = bytearray(self.listed.tobytes())
        del bits[:: self.n + 1]  # nobody lists herself
        return bytes((_LISTS_BYTE,)) + varint(self.n) + _packed(bits)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the encoding, in hex."""
        return sha256(self.encode()).hexdigest()

    @staticmethod
    def decode(data: bytes, *, n: int) -> NoisyLists:
        """Read the noisy lists of a community of n users.

        Raises:
            WireError: for anything that :meth:`encode` would not have written, with the reason.
        """
        check_whole("question", "n", n, 1, PAIR_USERS)
        bits = _bits(data, _LISTS_BYTE, n, n * (n - 1))
        rows = (b"\0" + bits[n * place : n * (place + 1)] for place in range(n - 1))  # between two of the diagonal
        return NoisyLists(memoryview(b"".join(rows) + b"\0").cast("?", (n, n)))


SecondQuestion = Question | NoisyLists


def read_question(mechanism: str, data: bytes, n: int) -> SecondQuestion:
    """Read the second question of a community by a mechanism, of n users.

    Raises:
        WireError: for anything that is none, with the reason.
    """
    return (NoisyLists if LAYOUTS[mechanism].asks_all else Question).decode(data, n=n)


def _flags(given: Flags, dimensions: int) -> memoryview[bool] | None:
    """An array of flags, of so many dimensions of one length; None for anything else."""
    try:
        found: Any = memoryview(given)
    except TypeError:
        return None
    good = found.format == "?" and found.ndim == dimensions and len({*found.shape}) == 1
    return found if good else None


def _packed(flags: bytes | bytearray) -> bytes:
    """Eight flags in a byte, the first one on top; zeros up to a whole byte."""
    size = -(-len(flags) // 8)
    return int(flags.translate(_DIGITS).ljust(8 * size, b"0") or b"0", 2).to_bytes(size)


def _bits(data: bytes, first: int, n: int, count: int) -> bytes:
    """The flags of a question to n users, a byte each."""
    reader = Reader(data, "question")
    reader.version(first)
    reader.users(n)
    packed, size = reader.rest(), -(-count // 8)
    if len(packed) != size:
        raise WireError(f"A question to {n} users has {size} bytes of bits.")
    bits = f"{int.from_bytes(packed):0{8 * size}b}"[: 8 * size].encode().translate(_BITS)
    if any(bits[count:]):
        raise WireError("A question ends in zeros.")
    return bits[:count]


@dataclass(frozen=True)
class Answer:
    """One user's answer, as it leaves her device.

    Args:
        n: users in the community.
        user: her number in the roster.
        question: the digest of the question, in hex.
        count: what she counted by the question, with noise.
    """

    n: int
    user: int
    question: str
    count: int

    def __post_init__(self) -> None:
        check_whole("answer", "n", self.n, 1, MAX_USERS)
        check_whole("answer", "user", self.user, 0, self.n - 1)
        check_whole("answer", "count", self.count, *DEGREE_RANGE)
        if type(self.question) is not str or not _DIGEST.fullmatch(self.question):
            raise WireError("An answer's question must be 64 hexadecimal digits.")

    def encode(self) -> bytes:
        """The one encoding of an answer."""
        head = bytes((_ANSWER_BYTE,)) + varint(self.n) + varint(self.user)
        return head + bytes.fromhex(self.question) + zigzag(self.count)

    @staticmethod
    def decode(data: bytes, *, n: int) -> Answer:
        """Read an answer of a community of n users.

        Raises:
            WireError: for anything that :meth:`encode` would not have written, with the reason.
        """
        reader = Reader(data, "answer")
        reader.version(_ANSWER_BYTE)
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

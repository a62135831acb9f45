"""A report or an answer, sealed to the collector's key: whoever carries it sees neither it nor its token.

Sealing is HPKE (RFC 9180) in base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, one message for each
encapsulated key. Every browser has all of these. The community's id goes into ``info``, so that a message opens for its
own community only.

::

    byte 0        0xE4: sealed, version 1
    key           8 bytes      the id of the collector's key: the first bytes of its SHA-256
    enc           65 bytes     the encapsulated key
    ciphertext    the rest     of what follows, and 16 bytes of tag

    kind          1 byte       1: a report; 2: an answer to a second question
    epoch         4 bytes      big-endian, like all numbers here
    user          4 bytes
    token         1 + 64 bytes its length, its characters, zeros
    body          4 bytes + …  its length, its bytes, zeros up to :func:`inner_size`

In one community all sealed messages have the same length, whatever they hold: a short list, a long one, an answer. Test
vectors are in ``tests/wire/vectors``.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from graphldp.errors import WireError
from graphldp.wire.community import MAX_EPOCH
from graphldp.wire.layout import MAX_USERS, max_size
from graphldp.wire.second_question import MAX_ANSWER

KEY_SIZE = 65
KEY_ID_SIZE = 8
SEALED_KINDS = ("report", "answer")
_FIRST_BYTE = 0xE4
_TOKEN = re.compile(rb"[!-~]{1,64}")
_HEAD = struct.Struct(">BIIB64sI")
_NOT_ONE = "What was sealed is no report and no answer."


@dataclass(frozen=True)
class Inner:
    """A report or an answer that is sealed, and all that its own request would carry.

    Args:
        kind: ``"report"`` or ``"answer"``.
        epoch: the epoch that it was drawn for.
        user: the slot.
        token: the slot's secret.
        body: the bytes of either.
    """

    kind: str
    epoch: int
    user: int
    token: str = field(repr=False)
    body: bytes = field(repr=False)

    def encode(self, n: int, groups: int = 0) -> bytes:
        """The bytes to seal, for a community of n users, and of so many groups where it has any."""
        token = self.token.encode()
        if not _TOKEN.fullmatch(token):
            raise WireError("A token that is sealed has 64 printable characters at most.")
        head = _HEAD.pack(1 + SEALED_KINDS.index(self.kind), self.epoch, self.user, len(token), token, len(self.body))
        size = inner_size(n, groups)
        if len(head) + len(self.body) > size:
            raise WireError("What is to be sealed is longer than any report of this community.")
        return (head + self.body).ljust(size, b"\0")

    @staticmethod
    def decode(data: bytes) -> Inner:
        """Read what was sealed. It has one form, whatever its length."""
        if len(data) < _HEAD.size:
            raise WireError(_NOT_ONE)
        kind, epoch, user, length, token, size = _HEAD.unpack_from(data)
        good = 1 <= kind <= len(SEALED_KINDS) and 1 <= epoch <= MAX_EPOCH and user < MAX_USERS and length <= len(token)
        body, rest = data[_HEAD.size : _HEAD.size + size], data[_HEAD.size + size :]
        padded = not token[length:].strip(b"\0") and not rest.strip(b"\0")
        if not good or len(body) != size or not padded or not _TOKEN.fullmatch(token[:length]):
            raise WireError(_NOT_ONE)
        return Inner(SEALED_KINDS[kind - 1], epoch, user, token[:length].decode(), body)


class Sealed(NamedTuple):
    """A sealed message: for which key, and what HPKE made of it (the encapsulated key and the ciphertext)."""

    key_id: bytes
    box: bytes

    def encode(self) -> bytes:
        """The bytes that travel."""
        return bytes([_FIRST_BYTE]) + self.key_id + self.box

    @staticmethod
    def decode(data: bytes) -> Sealed:
        """Read the outside of a sealed message."""
        if len(data) <= 1 + KEY_ID_SIZE + KEY_SIZE or data[0] != _FIRST_BYTE:
            raise WireError("This is no sealed message.")
        return Sealed(data[1 : 1 + KEY_ID_SIZE], data[1 + KEY_ID_SIZE :])


def inner_size(n: int, groups: int = 0) -> int:
    """The number of bytes that are sealed in a community of n users and so many groups, always."""
    return _HEAD.size + max(max_size(n, groups), MAX_ANSWER)


def key_id(public: bytes) -> bytes:
    """The id of a key."""
    return sha256(public).digest()[:KEY_ID_SIZE]


def sealing_info(community: str) -> bytes:
    """HPKE's ``info``: what a message is for."""
    return b"graphldp sealed 1\0" + community.encode()

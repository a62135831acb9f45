"""Reading many reports at once: as strict as :func:`graphldp.wire.decode`, at a twentieth of its cost.

A report that this community would accept begins with bytes that are known beforehand, and lists are laid out so that
many are read by the same array operations. What is accepted here is exactly what ``decode`` and
:meth:`~graphldp.collector.community.Community.refuse` accept; a test holds the two together. Everything else goes to
them, for the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp import wire
from graphldp.collector.community import Community, varint
from graphldp.errors import WireError

_LONGEST = 4096  # bytes of a body that is read among many; a longer one is worth a call of its own


class Incoming(NamedTuple):
    """A report as it arrived.

    Args:
        community: what its address names.
        user: the slot that its address names.
        token_hash: of the token that came with it.
        body: the bytes.
    """

    community: Community
    user: int
    token_hash: bytes
    body: bytes


class Reading(NamedTuple):
    """What was read: d* where the report has one, or what is wrong with it."""

    noisy_degree: int | None = None
    wrong: str | None = None


class _Head(NamedTuple):
    """A head that can be accepted, and the list that follows it."""

    place: int
    noisy_degree: int | None
    k: int
    entries: int
    size: int
    payload: bytes


def read_all(incoming: Sequence[Incoming]) -> list[Reading]:
    """Read reports, each on its own terms."""
    heads = [head for place, each in enumerate(incoming) if (head := _head(place, each)) is not None]
    good = {head.place: head for head, fine in zip(heads, _lists(heads), strict=True) if fine}
    return [
        Reading(good[place].noisy_degree) if place in good else _read_alone(each) for place, each in enumerate(incoming)
    ]


def _read_alone(each: Incoming) -> Reading:
    try:
        report = wire.decode(each.body, n=each.community.n)
    except WireError as error:
        return Reading(wrong=str(error))
    return Reading(report.noisy_degree, each.community.refuse(report, each.user))


def _head(place: int, each: Incoming) -> _Head | None:
    """The head of an acceptable report, or None for whatever needs a closer look."""
    body, community = each.body, each.community
    if not 2 <= len(body) <= _LONGEST:
        return None
    head = community.heads.get(body[1] >> 5)
    if head is None or body[0] != wire.FIRST_BYTE or each.user >= community.n:
        return None
    start = head.n + varint(each.user)
    at = 2 + len(start)
    after = at + head.size
    if body[2:at] != start or body[at:after] not in head.offers:
        return None
    degree, count, others = None, 0, community.n - 1
    if head.degree:
        coded, after = _read_varint(body, after)
        degree = coded >> 1 if not coded & 1 else -(coded >> 1) - 1
    if head.listed and after >= 0:
        count, after = _read_varint(body, after)
    if after < 0 or count > others:
        return None
    return _Head(place, degree, body[1] & 31, min(count, others - count), others, body[after:])


def _lists(heads: Sequence[_Head]) -> NDArray[np.bool_]:
    """Whether each payload is the one code of as many entries as its head says."""
    lengths = np.array([len(head.payload) for head in heads], np.int64)
    k = np.array([head.k for head in heads], np.int64)
    m = np.array([head.entries for head in heads], np.int64)
    size = np.array([head.size for head in heads], np.int64)
    bits = np.unpackbits(np.frombuffer(b"".join(head.payload for head in heads), np.uint8))
    begin = 8 * np.concatenate(([0], np.cumsum(lengths)))[:-1]
    unary = begin + m * k  # where the low bits of all gaps end and their unary parts begin
    fine = m * (k + 1) <= 8 * lengths
    ones = np.flatnonzero(bits)
    owner = np.repeat(np.arange(len(heads)), lengths)[ones >> 3]
    kept = fine[owner] & (ones >= unary[owner])
    ones, owner = ones[kept], owner[kept]
    fine &= np.bincount(owner, minlength=len(heads)) == m
    ones, owner = ones[fine[owner]], owner[fine[owner]]
    first = np.concatenate(([True], owner[1:] != owner[:-1]))[: len(owner)]
    last = np.concatenate((owner[1:] != owner[:-1], [True]))[: len(owner)]
    used = m * k
    used[owner[last]] = ones[last] + 1 - begin[owner[last]]
    fine &= -(-used // 8) == lengths
    before = np.where(first, unary[owner], np.concatenate(([0], ones[:-1] + 1))[: len(ones)])
    high, own_k = ones - before, k[owner]
    gaps, at = high.copy(), begin[owner] + (np.arange(len(ones)) - np.flatnonzero(first)[np.cumsum(first) - 1]) * own_k
    for place in range(int(own_k.max(initial=0))):
        more = place < own_k
        gaps[more] = gaps[more] << 1 | bits[at[more] + place]
    # the smallest k with the fewest bits, as golomb.best_parameter finds it: this one does not pay, the last one did
    fine &= _sums(owner, high - (high >> 1), len(heads)) <= m
    shorter = gaps >> np.maximum(own_k - 1, 0)
    fine &= (k == 0) | (_sums(owner, shorter - (shorter >> 1), len(heads)) > m)
    return fine & (k < 32) & (_sums(owner, gaps, len(heads)) + m <= size)


def _sums(owner: NDArray[np.int64], values: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    return np.bincount(owner, weights=values.astype(np.float64), minlength=count).astype(np.float64)


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends; −1 for the end where it is not in its one form."""
    if at < len(body) and body[at] < 0x80:
        return body[at], at + 1
    value = 0
    for place, byte in enumerate(body[at : at + 4]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return (value, at + place + 1) if byte else (0, -1)
    return 0, -1

"""Reading reports: as strict as :func:`graphldp.wire.decode`, at a small part of its cost.

A report that this community would accept begins with bytes that are known beforehand, and a list need not be unpacked
to see that it is well-formed. What is accepted here is exactly what ``decode`` and
:meth:`~graphldp.collector.community.Community.refuse` accept; a test holds the two together. Everything else goes to
them, for the reason.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from graphldp import wire
from graphldp.collector.community import Community, varint
from graphldp.errors import WireError
from graphldp.wire import combinations

LONGEST = 1024  # bytes of a body that is read as one number; arrays read a longer one faster


class Reading(NamedTuple):
    """What was read: d* where the report has one, or what is wrong with it."""

    noisy_degree: int | None = None
    wrong: str | None = None


def read(community: Community, user: int, body: bytes) -> Reading:
    """Read what was sent to a community as a slot's report."""
    head = community.heads.get(body[1] >> 5) if 2 <= len(body) <= LONGEST and body[0] == wire.FIRST_BYTE else None
    if head is None or user >= community.n:
        return _closer(community, user, body)
    start = head.n + varint(user)
    at = 2 + len(start)
    after = at + head.size
    if body[2:at] != start or body[at:after] not in head.offers:
        return _closer(community, user, body)
    degree, count, others = None, 0, community.n - 1
    if head.degree:
        coded, after = _read_varint(body, after)
        degree = coded >> 1 if not coded & 1 else -(coded >> 1) - 1
    if head.listed and after >= 0:
        count, after = _read_varint(body, after)
    if after < 0 or count > others or not _fits(body[after:], body[1] & 31, min(count, others - count), others):
        return _closer(community, user, body)
    return Reading(degree)


def _closer(community: Community, user: int, body: bytes) -> Reading:
    """The closer look: what is wrong, if anything is."""
    try:
        report = wire.decode(body, n=community.n)
    except WireError as error:
        return Reading(wrong=str(error))
    return Reading(report.noisy_degree, community.refuse(report, user))


def _fits(payload: bytes, k: int, m: int, size: int) -> bool:
    """Whether a payload is the one code of m positions below ``size``.

    As :mod:`graphldp.wire.golomb` writes it, the bits are one number too: what is asked of all gaps at once takes a few
    operations on it.
    """
    bits = int.from_bytes(payload)
    if size < wire.SMALL:
        total, width = combinations.sets(size, m)
        return k == 0 and len(payload) == width and bits < total
    width = 8 * len(payload) - m * k
    if width < 0:
        return False
    low, high = bits >> width, bits & (1 << width) - 1  # the k low bits of every gap; the rest of it in unary
    padding = (high & -high).bit_length() - 1 if m else width
    unary = width - padding  # m ones, and as many zeros as the gaps' high parts add up to
    if high.bit_count() != m or not 0 <= padding < 8:
        return False
    # the smallest k with the fewest bits, as golomb.best_parameter finds it: this one does not pay, the last one did
    if unary > 2 * m and len(f"{high >> padding:0{unary}b}".replace("00", "0")) > 2 * m:
        return False
    each = _each(m, k)
    if k and unary + (low >> k - 1 & each).bit_count() <= 2 * m:
        return False
    gaps = unary - m << k
    if k and m <= 2 << k:  # every other gap in a place twice as wide: what these add up to is what is left of them
        modulus, others = (1 << 2 * k) - 1, _each((m + 1) // 2, 2 * k) * ((1 << k) - 1)
        gaps += (low & others) % modulus + (low >> k & others) % modulus
    else:
        for place in range(k):
            gaps += (low >> place & each).bit_count() << place
    return gaps + m <= size


@lru_cache(maxsize=4096)
def _each(m: int, k: int) -> int:
    """A one in the lowest bit of each of m numbers of k bits."""
    return ((1 << m * k) - 1) // ((1 << k) - 1) if k else 0


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

"""The fast check of a report: as strict as :func:`graphldp.wire.decode`, at a small part of its cost.

A report that a community would accept begins with bytes that are known beforehand, and a list need not be unpacked to
see that it is well-formed: a few bytes can stand for a list of millions. So :func:`validate` takes time and memory by
the bytes alone, whatever they claim. It accepts exactly what ``decode`` and
:meth:`~graphldp.wire.terms.Terms.refuse` accept; a test holds the two together. :func:`reason` says what is wrong
with the rest, and is for those who hold the slot's token.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError
from graphldp.wire.codes import combinations, varints
from graphldp.wire.codes.counts import skip_counts
from graphldp.wire.report import FIRST_BYTE, SMALL, WITH_HUBS, decode_head
from graphldp.wire.terms import Terms

LONGEST = 1024  # bytes of a body that is read as one number; arrays read a longer one faster
_CHUNK = 1 << 14  # bytes that are bits at a time: what arrays of them take stays below a few megabytes


class Reading(NamedTuple):
    """Whether a report is well-formed and meant for its slot, and its d* where it has one."""

    good: bool
    noisy_degree: int | None = None


_BAD = Reading(False)


def validate(terms: Terms, user: int, body: bytes) -> Reading:
    """Check what was sent to a community as a slot's report."""
    if len(body) > terms.max_size or len(body) < 2 or body[0] != FIRST_BYTE:
        return _BAD
    opening = terms.openings.get(body[1] >> 5)
    if opening is None or user >= terms.n:
        return _BAD
    start = opening.n + varints.write(user)
    at = 2 + len(start)
    after = at + opening.size
    listed = opening.offers.get(body[at:after])
    if body[2:at] != start or listed is None:
        return _BAD
    degree, count, others, k = None, 0, terms.n - 1, body[1] & 31
    if opening.degree:
        coded, after = varints.read(body, after)
        degree = varints.unfold(coded)
    if opening.groups:
        after = skip_counts(body, after, opening.groups)
    if listed and after >= 0:
        count, after = varints.read(body, after)
    if after < 0 or count > others:
        return _BAD
    asked = k == 1 and opening.mechanism == "hub-counts"
    if (asked or (listed and opening.mechanism in WITH_HUBS)) and not terms.is_hub(degree):
        return _BAD
    if asked:
        k = 0
    fits = _fits if len(body) <= LONGEST else _fits_long
    return Reading(True, degree) if fits(body[after:], k, min(count, others - count), others) else _BAD


def reason(terms: Terms, user: int, body: bytes) -> str:
    """What is wrong with a report that :func:`validate` refuses."""
    try:
        head = decode_head(body, n=terms.n)
        if refused := terms.refuse(head, user):
            return refused
        if len(body) <= LONGEST:  # unpacked, a list takes some hundred times its bytes
            head.positions()
    except WireError as error:
        return str(error)
    return "The list is not in the one code that it has."


def _fits(payload: bytes, k: int, m: int, size: int) -> bool:
    """Whether a payload is the one code of m positions below ``size``.

    As :mod:`graphldp.wire.codes.golomb` writes it, the bits are one number too: what is asked of all gaps at once takes
    a few operations on it.
    """
    bits = int.from_bytes(payload)
    if size < SMALL:
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


def _fits_long(payload: bytes, k: int, m: int, size: int) -> bool:
    """As :func:`_fits` for a long payload, some of its bits at a time."""
    data, low_bits = np.frombuffer(payload, np.uint8), m * k
    if low_bits + m > 8 * len(data):
        return False
    count, last, halves = 0, -1, 0  # of the unary half: ones so far, the last of them, what one more low bit would save
    for at in range(low_bits // 8, len(data), _CHUNK):
        bits = np.unpackbits(data[at : at + _CHUNK])
        ones = np.flatnonzero(bits[max(0, low_bits - 8 * at) :]) + max(8 * at - low_bits, 0)
        if len(ones):
            gaps = np.diff(ones, prepend=last) - 1
            halves += int((gaps - (gaps >> 1)).sum())
            count, last = count + len(ones), int(ones[-1])
    if count != m or -(-(low_bits + last + 1) // 8) != len(data) or halves > m:
        return False
    high, places = last + 1 - m, _sums(data, m, k)
    if k and high + places[0] <= m:
        return False
    low = sum(total << (k - 1 - place) for place, total in enumerate(places))
    return (high << k) + low + m <= size


def _sums(data: NDArray[np.uint8], m: int, k: int) -> list[int]:
    """How many of m numbers of k bits have a one in each place, the highest first."""
    total = np.zeros(k, np.int64)
    for first in range(0, m if k else 0, 8 * _CHUNK // 32):  # whole bytes, whatever k is
        count = min(m - first, 8 * _CHUNK // 32)
        bits = np.unpackbits(data[first * k // 8 : -(-(first + count) * k // 8)], count=count * k)
        total += bits.reshape(count, k).sum(axis=0, dtype=np.int64)
    return [int(each) for each in total]


@lru_cache(maxsize=4096)
def _each(m: int, k: int) -> int:
    """A one in the lowest bit of each of m numbers of k bits."""
    return ((1 << m * k) - 1) // ((1 << k) - 1) if k else 0

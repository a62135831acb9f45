"""The reading of many reports at once, those with neither a list nor counts: arrays in place of a call for each.

Under noisy-degrees and hub-counts that is everybody's, and under hub-lists the one of whoever is no hub. A server that
learns from ten million reports reads them here. A report is read here, or left to :func:`graphldp.wire.decode`, which
says what is wrong with it; the two agree on all that both read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.wire.layout import FIRST_BYTE, LAYOUTS, MAX_HEADER, MILLION
from graphldp.wire.reader import MOST_BYTES

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def _by_code(*each: bool) -> Flags:
    return np.array(each)


_LAYOUTS = LAYOUTS.values()
_PLAIN = _by_code(*(each.noisy_degree and (each.optional_list or not each.epsilon2) for each in _LAYOUTS))
_ASKED = _by_code(*(each.asked for each in _LAYOUTS))
_EPSILON2 = _by_code(*(each.epsilon2 for each in _LAYOUTS))


class PlainReports(NamedTuple):
    """The values of some reports, one entry for each. Those beside a report that was not read mean nothing.

    Args:
        read: whether it was read here.
        epsilon1: its ε₁; its ε₂ is 0.
        noisy_degree: its d*.
        asked: whether its user is to be asked a second question.
    """

    read: Flags
    epsilon1: NDArray[np.float64]
    noisy_degree: Whole
    asked: Flags


def read_plain(bodies: Sequence[bytes], n: Whole) -> PlainReports:
    """Read those reports that have neither a list nor counts.

    Args:
        bodies: their bytes.
        n: how many users the community of each has.
    """
    heads = [body[:MAX_HEADER] for body in bodies]  # a plain report is shorter, so none is cut
    lengths = np.fromiter(map(len, heads), np.int64, len(heads))
    end = np.cumsum(lengths)
    start = end - lengths
    data = np.frombuffer(b"".join((*heads, bytes(2 * MAX_HEADER))), np.uint8).astype(np.int64)
    code, k = data[start + 1] >> 5, data[start + 1] & 31
    asks, listed = _ASKED[code], _EPSILON2[code]
    good = _PLAIN[code] & (k <= asks) & (lengths > 1) & (data[start] == FIRST_BYTE)
    users, at, whole = _varints(data, start + 2)
    good &= whole & (users == n)
    user, at, whole = _varints(data, at)
    good &= whole & (user < n)
    units, at = _three_bytes(data, at), at + 3
    good &= units > 0
    good &= ~listed | (_three_bytes(data, at) == 0)
    folded, at, whole = _varints(data, at + 3 * listed)
    good &= whole & (at == end)
    degree = np.where(folded & 1, -(folded >> 1) - 1, folded >> 1)
    return PlainReports(good, units / MILLION, degree, asks & (k == 1))


def _three_bytes(data: Whole, at: Whole) -> Whole:
    return np.asarray(data[at] | data[at + 1] << 8 | data[at + 2] << 16)


def _varints(data: Whole, at: Whole) -> tuple[Whole, Whole, Flags]:
    """The numbers that begin at some places, where they end, and whether they are in their one form."""
    value, after, good = np.zeros_like(at), at.copy(), np.ones(len(at), np.bool_)
    going = good.copy()
    for place in range(MOST_BYTES):
        byte = data[at + place]
        value |= np.where(going, (byte & 0x7F) << 7 * place, 0)
        after += going
        if place:
            good &= ~(going & (byte == 0))
        going &= byte >= 0x80
    return value, after, good & ~going

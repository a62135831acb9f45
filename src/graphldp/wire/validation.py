"""The check of a report that arrives: as strict as :func:`graphldp.wire.decode`, at a small part of its cost.

A list need not be unpacked to see that it is well-formed: a few bytes can stand for a list of millions. So
:func:`validate` takes time and memory by the bytes alone, whatever they claim. It accepts exactly what ``decode`` and
:meth:`~graphldp.wire.terms.Terms.refuse` accept; a test holds the two together. :func:`reason` says what is wrong
with the rest, and is for those who hold the slot's token.
"""

from __future__ import annotations

from typing import NamedTuple

from graphldp.errors import WireError
from graphldp.wire import codes
from graphldp.wire.codes.golomb import LONGEST
from graphldp.wire.report import decode_head
from graphldp.wire.terms import Terms


class Reading(NamedTuple):
    """The reading of a report: whether it is well-formed and meant for its slot, and its d* where it has one."""

    good: bool
    noisy_degree: int | None = None


def validate(terms: Terms, user: int, body: bytes) -> Reading:
    """Check what was sent to a community as a slot's report."""
    try:
        head = decode_head(body, n=terms.n)
    except WireError:
        return Reading(False)
    if terms.refuse(head, user) or not codes.fits(head.payload, head.k, head.entries, head.n - 1):
        return Reading(False)
    return Reading(True, head.noisy_degree)


def reason(terms: Terms, user: int, body: bytes) -> str:
    """The fault of a report that :func:`validate` refuses."""
    try:
        head = decode_head(body, n=terms.n)
        if refused := terms.refuse(head, user):
            return refused
        if len(body) <= LONGEST:  # unpacked, a list takes some hundred times its bytes
            head.neighbours()
    except WireError as error:
        return str(error)
    return "The list is not in the one code that it has."

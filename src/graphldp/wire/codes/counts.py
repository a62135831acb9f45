"""Friends counted by public group, as bytes: how many groups there are, then a zigzag varint for each.

How long it is depends on the noisy numbers alone, so its length tells no more than they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphldp.errors import WireError
from graphldp.wire.codes import varints
from graphldp.wire.reading.reader import Reader, check_whole

MAX_GROUPS = 256


def most_groups(n: int) -> int:
    """How many groups a community of n users can have: nobody is in two, and none is empty."""
    return min(MAX_GROUPS, n)


def check_counts(counts: Any, n: int, low: int, high: int) -> None:
    """Refuse what is no whole number from ``low`` to ``high`` for each group of a community of n users."""
    if type(counts) is not tuple:
        raise WireError("A report's counts must be one whole number for each group.")
    check_whole("report", "number of groups", len(counts), 2, most_groups(n))
    for count in counts:
        check_whole("report", "count of friends", count, low, high)


def write_counts(counts: Sequence[int]) -> bytes:
    """The one form of counts."""
    return varints.write(len(counts)) + b"".join(varints.write(varints.fold(count)) for count in counts)


def read_counts(reader: Reader, n: int) -> tuple[int, ...]:
    """Counts of a community of n users; a few bytes cannot claim more groups than it can have."""
    groups = reader.varint("number of groups")
    check_whole("report", "number of groups", groups, 2, most_groups(n))
    return tuple(reader.signed("count of friends") for _ in range(groups))


def skip_counts(data: bytes, at: int, groups: int) -> int:
    """Where counts of so many groups end that begin at a place; negative where they are not well-formed."""
    claimed, at = varints.read(data, at)
    if at >= 0 and claimed != groups:
        return varints.CUT
    for _ in range(groups):
        if at < 0:
            break
        _, at = varints.read(data, at)
    return at

"""A community as the collector holds it: what it publishes, and what is known of it besides. Frozen when it opens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import NamedTuple

from graphldp.errors import Described, ParameterError, WireError, bad_parameter
from graphldp.text import printable
from graphldp.wire import (
    MAX_USERS,
    MECHANISMS,
    PRIVATE_MECHANISMS,
    WITH_DEGREE,
    WITH_EDGES,
    Choice,
    Terms,
    to_millionths,
)
from graphldp.wire.community import LONGEST_NAME, check_name

_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")  # stricter than the wire's: well-formed at its ends too


class Head(NamedTuple):
    """What is known of a report's first bytes before it arrives.

    Args:
        n: the community's size.
        offers: ε₁ and ε₂ of the choices.
        size: how many bytes these take.
        degree: whether a noisy degree follows.
        listed: whether a list does.
    """

    n: bytes
    offers: frozenset[bytes]
    size: int
    degree: bool
    listed: bool


@dataclass(frozen=True)
class Community(Terms):
    """A community as the collector holds it.

    Args:
        label: its class, where it is known.
        key: its number in the store.
        opened_at: when it opened.
        closed_at: when it stopped taking reports, or None while it does.
    """

    label: int | None = None
    key: int = -1
    opened_at: datetime | None = None
    closed_at: datetime | None = None

    @cached_property
    def heads(self) -> dict[int, Head]:
        """How acceptable reports begin, by the mechanism's code."""
        found: dict[int, Head] = {}
        for choice in self.choices:
            name = self.drawn_by(choice)
            code, size = MECHANISMS.index(name), 3 * ((name in WITH_DEGREE) + (name in WITH_EDGES))
            spent = b"".join(to_millionths(e).to_bytes(3, "little") for e in choice.epsilons if 0 < e < math.inf)
            offers = {spent} | (found[code].offers if code in found else frozenset())
            found[code] = Head(varint(self.n), frozenset(offers), size, name in WITH_DEGREE, name != "noisy-degrees")
        return found


@lru_cache(maxsize=1 << 16)
def varint(value: int) -> bytes:
    """A number as reports write it: seven bits a byte, low ones first."""
    out = b""
    while value >= 0x80:
        out += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return out + bytes((value,))


def check_community(id: str, name: str, mechanism: str, choices: Sequence[Choice], label: int | None) -> None:
    """Refuse what a community cannot be opened with."""
    owner = "a community"
    if not _ID.fullmatch(id):
        raise bad_parameter("id", owner, "lower-case letters, digits and hyphens, 64 at most", id)
    try:
        check_name(name)
    except WireError:
        must_be = f"printable, and {LONGEST_NAME} characters at most"
        raise bad_parameter("name", owner, must_be, Described(f"{len(name):,} characters")) from None
    if mechanism not in PRIVATE_MECHANISMS:
        raise bad_parameter("mechanism", owner, f"one of {', '.join(PRIVATE_MECHANISMS)}", mechanism)
    check_label(label)
    if not choices or len({choice.name for choice in choices}) != len(choices):
        raise bad_parameter(
            "choices", owner, "one choice of ε or more, by distinct names", Described(str(len(choices)))
        )
    for choice in choices:
        try:
            choice.check(mechanism)
        except WireError as error:
            raise ParameterError(f"The choice '{printable(choice.name)}' cannot be reported. {error}") from None


def check_label(label: int | None) -> None:
    """Refuse what is no class."""
    if label is not None and not 0 <= label < 1 << 31:
        raise bad_parameter("label", "a community", "a whole number ≥ 0", label)


def check_roster(names: Sequence[str]) -> None:
    """Refuse a roster with empty, doubled or unprintable names."""
    if not 2 <= len(names) <= MAX_USERS:
        raise bad_parameter("roster", "a community", f"2 to {MAX_USERS:,} names", Described(f"{len(names):,}"))
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not name.strip() or not name.isprintable() or name in seen:
            raise ParameterError(f"A roster must hold distinct, printable names; line {place + 1} is not one.")
        seen.add(name)

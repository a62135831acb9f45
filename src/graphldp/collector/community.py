"""A community: who may report, by which mechanism, and at which ε. Frozen when it opens.

::

    Community("cats", "The cat lovers", ["ann", "bob"], "dprr", [Choice("standard", 0.1, 0.9)])
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from graphldp.errors import Described, ParameterError, WireError, bad_parameter
from graphldp.wire import MAX_USERS, MECHANISMS, WITH_DEGREE, WITH_EDGES, Report, ReportHead, to_millionths

PRIVATE_MECHANISMS = tuple(name for name in MECHANISMS if name != "public")
COMMUNITY_PATTERN = "^[a-z0-9-]{1,64}$"  # of an address; an id that is opened is also well-formed at its ends
_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


@dataclass(frozen=True)
class Choice:
    """One ε that a community offers.

    Args:
        name: what users choose by.
        epsilon1: ε₁, in whole millionths; 0 where the mechanism has no noisy degree, ``inf`` for a public list.
        epsilon2: ε₂, likewise; 0 where the mechanism has no list.
    """

    name: str
    epsilon1: float
    epsilon2: float

    @property
    def epsilons(self) -> tuple[float, float]:
        """ε₁ and ε₂."""
        return self.epsilon1, self.epsilon2

    @property
    def public(self) -> bool:
        """Whether it publishes the list as it is."""
        return math.isinf(self.epsilon1)

    def to_json(self) -> dict[str, Any]:
        """The choice as a community publishes it; null stands for an infinite ε, which JSON cannot write."""
        values = [None if self.public else value for value in self.epsilons]
        return {"name": self.name, "epsilon1": values[0], "epsilon2": values[1]}

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Choice:
        """Read what :meth:`to_json` wrote."""
        values = [math.inf if fields[key] is None else float(fields[key]) for key in ("epsilon1", "epsilon2")]
        return Choice(str(fields["name"]), *values)


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
class Community:
    """A community as it is published; its roster is kept apart, since it may be long.

    Args:
        id: what stands in its address: lower-case letters, digits and hyphens.
        name: what people call it.
        n: how many users its roster names.
        mechanism: ``"dprr"``, ``"rr"`` or ``"noisy-degrees"``.
        choices: the offers of ε.
        roster_digest: the roster's digest (:func:`graphldp.wire.roster_digest`).
        epoch: which collection this is of the same people.
        label: its class, where it is known.
        key: its number in the store.
        opened_at: when it opened.
        closed_at: when it stopped taking reports, or None while it does.
    """

    id: str
    name: str
    n: int
    mechanism: str
    choices: tuple[Choice, ...]
    roster_digest: str
    epoch: int = 1
    label: int | None = None
    key: int = -1
    opened_at: datetime | None = None
    closed_at: datetime | None = None

    @cached_property
    def heads(self) -> dict[int, Head]:
        """How acceptable reports begin, by the mechanism's code."""
        found: dict[int, Head] = {}
        for choice in self.choices:
            name = "public" if choice.public else self.mechanism
            code, size = MECHANISMS.index(name), 3 * ((name in WITH_DEGREE) + (name in WITH_EDGES))
            spent = b"".join(to_millionths(e).to_bytes(3, "little") for e in choice.epsilons if 0 < e < math.inf)
            offers = {spent} | (found[code].offers if code in found else frozenset())
            found[code] = Head(varint(self.n), frozenset(offers), size, name in WITH_DEGREE, name != "noisy-degrees")
        return found

    def refuse(self, report: Report | ReportHead, user: int) -> str | None:
        """Why a report is not one of this community's, or None where it is."""
        if report.n != self.n:
            return f"The report is for {report.n} users; the community has {self.n}."
        if report.user != user:
            return "The report names another slot than its address."
        if report.mechanism not in (self.mechanism, "public"):
            return f"The community collects reports by {self.mechanism}."
        if (report.epsilon1, report.epsilon2) not in {choice.epsilons for choice in self.choices}:
            return "The report's ε₁ and ε₂ are none of the community's choices."
        return None


@lru_cache(maxsize=1 << 16)
def varint(value: int) -> bytes:
    """A number as reports write it: seven bits a byte, low ones first."""
    out = b""
    while value >= 0x80:
        out += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return out + bytes((value,))


def check_community(id: str, mechanism: str, choices: Sequence[Choice], label: int | None) -> None:
    """Refuse what a community cannot be opened with."""
    owner = "a community"
    if not _ID.fullmatch(id):
        raise bad_parameter("id", owner, "lower-case letters, digits and hyphens, 64 at most", id)
    if mechanism not in PRIVATE_MECHANISMS:
        raise bad_parameter("mechanism", owner, f"one of {', '.join(PRIVATE_MECHANISMS)}", mechanism)
    check_label(label)
    if not choices or len({choice.name for choice in choices}) != len(choices):
        raise bad_parameter(
            "choices", owner, "one choice of ε or more, by distinct names", Described(str(len(choices)))
        )
    for choice in choices:
        _check_choice(choice, mechanism)


def check_label(label: int | None) -> None:
    """Refuse what is no class."""
    if label is not None and not 0 <= label < 1 << 31:
        raise bad_parameter("label", "a community", "a whole number ≥ 0", label)


def _check_choice(choice: Choice, mechanism: str) -> None:
    if choice.public and math.isinf(choice.epsilon2):
        return
    for value, users in ((choice.epsilon1, WITH_DEGREE), (choice.epsilon2, WITH_EDGES)):
        if mechanism not in users:
            if value != 0:
                raise ParameterError(f"The choice '{choice.name}' spends ε on what {mechanism} does not report.")
            continue
        try:
            to_millionths(value)
        except WireError as error:
            raise ParameterError(f"The choice '{choice.name}' cannot be reported. {error}") from None


def check_roster(names: Sequence[str]) -> None:
    """Refuse a roster with empty, doubled or unprintable names."""
    if not 2 <= len(names) <= MAX_USERS:
        raise bad_parameter("roster", "a community", f"2 to {MAX_USERS:,} names", Described(f"{len(names):,}"))
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not name.strip() or not name.isprintable() or name in seen:
            raise ParameterError(f"A roster must hold distinct, printable names; line {place + 1} is not one.")
        seen.add(name)

"""What a community is for all of its members: how reports are drawn, the choices of ε, and which reports it takes.

Terms are frozen when the community opens. :mod:`.community` has what one member is sent of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from graphldp.errors import WireError
from graphldp.wire.choice import Choice
from graphldp.wire.codes import varints
from graphldp.wire.report import (
    MECHANISMS,
    WITH_COUNTS,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_EPSILON1,
    Report,
    ReportHead,
    max_size,
    to_millionths,
)
from graphldp.wire.roster import roster_digest

PRIVATE_MECHANISMS = tuple(name for name in MECHANISMS if name != "public")


class Opening(NamedTuple):
    """What is known of a report's first bytes before it arrives.

    Args:
        n: the community's size.
        offers: ε₁ and ε₂ of the choices, and whether a list follows.
        size: how many bytes these take.
        degree: whether a noisy degree follows.
        mechanism: by which it is drawn.
        groups: how many counts follow.
    """

    n: bytes
    offers: Mapping[bytes, bool]
    size: int
    degree: bool
    mechanism: str
    groups: int


@dataclass(frozen=True)
class Terms:
    """What a community is for all of its members; its roster is kept apart, since it may be long.

    Args:
        id: what stands in its address.
        name: what people call it.
        n: how many users its roster names.
        mechanism: one of ``PRIVATE_MECHANISMS``.
        choices: the offers of ε.
        roster_digest: the roster's digest (:func:`roster_digest`), and that of its groups.
        epoch: which collection this is of the same people.
        hub_from: for hub-counts and hub-lists, the noisy degree from which on a user is a hub; None where nobody is.
        group_names: for friend-counts, what the groups are called, in the order of their numbers; else empty. Which
            group each user is in is kept with the roster.
        retention_days: after how many days a report is deleted; None where no end is promised.
        keeps_models: whether what was learned from a report may be used after that.
    """

    id: str
    name: str
    n: int
    mechanism: str
    choices: tuple[Choice, ...]
    roster_digest: str
    epoch: int = 1
    hub_from: int | None = None
    group_names: tuple[str, ...] = ()
    retention_days: int | None = None
    keeps_models: bool = True

    @property
    def kept(self) -> str:
        """How long reports are kept, in words."""
        if self.retention_days is None:
            return "without a promised end"
        days = f"for {self.retention_days:,} day{'s' if self.retention_days > 1 else ''}"
        return f"{days}, and what was learned from them " + ("for longer" if self.keeps_models else "no longer either")

    @property
    def max_size(self) -> int:
        """The cap on an encoded report."""
        return max_size(self.n, len(self.group_names))

    def drawn_by(self, choice: Choice) -> str:
        """The mechanism of a report by a choice."""
        return "public" if choice.public else self.mechanism

    @cached_property
    def openings(self) -> dict[int, Opening]:
        """How acceptable reports begin, by the mechanism's code."""
        found: dict[int, Opening] = {}
        for choice in self.choices:
            name = self.drawn_by(choice)
            code, size = MECHANISMS.index(name), 3 * ((name in WITH_EPSILON1) + (name in WITH_EDGES))
            offers = dict(found[code].offers) if code in found else {}
            for epsilon1, epsilon2 in choice.spent(name):
                parts = ((epsilon1, WITH_EPSILON1), (epsilon2, WITH_EDGES))
                units = [to_millionths(e, may_be_0=True) for e, users in parts if name in users]
                offers[b"".join(each.to_bytes(3, "little") for each in units)] = epsilon2 > 0
            groups = len(self.group_names) if name in WITH_COUNTS else 0
            found[code] = Opening(varints.write(self.n), offers, size, name in WITH_DEGREE, name, groups)
        return found

    def is_hub(self, rough: int | None) -> bool:
        """Whether a device with so many friends, by its own noisy count, takes its user for a hub."""
        return self.hub_from is not None and rough is not None and rough >= self.hub_from

    def refuse(self, report: Report | ReportHead, user: int) -> str | None:
        """Why a report is not one of this community's, or None where it is."""
        if report.n != self.n:
            return f"The report is for {report.n} users; the community has {self.n}."
        if report.user != user:
            return "The report names another slot than its address."
        if report.mechanism not in (self.mechanism, "public"):
            return f"The community collects reports by {self.mechanism}."
        if (report.epsilon1, report.epsilon2) not in {each for c in self.choices for each in c.spent(self.drawn_by(c))}:
            return "The report's ε₁ and ε₂ are none of the community's choices."
        if report.hub and not self.is_hub(report.noisy_degree):
            return "The report says that its user is a hub, and its noisy degree says that she is not."
        if report.counts is not None and len(report.counts) != len(self.group_names):
            return (
                f"The report counts friends in {len(report.counts)} groups; the community has {len(self.group_names)}."
            )
        return None

    def check_roster(self, names: Any, groups: Any = None) -> None:
        """Refuse any other roster, and any other groups, than those that were frozen when the community opened."""
        if type(names) is not list or not all(type(name) is str and name.isprintable() for name in names):
            raise WireError("The roster must be a list of printable names.")
        if self.group_names and not _is_partition(groups, self.n, len(self.group_names)):
            raise WireError("The groups must say of each user in which one she is, and none may be empty.")
        if len(names) != self.n or roster_digest(names, self.group_names, groups or ()) != self.roster_digest:
            raise WireError("The roster is not the one that the community was opened with.")


def _is_partition(groups: Any, n: int, count: int) -> bool:
    """Whether each of n users is in one of so many groups, and each of these is somebody's."""
    if type(groups) is not list or len(groups) != n or not all(type(each) is int for each in groups):
        return False
    return set(groups) == set(range(count))

"""The terms of a community, for all of its members: how reports are drawn, the choices of ε, which reports it takes.

Terms are frozen when the community opens. :mod:`.community` has what one member is sent of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from typing import Any

from graphldp.errors import WireError
from graphldp.wire.deal import dealt_groups
from graphldp.wire.layout import MAY_LACK_LIST, MECHANISMS, MILLION, WITH_EDGES, WITH_EPSILON1, max_size, to_millionths
from graphldp.wire.report import Report, ReportHead
from graphldp.wire.roster import check_name, check_names, check_text, roster_digest

LONGEST_TEXTS = {"purpose": 500, "operator": 200, "contact": 200}
PRIVATE_MECHANISMS = tuple(name for name in MECHANISMS if name != "public")


@dataclass(frozen=True)
class Choice:
    """A choice: one ε that a community offers.

    Args:
        name: what users choose by.
        epsilon1: ε₁, in whole millionths; 0 where the mechanism spends nothing on it, ``inf`` for a public list.
        epsilon2: ε₂, likewise; 0 where the mechanism has no list.

    By hub-lists ε₁ and ε₂ are what a hub spends. Everybody else spends both on her degree. By closed-pairs ε₂ is for
    the list and the answer to the second question (:data:`graphldp.privacy.pairs.LIST_PART`).
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

    @property
    def cost(self) -> int | None:
        """ε₁ + ε₂ in millionths, exactly; None for a public list, which no ε protects."""
        return None if self.public else sum(to_millionths(value) for value in self.epsilons if value)

    def spent(self, mechanism: str) -> tuple[tuple[float, float], ...]:
        """The ε₁ and ε₂ that a report by a mechanism can have."""
        if self.cost is None or mechanism not in MAY_LACK_LIST:
            return (self.epsilons,)
        on_degree = (self.cost / MILLION, 0.0)
        return (on_degree, self.epsilons) if self.epsilon2 else (on_degree,)

    def check(self, mechanism: str) -> None:
        """Refuse a name that cannot be shown, and an ε that no report by a mechanism carries."""
        check_name(self.name)
        if self.epsilons == (math.inf, math.inf):
            return
        for value, users in ((self.epsilon1, WITH_EPSILON1), (self.epsilon2, WITH_EDGES)):
            if mechanism in users:
                to_millionths(value, may_be_0=users is WITH_EDGES and mechanism in MAY_LACK_LIST)
            elif isinstance(value, bool) or value != 0:
                raise WireError(f"It spends ε on what {mechanism} does not report.")
        for both in self.spent(mechanism):
            to_millionths(max(both))  # all of it may go to the degree, and has to fit there

    def to_json(self) -> dict[str, Any]:
        """The choice as a community publishes it; null stands for an infinite ε, which JSON cannot write."""
        values = [None if self.public else value for value in self.epsilons]
        return {"name": self.name, "epsilon1": values[0], "epsilon2": values[1]}

    @staticmethod
    def from_json(fields: Mapping[str, Any], mechanism: str) -> Choice:
        """Read what :meth:`to_json` wrote."""
        try:
            name, *given = (fields[key] for key in ("name", "epsilon1", "epsilon2"))
        except (KeyError, TypeError):
            raise WireError("A choice has a name, epsilon1 and epsilon2.") from None
        if math.inf in given:
            raise WireError("An infinite ε is written as null.")
        found = Choice(name, *([math.inf, math.inf] if given == [None, None] else given))
        found.check(mechanism)
        return Choice(name, float(found.epsilon1), float(found.epsilon2))


@dataclass(frozen=True)
class Inquiry:
    """The inquiry of a community: who asks, what for, and whom members can write to.

    Args:
        purpose: what the reports are for, in a few sentences.
        operator: who asks: a person, a group or an institution.
        contact: whom to write to: an address, or how to find somebody.
    """

    purpose: str
    operator: str
    contact: str

    def check(self) -> Inquiry:
        """Refuse a text that is too long, or that hides something."""
        for name, most in LONGEST_TEXTS.items():
            check_text(f"The {name} of a community", getattr(self, name), most)
        return self

    def to_json(self) -> dict[str, str]:
        """The fields as a community publishes them."""
        return asdict(self)

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Inquiry | None:
        """Read what a community publishes: all of it, or None where it says nothing."""
        given = {name: fields[name] for name in LONGEST_TEXTS if name in fields}
        if given and len(given) < len(LONGEST_TEXTS):
            raise WireError("A community says who asks, what for, and whom to write to; or nothing of it.")
        return Inquiry(**given).check() if given else None


@dataclass(frozen=True)
class Terms:
    """The terms of a community, for all of its members; its roster is kept apart, since it may be long.

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
        dealt: whether users were dealt into these groups, see :mod:`graphldp.wire.deal`; a client makes the deal again.
        retention_days: after how many days a report is deleted; None where no end is promised.
        keeps_models: whether what was learned from a report may be used after that.
        inquiry: who asks, and what for; None where nobody said so.
        answer_until: of closed-pairs, the last day on which devices keep lists for the second question; else None.
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
    dealt: bool = False
    retention_days: int | None = None
    keeps_models: bool = True
    inquiry: Inquiry | None = None
    answer_until: date | None = None

    @property
    def kept(self) -> str:
        """The time that reports are kept, in words."""
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
    def spendable(self) -> frozenset[tuple[float, float]]:
        """The ε₁ and ε₂ that a report can have."""
        return frozenset(spent for choice in self.choices for spent in choice.spent(self.drawn_by(choice)))

    def is_hub(self, rough: int | None) -> bool:
        """Whether a device with so many friends, by its own noisy count, takes its user for a hub."""
        return self.hub_from is not None and rough is not None and rough >= self.hub_from

    def refuse(self, report: Report | ReportHead, user: int) -> str | None:
        """The reason why a report is not one of this community's, or None where it is."""
        if report.n != self.n:
            return f"The report is for {report.n} users; the community has {self.n}."
        if report.user != user:
            return "The report names another slot than its address."
        if report.mechanism not in (self.mechanism, "public"):
            return f"The community collects reports by {self.mechanism}."
        if (report.epsilon1, report.epsilon2) not in self.spendable:
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
        if type(names) is not list or len(names) != self.n or not all(type(name) is str for name in names):
            raise WireError("The roster must be a list of as many names as the community has users.")
        check_names(names)
        if self.group_names and not _is_partition(groups, self.n, len(self.group_names)):
            raise WireError("The groups must say of each user in which one she is, and none may be empty.")
        if roster_digest(names, self.group_names, groups or ()) != self.roster_digest:
            raise WireError("The roster is not the one that the community was opened with.")
        if self.dealt and groups != dealt_groups(self.id, self.epoch, names, len(self.group_names)):
            raise WireError("The groups are not those of the deal, which the community's id, epoch and names decide.")


def _is_partition(groups: Any, n: int, count: int) -> bool:
    """Whether each of n users is in one of so many groups, and each of these is somebody's."""
    if type(groups) is not list or len(groups) != n or not all(type(each) is int for each in groups):
        return False
    return set(groups) == set(range(count))

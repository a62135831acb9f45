"""What a user is asked before anything is drawn: does she agree to a changed community, and is this her list?

Both are asked before the draw, on this device. After the draw there is nothing to decide: who looks at a report and
then chooses whether to send it tells the collector something by her choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from graphldp.client.keeping.ledger import shown
from graphldp.wire import Choice, Published, spoken

DECLINED = "You said no; nothing was drawn, and no report was sent."
_SHOWN = 12


class Consent(Protocol):
    """Something to agree to."""

    @property
    def asks(self) -> str:
        """The question itself; yes goes on."""
        ...

    def in_words(self) -> list[str]:
        """What the user should know before she answers."""
        ...


Approve = Callable[[Consent], bool]


def agreed(question: Consent) -> bool:
    """Agree to everything, for callers who have asked by other means."""
    return True


@dataclass(frozen=True)
class Plan:
    """A report that is about to be drawn.

    Args:
        published: the community, as it is pinned.
        choice: the ε that it will cost.
        spent: what the user has spent in all communities, in millionths.
        cap: her lifetime cap, in millionths.
        names: how many names her file holds.
        friends: those who are in the roster, as it spells them.
        cause: why so few match, where that can be guessed.
        counts: how many of them are in each of the community's groups, where it has any.
    """

    published: Published
    choice: Choice
    spent: int
    cap: int
    names: int
    friends: tuple[str, ...] = field(repr=False)
    cause: str | None = None
    counts: tuple[int, ...] = field(default=(), repr=False)

    @property
    def asks(self) -> str:
        """Draw and send?"""
        if not self.friends:
            return "Report that you have no friends here?"
        return "Draw your report from this list and send it?"

    def in_words(self) -> list[str]:
        """The matched names, and what the draw costs."""
        found = f"{len(self.friends):,} of your {self.names:,} names are members of '{self.published.id}'"
        lines = [f"{found}{': ' + listed(self.friends) if self.friends else ''}."]
        if self.cause:
            lines.append(self.cause)
        if self.counts and self.choice.cost is not None:
            lines += self._by_group()
        lines.append(f"Roster digest, the same for every member: {spoken(self.published.roster_digest)}.")
        if self.published.retention_days is not None:
            lines.append(f"The collector promises to keep reports {self.published.kept}.")
        if self.choice.cost is None:
            lines.append(f"The choice '{self.choice.name}' publishes this list as it is. Nothing protects it.")
        else:
            lines.append(
                f"The report costs ε = {shown(self.choice.cost)} (choice '{self.choice.name}'). You have spent "
                f"{shown(self.spent)} of {shown(self.cap)} so far."
            )
        lines.append(
            "Say no if the file is wrong, or if you would not report whatever it held. A no because of who is on it "
            "tells the collector something: it sees that you did not report."
        )
        return lines

    def _by_group(self) -> list[str]:
        """What is asked of her where friends are counted by group."""
        names = self.published.group_names
        counts = [f"{name}: {count}" for name, count in zip(names, self.counts, strict=True)]
        return [
            f"You are asked how many of your friends are in each of {len(names)} groups. One noisy number for each "
            "group leaves this device, and no name. Everybody knows who is in which group.",
            f"Your friends by group: {listed(counts)}. These true numbers stay on this device.",
        ]


@dataclass(frozen=True)
class Renewal:
    """What a community publishes now, beside what is pinned.

    Args:
        before: what is pinned.
        after: what it publishes now.
        old: the roster that is pinned.
        old_groups: the numbers of its users' groups, if it has groups.
        new: the roster that it publishes now.
        new_groups: likewise.
    """

    before: Published
    after: Published
    old: Sequence[str] = field(repr=False)
    old_groups: Sequence[int] | None = field(repr=False)
    new: Sequence[str] = field(repr=False)
    new_groups: Sequence[int] | None = field(repr=False)

    @property
    def asks(self) -> str:
        """Take the new epoch?"""
        return f"Take part in epoch {self.after.epoch} of '{self.after.id}' as it is published now?"

    def in_words(self) -> list[str]:
        """Every difference."""
        lines = [
            f"{what}: {now}; it was {was}."
            for what, was, now in (
                ("Name", self.before.name, self.after.name),
                ("Epoch", self.before.epoch, self.after.epoch),
                ("Users", f"{self.before.n:,}", f"{self.after.n:,}"),
                ("Your number", self.before.user, self.after.user),
                ("Mechanism", self.before.mechanism, self.after.mechanism),
                ("A hub from a noisy degree of", self.before.hub_from, self.after.hub_from),
                ("Reports are kept", self.before.kept, self.after.kept),
                ("Groups", *(listed(terms.group_names) or "none" for terms in (self.before, self.after))),
            )
            if was != now
        ]
        lines += [*self._choices(), *self._roster()]
        if lines == [f"Epoch: {self.after.epoch}; it was {self.before.epoch}."] or not lines:
            lines.append("Nothing else has changed.")
        return [*lines, "A report for a new epoch costs its full ε again, on top of all that you have sent."]

    def _choices(self) -> list[str]:
        was = {choice.name: choice for choice in self.before.choices}
        now = {choice.name: choice for choice in self.after.choices}
        lines = [f"New choice: {_offer(now[name])}." for name in now if name not in was]
        lines += [f"Choice withdrawn: {_offer(was[name])}." for name in was if name not in now]
        return lines + [
            f"Another ε under the name of a choice: {_offer(now[name])}; it was {_offer(was[name])}."
            for name in now
            if name in was and was[name] != now[name]
        ]

    def _roster(self) -> list[str]:
        was = {name: number for number, name in enumerate(self.old)}
        now = {name: number for number, name in enumerate(self.new)}
        groups = (
            ("New in the roster", [name for name in now if name not in was]),
            ("No longer in the roster", [name for name in was if name not in now]),
            ("In the roster under another number", [name for name in now if was.get(name, now[name]) != now[name]]),
            ("In another group", self._moved()),
        )
        lines = [f"{what} ({len(names):,}): {listed(names)}." for what, names in groups if names]
        if lines:
            lines.append(f"Roster digest, the same for every member: {spoken(self.after.roster_digest)}.")
        return lines

    def _moved(self) -> list[str]:
        """Who is in another group than before."""
        if self.old_groups is None or self.new_groups is None:
            return []
        was = {name: self.before.group_names[group] for name, group in zip(self.old, self.old_groups, strict=True)}
        now = {name: self.after.group_names[group] for name, group in zip(self.new, self.new_groups, strict=True)}
        return [name for name in now if was.get(name, now[name]) != now[name]]


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _offer(choice: Choice) -> str:
    if choice.cost is None:
        return f"'{choice.name}' (public: the list as it is)"
    return f"'{choice.name}' (ε = {shown(choice.cost)}: ε₁ = {choice.epsilon1:g}, ε₂ = {choice.epsilon2:g})"

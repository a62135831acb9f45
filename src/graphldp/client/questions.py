"""What a user is asked before anything is drawn: does she agree to a changed community, and is this her list?

Both are asked before the draw, on this device. After the draw there is nothing to decide: who looks at a report and
then chooses whether to send it tells the collector something by her choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from graphldp.client.explain import UNPROTECTED, in_general, level
from graphldp.client.keeping.ledger import shown
from graphldp.wire import MILLION, WITH_HUBS, Choice, Inquiry, Published, spoken

DECLINED = "You said no; nothing was drawn, and no report was sent."
_SHOWN = 12
_ASKS = {"operator": "Who asks", "purpose": "What for", "contact": "Whom to write to"}
_NUMBER = "You are asked how many members are your friends. A noisy number leaves this device, and your list stays."
_BY_CHANCE = "by chance friends are left out, and strangers put in."
_LIST = f"You are asked who your friends here are. A noisy list leaves this device: {_BY_CHANCE}"
_BOTH = f"You are asked who your friends here are, and how many. A noisy number leaves, and a list: {_BY_CHANCE}"
_OWN_WORDS = "These are the community's own words; nobody has checked them."
_NOBODY = "Nobody says who asks, what for, or whom to write to. Ask whoever sent you the invitation before you agree."


class Consent(Protocol):
    """A question that a user is asked: something to agree to."""

    @property
    def asks(self) -> str:
        """The question itself; yes goes on."""
        ...

    def in_words(self, *, names: bool = True) -> list[str]:
        """The facts that a user should know before she answers; the same whoever her friends are.

        Args:
            names: whether anybody is named, or only counted.
        """
        ...

    def of_list(self, *, names: bool = True) -> list[str]:
        """The facts about her list, which only she should see, and nobody by how long it takes to show them."""
        ...


Approve = Callable[[Consent], bool]
Pick = Callable[[Sequence[str]], list[str]]
"""Asks a user who of a roster her friends are."""


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
        lone: the groups that hold one person beside the user.
    """

    published: Published
    choice: Choice
    spent: int
    cap: int
    names: int
    friends: tuple[str, ...] = field(repr=False)
    cause: str | None = None
    counts: tuple[int, ...] = field(default=(), repr=False)
    lone: tuple[str, ...] = ()

    @property
    def asks(self) -> str:
        """The question whether to draw and send."""
        if not self.friends:
            return "Report that you have no friends here?"
        return "Draw your report from this list and send it?"

    def of_list(self, *, names: bool = True) -> list[str]:
        """The matched names, and why so few match."""
        found = f"{len(self.friends):,} of your {self.names:,} names are members of '{self.published.id}'"
        lines = [f"{found}{': ' + listed(self.friends) if self.friends and names else ''}."]
        if self.cause:
            lines.append(self.cause)
        if self.counts and self.choice.cost is not None:
            counts = [f"{name}: {count}" for name, count in zip(self.published.group_names, self.counts, strict=True)]
            lines.append(f"Your friends by group: {listed(counts)}. These true numbers stay on this device.")
        return lines

    def in_words(self, *, names: bool = True) -> list[str]:
        """Lines about what is asked of her, what the draw costs and tells, and what is kept."""
        lines = who_asks(self.published.inquiry)
        lines += [] if self.choice.cost is None else [*self._leaves(), *self._of_hubs(), *self._of_pairs()]
        lines.append(f"Roster digest, the same for every member: {spoken(self.published.roster_digest)}.")
        lines.append(
            f"Whoever asks holds your report beside your name. Reports are kept {self.published.kept}. "
            f"'graphldp client withdraw {self.published.id}' takes yours back, "
            "but not out of earlier backups, exports or models."
        )
        if self.choice.cost is None:
            lines.append(f"The choice '{self.choice.name}' publishes this list as it is. Nothing protects it.")
        else:
            epsilon = self.choice.cost / MILLION
            lines.append(
                f"The choice '{self.choice.name}' is, in words: {level(epsilon)}. It costs "
                f"ε = {shown(self.choice.cost)}. You have spent {shown(self.spent)} of {shown(self.cap)} so far."
            )
            lines += in_general(epsilon)
        lines += [UNPROTECTED, self._kept()]
        lines.append(
            "The report leaves within about a minute, at a moment that chance picks: a few seconds more or less over "
            "your list hardly show in it, many minutes do. If you stop the program meanwhile, run it again to send the "
            "same report."
        )
        lines.append(
            "If you say no, the collector sees that no report came. A no because of who is on your list tells it "
            "something about the list."
        )
        return lines

    def _leaves(self) -> list[str]:
        """Lines about what is asked of her, and what leaves."""
        names = self.published.group_names
        if not names:
            if self.published.mechanism == "rr":
                return [_LIST]
            both = self.published.mechanism == "dprr" or self.published.answer_until is not None
            return [_BOTH if both else _NUMBER]
        count = len(names)
        leave = f"{count} noisy numbers leave this device, one for each group, and no name."
        known = "Everybody knows who is in which group."
        if self.published.dealt:
            known = (
                "Everybody is dealt into the groups by a chance that nobody chooses: it follows from the community's "
                "id, epoch and names, and was checked here."
            )
        lines = [f"You are asked how many of your friends are in each of {count} groups. {leave} {known}"]
        if self.lone:
            lines.append(
                f"These groups hold one person beside you: {listed(self.lone)}. Such a number is about that one "
                "person, and nobody hides in it but by its noise. The ε below holds for her too."
            )
        return lines

    def _of_hubs(self) -> list[str]:
        """Lines about who is asked for more than a number, where anybody is."""
        start, mechanism = self.published.hub_from, self.published.mechanism
        if start is None or mechanism not in WITH_HUBS:
            return []
        more = (
            "asked a second question later: how many of your friends are busy people"
            if mechanism == "hub-counts"
            else "taken for a hub, whose report lists people too: friends, and strangers by chance"
        )
        if start > 0:
            return [f"If your noisy number of friends is {start:,} or more, you are {more}. The ε below covers both."]
        return [f"Nearly everybody here, with friends or without, is {more}. The ε below covers both."]

    def _of_pairs(self) -> list[str]:
        """Lines about what everybody is asked twice, and who reads the first answers."""
        until = self.published.answer_until
        if until is None:
            return []
        return [
            "Later everybody is asked a second question: how many pairs of your friends are friends, by the noisy "
            "lists of all. The ε below covers all of it.",
            "For that, every member is sent everybody's noisy list, yours too. Nobody can call that back, neither you "
            "by taking your report back, nor those who ask.",
            f"Your list waits on this device for that question until you have answered it, and until {until} at most.",
        ]

    def _kept(self) -> str:
        """Lines about what stays on this device, and until when."""
        if self.choice.cost is None:
            return "The report is kept here, and it is your list."
        gone = "Your list is not kept here after the draw; the report is, and the note of what you spent."
        if self.published.answer_until is not None:
            return (
                "The report is kept here, and the note of what you spent. 'graphldp client answer "
                f"{self.published.id}' answers the second question, '--decline' deletes the list, unanswered."
            )
        if self.published.mechanism != "hub-counts" or self.published.hub_from is None:
            return gone
        return (
            f"{gone} But if you are asked a second question, your list stays here until you have answered it. There is "
            f"no closing date; 'graphldp client answer {self.published.id} --decline' deletes the list, unanswered."
        )


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
        """The question whether to take the new epoch."""
        return f"Take part in epoch {self.after.epoch} of '{self.after.id}' as it is published now?"

    def of_list(self, *, names: bool = True) -> list[str]:
        """No lines: her list has no part in it."""
        return []

    def in_words(self, *, names: bool = True) -> list[str]:
        """Lines about every difference."""
        lines = [
            f"{what}: {now}; it was {was}."
            for what, was, now in (
                ("Name", self.before.name, self.after.name),
                *(
                    (what, *(getattr(each.inquiry, name, "nobody says so") for each in (self.before, self.after)))
                    for name, what in _ASKS.items()
                ),
                ("Epoch", self.before.epoch, self.after.epoch),
                ("Users", f"{self.before.n:,}", f"{self.after.n:,}"),
                ("Your number", self.before.user, self.after.user),
                ("Mechanism", self.before.mechanism, self.after.mechanism),
                ("A hub from a noisy degree of", self.before.hub_from, self.after.hub_from),
                ("Reports are kept", self.before.kept, self.after.kept),
                ("Lists wait for a second question until", self.before.answer_until, self.after.answer_until),
                ("Groups are dealt by chance", *("yes" if each.dealt else "no" for each in (self.before, self.after))),
                ("Groups", *(listed(terms.group_names) or "none" for terms in (self.before, self.after))),
            )
            if was != now
        ]
        lines += [*self._choices(), *self._roster(named=names)]
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

    def _roster(self, *, named: bool) -> list[str]:
        was = {name: number for number, name in enumerate(self.old)}
        now = {name: number for number, name in enumerate(self.new)}
        groups = (
            ("New in the roster", [name for name in now if name not in was]),
            ("No longer in the roster", [name for name in was if name not in now]),
            ("In the roster under another number", [name for name in now if was.get(name, now[name]) != now[name]]),
            ("In another group", self._moved()),
        )
        lines = [f"{what} ({len(names):,}){': ' + listed(names) if named else ''}." for what, names in groups if names]
        if lines:
            lines.append(f"Roster digest, the same for every member: {spoken(self.after.roster_digest)}.")
        return lines

    def _moved(self) -> list[str]:
        """The names of who is in another group than before."""
        if self.old_groups is None or self.new_groups is None:
            return []
        was = {name: self.before.group_names[group] for name, group in zip(self.old, self.old_groups, strict=True)}
        now = {name: self.after.group_names[group] for name, group in zip(self.new, self.new_groups, strict=True)}
        return [name for name in now if was.get(name, now[name]) != now[name]]


def who_asks(inquiry: Inquiry | None) -> list[str]:
    """Who asks, what for, and whom to write to, in the community's own words."""
    if inquiry is None:
        return [_NOBODY]
    return [f"{what}: {getattr(inquiry, name)}" for name, what in _ASKS.items()] + [_OWN_WORDS]


def whom_to_ask(inquiry: Inquiry | None) -> str:
    """The end of an error that only those who run the community can mend."""
    return f"Whom to ask: {inquiry.operator}, {inquiry.contact}." if inquiry else "It does not say whom to ask."


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _offer(choice: Choice) -> str:
    if choice.cost is None:
        return f"'{choice.name}' (public: the list as it is)"
    return f"'{choice.name}' (ε = {shown(choice.cost)}: ε₁ = {choice.epsilon1:g}, ε₂ = {choice.epsilon2:g})"

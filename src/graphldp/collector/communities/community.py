"""A community as the collector holds it: what it publishes, and what is known of it besides. Frozen when it opens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from graphldp.collector.communities.lookalikes import look
from graphldp.errors import Described, ParameterError, WireError, bad_parameter
from graphldp.text import printable
from graphldp.wire import MAX_GROUPS, MAX_USERS, PRIVATE_MECHANISMS, WITH_COUNTS, Choice, Terms, plain
from graphldp.wire.choice import LONGEST_NAME, check_name
from graphldp.wire.community import MAX_RETENTION

_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")  # stricter than the wire's: well-formed at its ends too


@dataclass(frozen=True)
class Community(Terms):
    """A community as the collector holds it.

    Args:
        label: its class, where it is known.
        key: its number in the store.
        opened_at: when it opened.
        closed_at: when it stopped taking reports, or None while it does.
        asked_at: when the second question was asked and frozen, or None.
        question_digest: its digest.
        busy_from: the noisy degree from which on users were frozen as busy by it.
        title: what it is called from the next epoch on, where it was renamed since this one opened.
    """

    label: int | None = None
    key: int = -1
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    asked_at: datetime | None = None
    question_digest: str | None = None
    busy_from: int | None = None
    title: str | None = None

    @property
    def called(self) -> str:
        """What operators see. Members see ``name``, which they pinned."""
        return self.title or self.name

    @property
    def version(self) -> str:
        """Stands for all that operators can change: it is another one after each change, and says nothing else."""
        changeable = (self.key, self.title, self.label, self.closed_at, self.asked_at)
        told = [each.isoformat() if isinstance(each, datetime) else each for each in changeable]
        return sha256(repr(told).encode()).hexdigest()[:32]


def check_community(id: str, name: str, mechanism: str, choices: Sequence[Choice], label: int | None) -> None:
    """Refuse what a community cannot be opened with."""
    owner = "a community"
    if not _ID.fullmatch(id):
        raise bad_parameter("id", owner, "lower-case letters, digits and hyphens, 64 at most", id)
    check_called(name)
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


def check_called(name: str) -> None:
    """Refuse what a community cannot be called."""
    try:
        check_name(name)
    except WireError:
        must_be = f"printable, and {LONGEST_NAME} characters at most"
        raise bad_parameter("name", "a community", must_be, Described(f"{len(name):,} characters")) from None


def number_groups(mechanism: str, groups: Sequence[str] | None, n: int) -> tuple[tuple[str, ...], list[int]]:
    """What the groups of a community are called, sorted, and the number of each user's group.

    Args:
        mechanism: of the community.
        groups: what each user's group is called, in the order of the roster; None where there are no groups.
        n: how many users the roster names.
    """
    if mechanism not in WITH_COUNTS:
        if groups is not None:
            raise ParameterError(f"Friends are counted by group in a community by friend-counts, not by {mechanism}.")
        return (), []
    if groups is None:
        raise ParameterError("A community by friend-counts must say of each user in which public group she is.")
    if len(groups) != n:
        raise bad_parameter("groups", "a community", f"one for each of {n} users", Described(f"{len(groups):,}"))
    for place, name in enumerate(groups):
        try:
            check_name(name)
        except WireError:
            raise ParameterError(
                f"Everybody must be in one group with a printable name; user {place} is not."
            ) from None
    names = tuple(sorted(set(groups)))
    if len(names) < 2:
        raise ParameterError("A community by friend-counts needs two groups or more; with one, take noisy-degrees.")
    most = min(MAX_GROUPS, n - 1)
    if len(names) > most:
        must_be = f"at most {most}, and fewer than users: few large groups tell most"
        raise bad_parameter("groups", "a community", must_be, Described(f"{len(names):,}"))
    numbers = {name: number for number, name in enumerate(names)}
    return names, [numbers[name] for name in groups]


def check_label(label: int | None) -> None:
    """Refuse what is no class."""
    if label is not None and not 0 <= label < 1 << 31:
        raise bad_parameter("label", "a community", "a whole number ≥ 0", label)


def check_retention(days: int | None) -> None:
    """Refuse what is no time to keep reports for."""
    if days is not None and not 1 <= days <= MAX_RETENTION:
        raise bad_parameter("retention", "a community", f"1 to {MAX_RETENTION:,} days", days)


def check_roster(names: Sequence[str]) -> None:
    """Refuse a roster with empty or unprintable names, or with two that clients or people could not tell apart."""
    if not 2 <= len(names) <= MAX_USERS:
        raise bad_parameter("roster", "a community", f"2 to {MAX_USERS:,} names", Described(f"{len(names):,}"))
    seen: dict[str, int] = {}
    for place, name in enumerate(names):
        compared = plain(name)
        if not compared or not name.isprintable():
            raise ParameterError(f"A roster must hold distinct, printable names; name {place + 1:,} is not printable.")
        for seems in (compared,) if name.isascii() else (compared, look(name)):
            first = seen.setdefault(seems, place)
            if first != place:
                raise ParameterError(_same(names[first], name, first + 1, place + 1))


def _same(first: str, second: str, at: int, again: int) -> str:
    """Why two names cannot both be in a roster. It says where they are, not what they are."""
    both = f"A roster must hold distinct, printable names; names {at:,} and {again:,}"
    if plain(first) == plain(second):
        return f"{both} are the same to every client: case, an @ in front and how a letter is written do not count."
    return f"{both} look alike and are spelled with other characters, so members would take one for the other."

"""A community as the collector holds it: what it publishes, and what is known of it besides. Frozen when it opens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from graphldp.errors import Described, ParameterError, WireError, bad_parameter
from graphldp.files.text import printable
from graphldp.intervals import LEAST
from graphldp.privacy.pairs import PAIR_USERS
from graphldp.wire import MAX_GROUPS, MAX_USERS, PRIVATE_MECHANISMS, WITH_COUNTS, Choice, Inquiry, Terms, check_names
from graphldp.wire.community import MAX_RETENTION
from graphldp.wire.deal import GROUPS
from graphldp.wire.layout import LAYOUTS
from graphldp.wire.roster import LONGEST_NAME, check_name

MIN_REPORTS = LEAST
"""So many reports there must be before anything of a community is shown, learned or taken out; a setting says another.

A mean, a bar or a label of one report is that report. So below it there is none of them, on no page and in no command's
output, of a community, a group of its users or a bar of a histogram; the community is left out of trainings and
exports, and its hubs are not asked.
"""

MAX_LABEL = (1 << 31) - 1
"""The highest number of a class."""

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
        trusted: whether operators know its reports to be honest.
    """

    label: int | None = None
    key: int = -1
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    asked_at: datetime | None = None
    question_digest: str | None = None
    busy_from: int | None = None
    title: str | None = None
    trusted: bool = False

    @property
    def called(self) -> str:
        """The name that operators see. Members see ``name``, which they pinned."""
        return self.title or self.name

    @property
    def version(self) -> str:
        """A version of all that operators can change: another one after each change, which says nothing else."""
        changeable = (self.key, self.title, self.label, self.trusted, self.closed_at, self.asked_at)
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


def check_pairs(mechanism: str, choices: Sequence[Choice], n: int) -> None:
    """Refuse what cannot be asked about pairs: one noise must hold for all noisy lists, and each user reads them."""
    if LAYOUTS[mechanism].asks_all and (len(choices) > 1 or choices[0].public or n > PAIR_USERS):
        raise ParameterError(
            f"A community by {mechanism} offers one ε, no public list, and has {PAIR_USERS:,} users at most: each of "
            "them reads all noisy lists."
        )


def check_called(name: str) -> None:
    """Refuse what a community cannot be called."""
    try:
        check_name(name)
    except WireError:
        must_be = f"printable, and {LONGEST_NAME} characters at most"
        raise bad_parameter("name", "a community", must_be, Described(f"{len(name):,} characters")) from None


def number_groups(mechanism: str, groups: Sequence[str] | None, n: int) -> tuple[tuple[str, ...], list[int]]:
    """The names of a community's groups, sorted, and the number of each user's group."""
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


def check_witnesses(mechanism: str, n: int, *, groups: bool) -> None:
    """Refuse what cannot be dealt into groups."""
    if groups:
        raise ParameterError(
            "Witnesses are counts by groups that users are dealt into. Counts by groups of your own would be a second "
            "report: 2ε. Leave out one of the two."
        )
    if mechanism not in WITH_COUNTS:
        raise bad_parameter("mechanism", "a community with witnesses", "friend-counts, or left out", mechanism)
    if n < GROUPS:
        raise ParameterError(
            f"A community with witnesses needs {GROUPS} users or more, one for each group, and this one has {n}. So "
            "small a community would be labelled by its number of users alone: open it without witnesses."
        )


def check_label(label: int | None) -> None:
    """Refuse what is no class."""
    if label is not None and not 0 <= label <= MAX_LABEL:
        raise bad_parameter("label", "a community", f"a whole number from 0 to {MAX_LABEL:,}", label)


def check_retention(days: int | None) -> None:
    """Refuse what is no time to keep reports for."""
    if days is not None and not 1 <= days <= MAX_RETENTION:
        raise bad_parameter("retention", "a community", f"1 to {MAX_RETENTION:,} days", days)


def check_inquiry(inquiry: Inquiry | None) -> None:
    """Refuse what members cannot be shown of who asks."""
    if inquiry is not None:
        try:
            inquiry.check()
        except WireError as error:
            raise ParameterError(str(error)) from None


def check_roster(names: Sequence[str]) -> None:
    """Refuse a roster that clients would refuse: with bad names, or with two that nobody could tell apart."""
    if not 2 <= len(names) <= MAX_USERS:
        raise bad_parameter("roster", "a community", f"2 to {MAX_USERS:,} names", Described(f"{len(names):,}"))
    try:
        check_names(names)
    except WireError as error:
        raise ParameterError(str(error)) from None


def enough(reports: int, min_reports: int) -> bool:
    """Whether so many reports may be shown, learned from or taken out."""
    return reports >= max(min_reports, 1)

"""What a community publishes to its members: who is in it, how reports are drawn, and the choices of ε.

::

    {"id": "cats", "name": "The cat lovers", "n": 3, "user": 2, "mechanism": "dprr",
     "choices": [{"name": "standard", "epsilon1": 0.1, "epsilon2": 0.9}],
     "epoch": 1, "held": [], "roster_digest": "…", "roster": ["ann", "bob", "cy"]}

A community that promises to delete reports after a time has ``"retention_days"`` and ``"keeps_models"`` as well.
In a community by friend-counts ``"group_names"`` and ``"groups"``, the number of each user's group, stand beside them.

:class:`Terms` are the same for all members and frozen when the community opens. :class:`Published` is what one member
sees of them, and :class:`Publication` the whole message. It is read strictly; fields that a reader does not know are
left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from graphldp.errors import WireError
from graphldp.wire import varints
from graphldp.wire.choice import Choice, check_name
from graphldp.wire.counts import most_groups
from graphldp.wire.report import (
    DEGREE_RANGE,
    MAX_USERS,
    MECHANISMS,
    WITH_COUNTS,
    WITH_DEGREE,
    WITH_EDGES,
    WITH_EPSILON1,
    WITH_HUBS,
    Report,
    ReportHead,
    max_size,
    to_millionths,
)
from graphldp.wire.roster import roster_digest

ID_PATTERN = "^[a-z0-9-]{1,64}$"
DIGEST_PATTERN = "^[0-9a-f]{64}$"
KEY_PATTERN = "^04[0-9a-f]{128}$"  # a point of P-256, uncompressed
PRIVATE_MECHANISMS = tuple(name for name in MECHANISMS if name != "public")
MAX_EPOCH = (1 << 31) - 1
MAX_RETENTION = 36_500
_NOT_ONE = "What the community publishes is not as the wire format has it."


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


@dataclass(frozen=True)
class Published(Terms):
    """A community, as the holder of one slot sees it.

    Args:
        user: the slot that the token opens.
    """

    user: int = field(kw_only=True)

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Published:
        """Read what a collector answered, or what a member kept."""
        try:
            found = Published(
                id=_matching(ID_PATTERN, fields["id"]),
                name=check_name(fields["name"]),
                n=_whole(fields["n"], 1, MAX_USERS),
                mechanism=_typed(fields["mechanism"], str),
                choices=tuple(Choice.from_json(each, fields["mechanism"]) for each in _typed(fields["choices"], list)),
                roster_digest=_matching(DIGEST_PATTERN, fields["roster_digest"]),
                epoch=_whole(fields["epoch"], 1, MAX_EPOCH),
                user=_whole(fields["user"], 0, MAX_USERS - 1),
                hub_from=_hub_from(fields),
                group_names=_group_names(fields),
                retention_days=_retention(fields),
                keeps_models=_typed(fields.get("keeps_models", True), bool),
            )
        except (KeyError, TypeError):
            raise WireError(_NOT_ONE) from None
        if found.user >= found.n or not found.choices:
            raise WireError("The community publishes a slot that it does not have, or no choice.")
        if found.mechanism not in PRIVATE_MECHANISMS or len({c.name for c in found.choices}) != len(found.choices):
            raise WireError("The community publishes an unknown mechanism, or two choices of one name.")
        return found

    def to_json(self) -> dict[str, Any]:
        """What :meth:`from_json` reads."""
        fields = {
            "id": self.id,
            "name": self.name,
            "n": self.n,
            "user": self.user,
            "mechanism": self.mechanism,
            "choices": [choice.to_json() for choice in self.choices],
            "epoch": self.epoch,
            "roster_digest": self.roster_digest,
        }
        if self.mechanism in WITH_HUBS:
            fields["hub_from"] = self.hub_from
        if self.mechanism in WITH_COUNTS:
            fields["group_names"] = list(self.group_names)
        if self.retention_days is not None:
            fields |= {"retention_days": self.retention_days, "keeps_models": self.keeps_models}
        return fields

    def choice(self, name: str | None) -> Choice:
        """The choice of a name; the only one where there is only one."""
        found = [c for c in self.choices if name in (None, c.name)]
        if len(found) != 1:
            raise WireError(f"Choose one of this community's offers: {', '.join(c.name for c in self.choices)}.")
        return found[0]


@dataclass(frozen=True)
class Publication:
    """The whole message of a community to a member.

    Args:
        published: what she sees of its terms.
        held: the epochs in which the collector has her report, or had it deleted.
        roster: the users' names, in the order of their numbers.
        answered: for hub-counts, the epochs in which it has her answer to the second question.
        sealing_key: the collector's key, where it takes sealed reports.
        groups: for friend-counts, the number of each user's group; else None.
    """

    published: Published
    held: tuple[int, ...]
    roster: list[str] = field(repr=False)
    answered: tuple[int, ...] = ()
    sealing_key: bytes | None = None
    groups: list[int] | None = field(default=None, repr=False)

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Publication:
        """Read what :func:`write_publication` wrote."""
        published = Published.from_json(fields)
        try:
            held = _epochs(fields["held"])
            answered = _epochs(fields["answered"]) if published.mechanism == "hub-counts" else ()
            sealing_key = _key(fields["sealing_key"]) if "sealing_key" in fields else None
        except (KeyError, TypeError):
            raise WireError(_NOT_ONE) from None
        groups = fields.get("groups") if published.group_names else None
        published.check_roster(fields.get("roster"), groups)
        return Publication(published, held, fields["roster"], answered, sealing_key, groups)


def write_publication(
    published: Published,
    held: Sequence[int],
    roster: str,
    answered: Sequence[int] = (),
    sealing_key: bytes | None = None,
    groups: str | None = None,
) -> str:
    """The whole message, as JSON.

    Args:
        published: what the member sees of the terms.
        held: the epochs in which the collector has her report.
        roster: the names as JSON already: a long roster is written once for all members.
        answered: the epochs in which the collector has her answer.
        sealing_key: the collector's key, where it takes sealed reports.
        groups: the numbers of the users' groups as JSON already, where there are any.
    """
    fields = published.to_json()
    digest, told = fields.pop("roster_digest"), dict[str, Any](held=list(held))
    if published.mechanism == "hub-counts":
        told["answered"] = list(answered)
    if sealing_key is not None:
        told["sealing_key"] = sealing_key.hex()
    head = json.dumps(fields | told | {"roster_digest": digest}, ensure_ascii=False)
    partition = "" if groups is None else f', "groups": {groups}'
    return f'{head[:-1]}{partition}, "roster": {roster}}}'


def _hub_from(fields: Mapping[str, Any]) -> int | None:
    """From where on users are hubs, of the mechanisms that have them."""
    if fields["mechanism"] not in WITH_HUBS or fields["hub_from"] is None:
        return None
    return _whole(fields["hub_from"], *DEGREE_RANGE)


def _retention(fields: Mapping[str, Any]) -> int | None:
    """After how many days reports are deleted, where that is promised."""
    return _whole(fields["retention_days"], 1, MAX_RETENTION) if "retention_days" in fields else None


def _group_names(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """What the groups are called, of the mechanisms that count by them."""
    if fields["mechanism"] not in WITH_COUNTS:
        return ()
    names = tuple(check_name(name) for name in _typed(fields["group_names"], list))
    if len(set(names)) != len(names) or not 2 <= len(names) <= most_groups(fields["n"]):
        raise WireError("A community by friend-counts publishes two groups or more, by distinct names.")
    return names


def _is_partition(groups: Any, n: int, count: int) -> bool:
    """Whether each of n users is in one of so many groups, and each of these is somebody's."""
    if type(groups) is not list or len(groups) != n or not all(type(each) is int for each in groups):
        return False
    return set(groups) == set(range(count))


def _key(value: Any) -> bytes:
    return bytes.fromhex(_matching(KEY_PATTERN, value))


def _epochs(value: Any) -> tuple[int, ...]:
    return tuple(_whole(epoch, 1, MAX_EPOCH) for epoch in _typed(value, list))


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError
    return value


def _whole(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise TypeError
    return value


def _matching(pattern: str, value: Any) -> str:
    if type(value) is not str or not re.fullmatch(pattern, value):
        raise TypeError
    return value

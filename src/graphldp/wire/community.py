"""What a community sends to a member: who is in it, how reports are drawn, and the choices of ε.

::

    {"id": "cats", "name": "The cat lovers", "purpose": "To see how we are connected.",
     "operator": "The cat club", "contact": "club@cats.example", "n": 3, "user": 2, "mechanism": "dprr",
     "choices": [{"name": "standard", "epsilon1": 0.1, "epsilon2": 0.9}],
     "epoch": 1, "held": [], "roster_digest": "…", "roster": ["ann", "bob", "cy"]}

A community may leave out all of ``"purpose"``, ``"operator"`` and ``"contact"``; clients then say so.
A community that promises to delete reports after a time has ``"retention_days"`` and ``"keeps_models"`` as well.
In a community by friend-counts ``"group_names"`` and ``"groups"``, the number of each user's group, stand beside them,
and ``"dealt": true`` where users were dealt into the groups. One by closed-pairs has ``"answer_until": "2026-12-31"``,
one choice, which is private, and 2,000 users at most: each of them reads all noisy lists.

:class:`.Terms` are the same for all members. :class:`Published` is what one member sees of them, and
:class:`Publication` the whole message. It is read strictly; fields that a reader does not know are
left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from graphldp.errors import WireError
from graphldp.privacy.pairs import PAIR_USERS
from graphldp.wire.deal import dealt_names
from graphldp.wire.layout import (
    DEGREE_RANGE,
    LAYOUTS,
    MAX_USERS,
    WITH_COUNTS,
    WITH_HUBS,
    WITH_SECOND,
    most_groups,
)
from graphldp.wire.roster import check_name
from graphldp.wire.terms import PRIVATE_MECHANISMS, Choice, Inquiry, Terms

ID_PATTERN = "^[a-z0-9-]{1,64}$"
DIGEST_PATTERN = "^[0-9a-f]{64}$"
DAY_PATTERN = "^2[0-9]{3}-[0-9]{2}-[0-9]{2}$"
KEY_PATTERN = "^04[0-9a-f]{128}$"  # a point of P-256, uncompressed
MAX_EPOCH = (1 << 31) - 1
MAX_RETENTION = 36_500
# of the whole message, checked before it is read: nothing in it costs a client more than it has
MOST_BYTES = 1 << 27  # three million names of forty bytes
MOST_BRACKETS = 1 << 16  # brackets cost a reader the most memory a byte, and an honest message has few
MOST_COMMAS = 1 << 23  # two letters become sixty bytes when they are read
_NOT_ONE = "What the community publishes is not as the wire format has it."


@dataclass(frozen=True)
class Published(Terms):
    """A published community, as the holder of one slot sees it.

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
                dealt=_dealt(fields),
                retention_days=_retention(fields),
                keeps_models=_typed(fields.get("keeps_models", True), bool),
                inquiry=Inquiry.from_json(fields),
                answer_until=_answer_until(fields),
            )
        except (KeyError, TypeError):
            raise WireError(_NOT_ONE) from None
        if found.user >= found.n or not found.choices:
            raise WireError("The community publishes a slot that it does not have, or no choice.")
        if found.mechanism not in PRIVATE_MECHANISMS or len({c.name for c in found.choices}) != len(found.choices):
            raise WireError("The community publishes an unknown mechanism, or two choices of one name.")
        if found.answer_until and (len(found.choices) > 1 or found.choices[0].public or found.n > PAIR_USERS):
            raise WireError(
                f"A community by closed-pairs has {PAIR_USERS:,} users at most, and one choice, which is private."
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """What :meth:`from_json` reads."""
        fields = {
            "id": self.id,
            "name": self.name,
            **(self.inquiry.to_json() if self.inquiry else {}),
            "n": self.n,
            "user": self.user,
            "mechanism": self.mechanism,
            "choices": [choice.to_json() for choice in self.choices],
            "epoch": self.epoch,
            "roster_digest": self.roster_digest,
        }
        if self.mechanism in WITH_HUBS:
            fields["hub_from"] = self.hub_from
        if self.answer_until is not None:
            fields["answer_until"] = self.answer_until.isoformat()
        if self.mechanism in WITH_COUNTS:
            fields["group_names"] = list(self.group_names)
            fields |= {"dealt": True} if self.dealt else {}
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
        answered: where there is a second question, the epochs in which it has her answer.
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
            answered = _epochs(fields["answered"]) if published.mechanism in WITH_SECOND else ()
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
        roster: the names as JSON.
        answered: the epochs in which the collector has her answer.
        sealing_key: the collector's key, where it takes sealed reports.
        groups: the numbers of the users' groups as JSON, where there are any.
    """
    return write_terms(published, held, answered, sealing_key) + write_people(roster, groups)


def write_terms(
    published: Published, held: Sequence[int], answered: Sequence[int] = (), sealing_key: bytes | None = None
) -> str:
    """The beginning of the message, which is a member's own: all but the people."""
    fields = published.to_json()
    digest, told = fields.pop("roster_digest"), dict[str, Any](held=list(held))
    if published.mechanism in WITH_SECOND:
        told["answered"] = list(answered)
    if sealing_key is not None:
        told["sealing_key"] = sealing_key.hex()
    return json.dumps(fields | told | {"roster_digest": digest}, ensure_ascii=False)[:-1]


def write_people(roster: str, groups: str | None = None) -> str:
    """The end of the message, which is the same for all members: long, and written once."""
    partition = "" if groups is None else f', "groups": {groups}'
    return f'{partition}, "roster": {roster}}}'


def _hub_from(fields: Mapping[str, Any]) -> int | None:
    """From where on users are hubs, of the mechanisms that have them."""
    if fields["mechanism"] not in WITH_HUBS or fields["hub_from"] is None:
        return None
    return _whole(fields["hub_from"], *DEGREE_RANGE)


def _answer_until(fields: Mapping[str, Any]) -> date | None:
    """Until when devices keep lists for a second question that is put to all."""
    if not LAYOUTS[fields["mechanism"]].asks_all:
        return None
    try:
        return date.fromisoformat(_matching(DAY_PATTERN, fields["answer_until"]))
    except ValueError:  # a day that no month has
        raise TypeError from None


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
    if _dealt(fields) and names != dealt_names(len(names)):
        raise WireError("Groups that users are dealt into are called by their numbers, from 1 on.")
    return names


def _dealt(fields: Mapping[str, Any]) -> bool:
    """Whether users are dealt into groups, of the mechanisms that count by them."""
    return fields["mechanism"] in WITH_COUNTS and bool(_typed(fields.get("dealt", False), bool))


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

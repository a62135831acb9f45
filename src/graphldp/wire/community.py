"""What a community sends to a member: who is in it, how reports are drawn, and the choices of ε.

::

    {"id": "cats", "name": "The cat lovers", "n": 3, "user": 2, "mechanism": "dprr",
     "choices": [{"name": "standard", "epsilon1": 0.1, "epsilon2": 0.9}],
     "epoch": 1, "held": [], "roster_digest": "…", "roster": ["ann", "bob", "cy"]}

A community that promises to delete reports after a time has ``"retention_days"`` and ``"keeps_models"`` as well.
In a community by friend-counts ``"group_names"`` and ``"groups"``, the number of each user's group, stand beside them.

:class:`.Terms` are the same for all members. :class:`Published` is what one member sees of them, and
:class:`Publication` the whole message. It is read strictly; fields that a reader does not know are
left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphldp.errors import WireError
from graphldp.wire.choice import Choice, check_name
from graphldp.wire.codes.counts import most_groups
from graphldp.wire.report import DEGREE_RANGE, MAX_USERS, WITH_COUNTS, WITH_HUBS
from graphldp.wire.terms import PRIVATE_MECHANISMS, Terms

ID_PATTERN = "^[a-z0-9-]{1,64}$"
DIGEST_PATTERN = "^[0-9a-f]{64}$"
KEY_PATTERN = "^04[0-9a-f]{128}$"  # a point of P-256, uncompressed
MAX_EPOCH = (1 << 31) - 1
MAX_RETENTION = 36_500
_NOT_ONE = "What the community publishes is not as the wire format has it."


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

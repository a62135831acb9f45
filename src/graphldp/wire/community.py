"""What a community publishes: how many it is, who is in its roster, and the choices of ε. Read strictly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from graphldp.errors import DataError
from graphldp.wire.report import MAX_USERS, MECHANISMS, WITH_DEGREE, WITH_EDGES, to_millionths

_GROUPS, _DIGITS = 8, 4
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Choice:
    """One ε that the community offers.

    Args:
        name: what it is called.
        mechanism: how the report is drawn.
        epsilon1: ε₁; 0 where the mechanism has no noisy degree, ``inf`` for a public list.
        epsilon2: ε₂, likewise.
    """

    name: str
    mechanism: str
    epsilon1: float
    epsilon2: float

    @property
    def cost(self) -> int | None:
        """ε₁ + ε₂ in millionths, exactly; None for a public list, which no ε protects."""
        if self.mechanism == "public":
            return None
        return sum(to_millionths(value) for value in (self.epsilon1, self.epsilon2) if value)


@dataclass(frozen=True)
class Published:
    """A community, as the holder of one slot sees it.

    Args:
        id: its id.
        name: what people call it.
        n: users in its roster.
        user: the slot that the token opens.
        mechanism: how reports are drawn.
        choices: the offers of ε.
        epoch: which collection this is of the same people.
        roster_digest: the roster's digest (:func:`graphldp.wire.roster_digest`).
    """

    id: str
    name: str
    n: int
    user: int
    mechanism: str
    choices: tuple[Choice, ...]
    epoch: int
    roster_digest: str

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Published:
        """Read what a collector answered, or what the vault kept; fields that it does not know are left alone."""
        try:
            found = Published(
                id=_named(fields["id"]),
                name=_named(fields["name"]),
                n=_typed(fields["n"], int),
                user=_typed(fields["user"], int),
                mechanism=_typed(fields["mechanism"], str),
                choices=tuple(_choice(each, fields["mechanism"]) for each in fields["choices"]),
                epoch=_typed(fields["epoch"], int),
                roster_digest=_typed(fields["roster_digest"], str),
            )
        except (KeyError, TypeError, ValueError):
            raise DataError("What the community publishes is not as the client expects it.") from None
        if not (0 <= found.user < found.n <= MAX_USERS and found.epoch >= 1 and found.choices):
            raise DataError("The community publishes a size, slot, epoch or choice that cannot be.")
        if found.mechanism not in MECHANISMS[:3] or len({c.name for c in found.choices}) != len(found.choices):
            raise DataError("The community publishes an unknown mechanism, or two choices of one name.")
        return found

    def to_json(self) -> dict[str, Any]:
        """What :meth:`from_json` reads."""
        offers = [
            {"name": c.name} | {key: None if c.cost is None else getattr(c, key) for key in ("epsilon1", "epsilon2")}
            for c in self.choices
        ]
        return asdict(self) | {"choices": offers}

    def choice(self, name: str | None) -> Choice:
        """The choice of a name; the only one where there is only one."""
        found = [c for c in self.choices if name in (None, c.name)]
        if len(found) != 1:
            raise DataError(f"Choose one of this community's offers: {', '.join(c.name for c in self.choices)}.")
        return found[0]

    def check_roster(self, names: Sequence[str]) -> None:
        """Refuse any other roster than the one that was frozen when the community opened."""
        if not all(isinstance(name, str) and name.isprintable() for name in names):
            raise DataError("The roster must be a list of printable names.")
        if len(names) != self.n or roster_digest(names) != self.roster_digest:
            raise DataError("The roster is not the one that the community was opened with.")


def roster_digest(names: Sequence[str]) -> str:
    """SHA-256 of a roster, in hex: of each name its length as eight bytes, big-endian, then its UTF-8 bytes.

    The lengths keep two rosters apart whose names run together, whatever characters the names hold.
    """
    total = sha256()
    for name in names:
        data = name.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def spoken(digest: str) -> str:
    """The first 128 bits of a digest in groups, for two members to compare by voice.

    Fewer would not do: whoever makes both rosters looks for two that agree, and finds them after the square root of
    all values.
    """
    return " ".join(digest[start : start + _DIGITS] for start in range(0, _GROUPS * _DIGITS, _DIGITS))


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError
    return value


def _named(value: Any) -> str:
    """A name that can be shown: what a terminal would obey, or what hides other text, does not come in."""
    if type(value) is not str or not value.isprintable() or len(value) > _LONGEST_NAME:
        raise TypeError
    return value


def _choice(fields: Mapping[str, Any], mechanism: str) -> Choice:
    name, first, second = _named(fields["name"]), fields["epsilon1"], fields["epsilon2"]
    if first is None and second is None:
        return Choice(name, "public", math.inf, math.inf)
    for value, users in ((first, WITH_DEGREE), (second, WITH_EDGES)):
        if mechanism in users:
            to_millionths(value)
        elif value != 0:
            raise ValueError
    return Choice(name, mechanism, float(first), float(second))

"""What a community publishes: how many it is, who is in its roster, and the choices of ε. Read strictly.

An invitation is ``{"server": …, "community": …, "token": …}``, as JSON. A server is reached over https only, but for
this machine itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from graphldp.errors import DataError
from graphldp.wire import MAX_USERS, MECHANISMS, WITH_DEGREE, WITH_EDGES, roster_digest, to_millionths

_ID = re.compile(r"[a-z0-9-]{1,64}")
_NO_ADDRESS = "The invitation's server is not an address such as https://reports.example.org."
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Invitation:
    """Where a user may report, and the token that lets her.

    Args:
        server: the collector's address.
        community: the community's id.
        token: the user's secret, for one slot.
    """

    server: str
    community: str
    token: str = field(repr=False)

    @staticmethod
    def from_json(text: str) -> Invitation:
        """Read an invitation."""
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = None
        names = {"server", "community", "token"}
        if not isinstance(fields, dict) or set(fields) != names or not all(isinstance(v, str) for v in fields.values()):
            raise DataError('An invitation is JSON: {"server": "https://…", "community": "…", "token": "…"}.')
        if not _ID.fullmatch(fields["community"]) or not re.fullmatch(r"[\x21-\x7e]{1,200}", fields["token"]):
            raise DataError("The invitation's community or token is not one.")
        return Invitation(address(fields["server"]), fields["community"], fields["token"])

    def to_json(self) -> str:
        """The invitation as it was."""
        return json.dumps(asdict(self))


def address(server: str) -> str:
    """A collector's address in the one way that it is kept: over https, or on this machine."""
    try:
        parts = urlsplit(server)
        usable = re.fullmatch(r"[\x21-\x7e]+", server) is not None and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is none
        raise DataError(_NO_ADDRESS) from None
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not usable or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise DataError(_NO_ADDRESS)
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        raise DataError("The invitation's server must be reached over https.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


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

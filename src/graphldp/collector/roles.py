"""Who acts, and what she may do. Viewers look, operators run collections, administrators also give out roles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from graphldp.errors import ForbiddenError, bad_parameter


class Role(IntEnum):
    """What somebody may do; each role may do what those below it may."""

    VIEWER = 1
    OPERATOR = 2
    ADMINISTRATOR = 3

    @property
    def title(self) -> str:
        """What it is called."""
        return self.name.lower()

    @staticmethod
    def named(name: str) -> Role:
        """The role of a name."""
        for role in Role:
            if role.title == name:
                return role
        raise bad_parameter("role", "an operator", f"one of {', '.join(role.title for role in Role)}", name)


@dataclass(frozen=True)
class Actor:
    """Somebody who acts.

    Args:
        name: an operator's, or that of the account on the machine that holds the database.
        role: what she may do.
        way: by which she came: ``"command line"``, ``"dashboard"`` or ``"api"``.
    """

    name: str
    role: Role
    way: str

    def need(self, least: Role) -> None:
        """Refuse somebody whose role is below.

        Raises:
            ForbiddenError: for her.
        """
        if self.role < least:
            article = "a" if least is Role.VIEWER else "an"
            raise ForbiddenError(f"This takes {article} {least.title}, and you are signed in as {self.role.title}.")

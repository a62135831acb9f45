"""Roles, and how every action runs: the role is checked, the log records the action, then it is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphldp.errors import ForbiddenError, bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.storage.store import Store


class Role(IntEnum):
    """A role. Each may do what those below it may."""

    VIEWER = 1
    OPERATOR = 2
    ADMINISTRATOR = 3

    @property
    def title(self) -> str:
        """The title of a role."""
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
    """Somebody who acts."""

    name: str
    role: Role
    way: str

    def need(self, least: Role) -> None:
        """Refuse somebody whose role is below."""
        if self.role < least:
            article = "a" if least is Role.VIEWER else "an"
            raise ForbiddenError(f"This takes {article} {least.title}, and you are signed in as {self.role.title}.")


LONGEST = 64  # of ids and of operators' names
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")  # a token or a key, wherever it was pasted: the log would keep it for good
_ID = re.compile(r"[a-z0-9-]+")
Given = ParamSpec("Given")
Made = TypeVar("Made")
Action = Callable[Concatenate["Store", Actor, Given], Made]
LEAST: dict[str, Role] = {}
"""The lowest role of each action, by its name in the log."""


def acting(name: str, least: Role, *, noted: bool = True) -> Callable[[Action[Given, Made]], Action[Given, Made]]:
    """Make a function an action: check who calls it, and record it in the log, as :func:`noting` does.

    Of a look at something, which is not ``noted``, only somebody who may not is written down.
    """
    LEAST[name] = least

    def decorate(action: Action[Given, Made]) -> Action[Given, Made]:
        @wraps(action)
        def checked(store: Store, actor: Actor, /, *given: Given.args, **named: Given.kwargs) -> Made:
            if not noted:
                _check(store, actor, name, None, least)
                return action(store, actor, *given, **named)
            about = given[0] if given else named.get("id")
            role = next((each for each in (*given, *named.values()) if isinstance(each, Role)), None)
            with noting(store, actor, name, least, about, role):
                return action(store, actor, *given, **named)

        return checked

    return decorate


@contextmanager
def noting(
    store: Store, actor: Actor, name: str, least: Role, about: object = None, given: Role | None = None
) -> Iterator[None]:
    """Check a role, and write down what is done inside.

    The entry is on disk before the action begins, so nothing happens that is not in the log. If the action then fails,
    a second entry says so. After a crash, an entry may stand for an action that was never done.
    """
    told = f"{_about(about)} as {given.title}" if given else _about(about)
    _check(store, actor, name, told, least)
    store.audit_log.add(actor, name, told)
    try:
        yield
    except BaseException:
        store.audit_log.add(actor, name, told, "failed")
        raise


def check_role(store: Store, actor: Actor, name: str, least: Role, about: object = None) -> None:
    """Refuse somebody whose role is below before anything of a request is read, and write it down."""
    _check(store, actor, name, _about(about), least)


def _check(store: Store, actor: Actor, name: str, about: str | None, least: Role) -> None:
    """Refuse somebody whose role is below, and write it down."""
    try:
        actor.need(least)
    except ForbiddenError:
        store.audit_log.add(actor, name, about, "forbidden")
        raise


def _about(given: object) -> str | None:
    """The subject of an action, as the log has it: an id, ids, a name or a number, and nothing pasted by mistake."""
    if isinstance(given, int):
        return str(given)
    if isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
        listed = ", ".join(given)
        given = listed if len(listed) <= LONGEST else f"{len(given)} communities"
    if not isinstance(given, str):
        return None
    secret = _SECRET.search(given) is not None and _ID.fullmatch(given) is None
    return given if len(given) <= LONGEST and given.isprintable() and not secret else "?"

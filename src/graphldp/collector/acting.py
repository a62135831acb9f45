"""How every action of an operator runs: her role is checked, then the log records the action, then it is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphldp.collector.roles import Actor, Role
from graphldp.errors import ForbiddenError

if TYPE_CHECKING:
    from graphldp.collector.storage.store import Store

LONGEST = 64  # of ids and of operators' names
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")  # a token or a key, wherever it was pasted: the log would keep it for good
_ID = re.compile(r"[a-z0-9-]+")
Given = ParamSpec("Given")
Made = TypeVar("Made")
Action = Callable[Concatenate["Store", Actor, Given], Made]


def acting(name: str, least: Role) -> Callable[[Action[Given, Made]], Action[Given, Made]]:
    """Make a function an action: check who calls it, and record it in the log, as :func:`noting` does.

    Args:
        name: what stands in the log, such as ``"community.close"``.
        least: the lowest role that may do it.

    Returns:
        A decorator for a function of a store, an actor and, where it is about a community or an operator, its name.
        Where somebody is given a role, the log says which.
    """

    def decorate(action: Action[Given, Made]) -> Action[Given, Made]:
        @wraps(action)
        def logged(store: Store, actor: Actor, /, *given: Given.args, **named: Given.kwargs) -> Made:
            about = given[0] if given else named.get("id")
            role = next((each for each in (*given, *named.values()) if isinstance(each, Role)), None)
            with noting(store, actor, name, least, about, role):
                return action(store, actor, *given, **named)

        return logged

    return decorate


@contextmanager
def noting(
    store: Store, actor: Actor, name: str, least: Role, about: object = None, given: Role | None = None
) -> Iterator[None]:
    """Check a role, and write down what is done inside.

    The entry is on disk before the action begins, so nothing happens that is not in the log. If the action then fails,
    a second entry says so. After a crash, an entry may stand for an action that was never done.

    Args:
        store: where the log is.
        actor: who acts.
        name: what stands in the log.
        least: the lowest role that may.
        about: the id of a community, ids, or the name of an operator.
        given: the role that somebody is given.

    Raises:
        ForbiddenError: for a role below.
    """
    told = f"{_about(about)} as {given.title}" if given else _about(about)
    _check(store, actor, name, told, least)
    store.audit_log.add(actor, name, told)
    try:
        yield
    except BaseException:
        store.audit_log.add(actor, name, told, "failed")
        raise


def reading(name: str, least: Role) -> Callable[[Action[Given, Made]], Action[Given, Made]]:
    """Let a role and those above it look at something. Only whoever may not is written down.

    Args:
        name: what stands in the log then, such as ``"log.read"``.
        least: the lowest role that may.

    Returns:
        A decorator for a function of a store and an actor.
    """

    def decorate(look: Action[Given, Made]) -> Action[Given, Made]:
        @wraps(look)
        def checked(store: Store, actor: Actor, /, *given: Given.args, **named: Given.kwargs) -> Made:
            _check(store, actor, name, None, least)
            return look(store, actor, *given, **named)

        return checked

    return decorate


def _check(store: Store, actor: Actor, name: str, about: str | None, least: Role) -> None:
    """Refuse somebody whose role is below, and write it down."""
    try:
        actor.need(least)
    except ForbiddenError:
        store.audit_log.add(actor, name, about, "forbidden")
        raise


def _about(given: object) -> str | None:
    """What an action is about, as the log has it: an id, ids, a name or a number, and nothing pasted by mistake."""
    if isinstance(given, int):
        return str(given)
    if isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
        listed = ", ".join(given)
        given = listed if len(listed) <= LONGEST else f"{len(given)} communities"
    if not isinstance(given, str):
        return None
    secret = _SECRET.search(given) is not None and _ID.fullmatch(given) is None
    return given if len(given) <= LONGEST and given.isprintable() and not secret else "?"

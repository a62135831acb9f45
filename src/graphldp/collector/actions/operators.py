"""Decide who may do what. Only administrators may, and whoever can write to the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graphldp.collector.acting import acting, reading
from graphldp.collector.operators import KeyHolder
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating.log_pages import last_actions
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_ON_THE_MACHINE = "command line"


@dataclass(frozen=True)
class Staff:
    """Who may do what.

    Args:
        holders: of keys, by name.
        expired: those of them whose key has stopped working.
        rules: who may sign in by the provider: kind, value and role.
        last: when each of them last did something, by name, as far back as the log was read.
    """

    holders: list[KeyHolder]
    expired: frozenset[str]
    rules: list[tuple[str, str, Role]]
    last: dict[str, datetime]


@reading("operator.list", Role.ADMINISTRATOR)
def staff(store: Store, actor: Actor) -> Staff:
    """Who may do what."""
    holders, now = store.operators.all(), store.clock.now()
    expired = frozenset(each.name for each in holders if each.expires_at is not None and each.expires_at <= now)
    return Staff(holders, expired, store.sign_ins.rules(), last_actions(store))


@acting("operator.add", Role.ADMINISTRATOR)
def add(store: Store, actor: Actor, name: str, role: Role = Role.OPERATOR, days: float | None = None) -> str:
    """Add an operator; gives her key, of which only the hash is kept."""
    return store.operators.add(name, role, days)


@acting("operator.rotate", Role.ADMINISTRATOR)
def rotate(store: Store, actor: Actor, name: str, days: float | None = None) -> str:
    """Give an operator a new key. The old one stops working, and her sessions end."""
    return store.operators.rotate(name, days)


@acting("operator.role", Role.ADMINISTRATOR)
def set_role(store: Store, actor: Actor, name: str, role: Role) -> None:
    """Let an operator do more or less, from her next request on."""
    _not_herself(actor, name)
    store.operators.set_role(name, role)


@acting("operator.allow", Role.ADMINISTRATOR)
def allow(store: Store, actor: Actor, value: str, kind: str, role: Role) -> None:
    """Let a subject, an e-mail address or a group sign in by the provider, with a role."""
    store.sign_ins.allow(kind, value, role)


@acting("operator.disallow", Role.ADMINISTRATOR)
def disallow(store: Store, actor: Actor, value: str, kind: str) -> None:
    """Take a subject, an e-mail address or a group from the list. Their sessions end with their next request."""
    store.sign_ins.disallow(kind, value)


@acting("operator.remove", Role.ADMINISTRATOR)
def remove(store: Store, actor: Actor, name: str) -> None:
    """End an operator's access, at once and everywhere."""
    _not_herself(actor, name)
    store.operators.remove(name)


def _not_herself(actor: Actor, name: str) -> None:
    """Refuse what could leave nobody to take it back. On the machine itself nobody can be locked out."""
    if actor.name == name and actor.way != _ON_THE_MACHINE:
        raise ParameterError("This is your own access. Another administrator can change or remove it.")

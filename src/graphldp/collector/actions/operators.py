"""Decide who may do what. Only administrators may, and whoever can write to the database."""

from __future__ import annotations

from graphldp.collector.acting import acting
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.store import Store


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
    store.operators.remove(name)

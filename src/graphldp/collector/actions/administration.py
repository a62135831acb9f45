"""Actions of administrators: who may do what, backups, and the key for sealed reports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.storage.copies import backup
from graphldp.collector.storage.operating.operators import KeyHolder
from graphldp.collector.storage.operating.sealing_keys import SealingKey
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError

_ON_THE_MACHINE = "command line"


@dataclass(frozen=True)
class Staff:
    """Operators with keys, people who may sign in by the provider, and when each did something last."""

    holders: list[KeyHolder]
    expired: frozenset[str]
    rules: list[tuple[str, str, Role]]
    last: dict[str, datetime]


@acting("operator.list", Role.ADMINISTRATOR, noted=False)
def staff(store: Store, actor: Actor) -> Staff:
    """The staff: who may do what."""
    holders, now = store.operators.all(), store.clock.now()
    expired = frozenset(each.name for each in holders if each.expires_at is not None and each.expires_at <= now)
    return Staff(holders, expired, store.sign_ins.rules(), store.audit_log.last_actions())


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


@acting("backup", Role.ADMINISTRATOR)
def back_up(store: Store, actor: Actor, file: Path) -> None:
    """Write all that the collector holds to a file, its log with this action included."""
    backup.back_up(store.engine, file)


@acting("sealing.rotate", Role.ADMINISTRATOR)
def rotate_sealing_key(store: Store, actor: Actor, overlap: timedelta) -> SealingKey:
    """Publish a new key for sealed reports. Those before it go on opening for as long as ``overlap``."""
    return store.sealing_keys.rotate(overlap)

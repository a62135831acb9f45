"""Operators and their keys. A key opens the dashboard and the API, and no user's slot; a user's token opens no page.

A key has a role (:class:`~graphldp.collector.roles.Role`) and may expire. The role and the expiry are looked up with
each request, so that a change counts at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector import tokens
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import TimedPart
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.audit_log import append
from graphldp.collector.storage.operating.sign_ins import SignedIn, read_person, role_of, written
from graphldp.errors import ParameterError, bad_parameter

_LONGEST_DAYS = 3650


@dataclass(frozen=True)
class Session:
    """An operator who is logged in, and the secret that every form of hers carries."""

    actor: Actor
    csrf: str

    @property
    def operator(self) -> str:
        """The operator's name."""
        return self.actor.name


@dataclass(frozen=True)
class KeyHolder:
    """An operator with a key, which stops working at a time or never."""

    name: str
    role: Role
    expires_at: datetime | None


class Operators(TimedPart):
    """Operators and their sessions."""

    def add(self, name: str, role: Role = Role.OPERATOR, days: float | None = None) -> str:
        """A new operator's key, which stops working after so many days or never. Only its hash is kept."""
        if not 1 <= len(name) <= 64 or not name.isprintable() or name.startswith("oidc:") or name != name.strip():
            must_be = "1 to 64 printable characters, without a space at either end, not after 'oidc:'"
            raise bad_parameter("name", "an operator", must_be, name)
        key, now = tokens.new_secret(), self.clock.now()
        row = {"name": name, "key_hash": tokens.hashed(key), "created_at": now, "role": role.title}
        row["expires_at"] = _expiry(now, days)
        with transaction(self.engine, writes=True) as connection:
            try:
                connection.execute(insert(schema.operators).values(**row))
            except IntegrityError:
                raise ParameterError(f"There is an operator '{name}' already.") from None
        return key

    def rotate(self, name: str, days: float | None = None) -> str:
        """A new key for an operator, for so many days. The old one stops working, and her sessions end."""
        key = tokens.new_secret()
        self._change(name, key_hash=tokens.hashed(key), expires_at=_expiry(self.clock.now(), days))
        return key

    def set_role(self, name: str, role: Role) -> None:
        """Let an operator do more or less, from her next request on."""
        self._change(name, ends_sessions=False, role=role.title)

    def remove(self, name: str) -> None:
        """End an operator's access, at once and everywhere."""
        with transaction(self.engine, writes=True) as connection:
            if not connection.execute(delete(schema.operators).where(schema.operators.c.name == name)).rowcount:
                raise _nobody(name)
            connection.execute(delete(schema.sessions).where(schema.sessions.c.operator == name))

    def all(self) -> list[KeyHolder]:
        """The operators, by name."""
        table = schema.operators
        query = select(table.c.name, table.c.role, table.c.expires_at).order_by(table.c.name)
        return [KeyHolder(row.name, Role.named(row.role), row.expires_at) for row in self.rows(query)]

    def keyed(self, key: str, way: str = "api") -> Actor | None:
        """The operator whose key this is; None for an unknown key, or one that has expired."""
        given, table = tokens.hashed(key), schema.operators
        found = [row for row in self.rows(select(table)) if tokens.matches(given, row.key_hash)]
        if not found or self._over(found[0].expires_at):
            return None
        return Actor(found[0].name, Role.named(found[0].role), way)

    def log_in(self, key: str, hours: float) -> str | None:
        """A session's secret for an operator's key, or None for any other."""
        actor = self.keyed(key, "dashboard")
        return None if actor is None else self._open(actor, None, hours)

    def sign_in(self, person: SignedIn, hours: float) -> str | None:
        """A session's secret for somebody whom the provider signed in, or None where she is not on the list."""
        with transaction(self.engine) as connection:
            role = role_of(connection, person)
        return None if role is None else self._open(Actor(person.name, role, "dashboard"), person, hours)

    def _open(self, actor: Actor, person: SignedIn | None, hours: float) -> str:
        secret, now = tokens.new_secret(), self.clock.now()
        session = {
            "secret_hash": tokens.hashed(secret),
            "operator": actor.name,
            "csrf": tokens.new_secret(),
            "expires_at": now + timedelta(hours=hours),
            "person": None if person is None else written(person),
        }
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(schema.sessions).where(schema.sessions.c.expires_at < now))
            connection.execute(insert(schema.sessions).values(**session))
            append(connection, actor, "operator.log-in", actor.name, "begun")
        return secret

    def session(self, secret: str) -> Session | None:
        """The session that a secret opens, while it, and the key or the place on the list behind it, last."""
        table, operators = schema.sessions, schema.operators
        query = (
            select(table.c.operator, table.c.csrf, table.c.person, operators.c.role, operators.c.expires_at)
            .join(operators, operators.c.name == table.c.operator, isouter=True)
            .where(table.c.secret_hash == tokens.hashed(secret), table.c.expires_at > self.clock.now())
        )
        with transaction(self.engine) as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            if row.person is not None:
                role = role_of(connection, read_person(row.person))
            else:
                role = None if row.role is None or self._over(row.expires_at) else Role.named(row.role)
        return None if role is None else Session(Actor(row.operator, role, "dashboard"), row.csrf)

    def log_out(self, secret: str) -> None:
        """End a session."""
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(schema.sessions).where(schema.sessions.c.secret_hash == tokens.hashed(secret)))

    def _over(self, expires_at: datetime | None) -> bool:
        return expires_at is not None and expires_at <= self.clock.now()

    def _change(self, name: str, *, ends_sessions: bool = True, **values: Any) -> None:
        table, sessions = schema.operators, schema.sessions
        with transaction(self.engine, writes=True) as connection:
            if not connection.execute(update(table).where(table.c.name == name).values(**values)).rowcount:
                raise _nobody(name)
            if ends_sessions:
                connection.execute(delete(sessions).where(sessions.c.operator == name))


def _expiry(now: datetime, days: float | None) -> datetime | None:
    if days is None:
        return None
    if not 0 < days <= _LONGEST_DAYS:
        raise bad_parameter("expires", "an operator", f"more than 0 and at most {_LONGEST_DAYS} days", days)
    return now + timedelta(days=days)


def _nobody(name: str) -> ParameterError:
    return bad_parameter("name", "the collector", "the name of an operator", name)

"""Operators: a role of its own. An operator's key opens the dashboard and no user's slot; a token opens no page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError

from graphldp.collector import tokens
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.errors import ParameterError, bad_parameter


@dataclass(frozen=True)
class Session:
    """An operator who is logged in.

    Args:
        operator: her name.
        csrf: what every form of hers carries.
    """

    operator: str
    csrf: str

    @property
    def actor(self) -> Actor:
        """Who acts."""
        return Actor(self.operator, Role.ADMINISTRATOR, "dashboard")


class Operators:
    """Operators and their sessions.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def add(self, name: str) -> str:
        """A new operator's key. Only its hash is kept."""
        if not 1 <= len(name) <= 64 or not name.isprintable():
            raise bad_parameter("name", "an operator", "1 to 64 printable characters", name)
        key = tokens.new_secret()
        row = {"name": name, "key_hash": tokens.hashed(key), "created_at": datetime.now(UTC)}
        with transaction(self.engine, writes=True) as connection:
            try:
                connection.execute(insert(schema.operators).values(**row))
            except IntegrityError:
                raise ParameterError(f"There is an operator '{name}' already.") from None
        return key

    def remove(self, name: str) -> None:
        """End an operator's access, at once and everywhere."""
        with transaction(self.engine, writes=True) as connection:
            if not connection.execute(delete(schema.operators).where(schema.operators.c.name == name)).rowcount:
                raise bad_parameter("name", "the collector", "the name of an operator", name)

    def names(self) -> list[str]:
        """Who is an operator."""
        with transaction(self.engine) as connection:
            return list(connection.execute(select(schema.operators.c.name).order_by("name")).scalars())

    def log_in(self, key: str, hours: float) -> str | None:
        """A session's secret for an operator's key, or None for any other."""
        given, table, now = tokens.hashed(key), schema.operators, datetime.now(UTC)
        with transaction(self.engine, writes=True) as connection:
            operators = connection.execute(select(table.c.name, table.c.key_hash)).all()
            found = [row.name for row in operators if tokens.matches(given, row.key_hash)]
            connection.execute(delete(schema.sessions).where(schema.sessions.c.expires_at < now))
            if not found:
                return None
            secret = tokens.new_secret()
            session = {
                "secret_hash": tokens.hashed(secret),
                "operator": found[0],
                "csrf": tokens.new_secret(),
                "expires_at": now + timedelta(hours=hours),
            }
            connection.execute(insert(schema.sessions).values(**session))
        return secret

    def session(self, secret: str) -> Session | None:
        """The session that a secret opens, while it lasts."""
        table = schema.sessions
        query = select(table.c.operator, table.c.csrf).where(
            table.c.secret_hash == tokens.hashed(secret), table.c.expires_at > datetime.now(UTC)
        )
        with transaction(self.engine) as connection:
            row = connection.execute(query).one_or_none()
        return Session(row.operator, row.csrf) if row else None

    def log_out(self, secret: str) -> None:
        """End a session."""
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(schema.sessions).where(schema.sessions.c.secret_hash == tokens.hashed(secret)))

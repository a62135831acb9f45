"""Tokens for slots: drawn first, handed over, and only then kept. Kept are their hashes.

A token is void once another one is kept for its slot. So what can fail (an address, a folder, a disk) comes before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from sqlalchemy import Engine, delete, insert, select

from graphldp.collector import tokens
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import lock
from graphldp.collector.storage.database import transaction
from graphldp.errors import ParameterError, bad_parameter

_LONGEST_DAYS = 3650
_MANY = 10_000  # rows per statement: bounds the memory of a large community's invitations


class Invitations:
    """Who may report.

    Args:
        engine: a migrated database.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def draw(self, id: str, users: Sequence[int] | None = None, most: int | None = None) -> dict[int, str]:
        """Tokens for slots, by slot. They open nothing until they are kept.

        Args:
            id: the community.
            users: slots, by default all that have no token yet.
            most: of these, the first ones.
        """
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id)
            held = select(schema.slots.c.user).where(schema.slots.c.community == community.key)
            taken = set(connection.execute(held).scalars()) if users is None else set()
        if community.closed_at is not None:
            raise bad_parameter("community", "invite", "an open community", id)
        if users is not None and not all(0 <= user < community.n for user in users):
            raise bad_parameter("users", "invite", f"slots from 0 to {community.n - 1}", list(users)[:3])
        wanted = range(community.n) if users is None else sorted(set(users))
        return {user: tokens.new_token(user) for user in islice((u for u in wanted if u not in taken), most)}

    def keep(self, id: str, drawn: Mapping[int, str], *, replace: bool, days: float | None = None) -> None:
        """Let drawn tokens open their slots, in the epoch that is open by now.

        Args:
            id: the community.
            drawn: the tokens.
            replace: whether they void the ones that their slots have. If not, a slot that has got one is an error.
            days: after which an unused one stops working; None for never.
        """
        table, now = schema.slots, datetime.now(UTC)
        if days is not None and not 0 < days <= _LONGEST_DAYS:
            raise bad_parameter("expires", "an invitation", f"more than 0 and at most {_LONGEST_DAYS} days", days)
        until = None if days is None else now + timedelta(days=days)
        users = sorted(drawn)
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id)
            if community.closed_at is not None:
                raise ParameterError(f"The community '{id}' was closed a moment ago. The new tokens open nothing.")
            for start in range(0, len(users), _MANY):
                some = users[start : start + _MANY]
                old = (table.c.community == community.key, table.c.user.in_(some))
                if replace:
                    connection.execute(delete(table).where(*old))
                elif connection.execute(select(table.c.user).where(*old).limit(1)).first() is not None:
                    raise ParameterError(f"Others invited to '{id}' a moment ago. The new tokens open nothing.")
                rows = [
                    {"community": community.key, "user": user, "token_hash": tokens.hashed(drawn[user])}
                    for user in some
                ]
                connection.execute(insert(table), [row | {"invited_at": now, "expires_at": until} for row in rows])

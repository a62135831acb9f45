"""Tokens for slots: drawn first, handed over, and only then kept. Kept are their hashes.

A token is void once another one is kept for its slot. So what can fail (an address, a folder, a disk) comes before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import delete, insert, select

from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import TimedPart
from graphldp.collector.storage.collecting.communities import lock
from graphldp.collector.storage.database import portions, transaction
from graphldp.errors import ParameterError, bad_parameter

_LONGEST_DAYS = 3650
_MANY = 10_000  # rows per statement: bounds the memory of a large community's invitations


class Invitations(TimedPart):
    """Invitations: who may report."""

    def draw(self, id: str, users: Sequence[int] | None = None, most: int | None = None) -> dict[int, str]:
        """Tokens for slots, by slot. They open nothing until they are kept."""
        with transaction(self.engine, writes=True) as connection:
            community = lock(connection, id)
            if community.closed_at is not None:
                raise bad_parameter("community", "invite", "an open community", id)
            if users is None:
                held = select(schema.slots.c.user).where(schema.slots.c.community == community.key)
                with connection.execute(held.order_by("user"), execution_options={"yield_per": _MANY}) as taken:
                    return {user: tokens.new_token(user) for user in islice(_free(taken.scalars(), community.n), most)}
        if not all(0 <= user < community.n for user in users):
            raise bad_parameter("users", "invite", f"slots from 0 to {community.n - 1}", list(users)[:3])
        return {user: tokens.new_token(user) for user in islice(sorted(set(users)), most)}

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
            for some in portions(users, _MANY):
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

    def holders(self, given: Sequence[tuple[Community | None, str]]) -> list[int | None]:
        """The slots that tokens open, in the order of the tokens.

        What is looked up and compared is the same in all cases, so that their times tell nothing. An invitation that
        expired before its slot was taken opens nothing; a user who has reported can always come back and withdraw.
        """
        table, reports = schema.slots, schema.reports
        held = select(reports.c.user).where(reports.c.community == table.c.community, reports.c.user == table.c.user)
        query = select(table.c.user, table.c.token_hash, table.c.expires_at, held.scalar_subquery().label("taken"))
        asked = [(0 if each is None else each.key, tokens.slot_of(token)) for each, token in given]
        found: dict[tuple[int, int | None], Any] = {}
        with transaction(self.engine) as connection:
            for key in sorted({key for key, _ in asked}):
                users = sorted({user or 0 for other, user in asked if other == key})
                for some in portions(users):
                    these = query.where(table.c.community == key, table.c.user.in_(some))
                    found |= {(key, row.user): row for row in connection.execute(these)}
        now = self.clock.now()
        return [_opened(found.get(at), token, now) for at, (_, token) in zip(asked, given, strict=True)]


def _free(taken: Iterable[int], n: int) -> Iterator[int]:
    """The slots of n users that are not among the taken ones, which come in their order."""
    first = 0
    for user in taken:
        yield from range(first, user)
        first = user + 1
    yield from range(first, n)


def _opened(row: Any, token: str, now: datetime) -> int | None:
    """The slot that a token opens, where its row is this."""
    right = tokens.matches(tokens.hashed(token), None if row is None else row.token_hash)
    if row is None or not right:
        return None
    over = row.expires_at is not None and row.taken is None and row.expires_at <= now
    return None if over else int(row.user)

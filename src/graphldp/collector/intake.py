"""Taking reports: once each, whoever asks, however often, on however many servers.

A slot is decided by the database's primary key alone. ``INSERT … ON CONFLICT DO NOTHING`` tells the first report from
all others, also where two servers insert at the same moment: the later one waits for the earlier one's commit, and
then finds the slot taken. Rows go in by the order of their keys, so that two servers cannot wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from sqlalchemy import Connection, func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from graphldp.collector import schema, tokens


@dataclass(frozen=True)
class Submission:
    """A report on its way in.

    Args:
        community: the community's key.
        user: the slot that its address names.
        token_hash: of the token that came with it.
        body: the bytes, or None for what was already found wanting: only the token is then checked, so that nobody
            without one learns why.
        noisy_degree: d*, where the report has one.
    """

    community: int
    user: int
    token_hash: bytes
    body: bytes | None
    noisy_degree: int | None = None


class Verdict(Enum):
    """What became of a submission."""

    STORED = "stored"
    REPEATED = "repeated"
    TAKEN = "taken"
    DELETED = "deleted"
    CLOSED = "closed"
    OUTDATED = "outdated"  # meant for an epoch that is over: a newer one is open
    UNKNOWN = "unknown"
    UNREADABLE = "unreadable"


Key = tuple[int, int]


def accept(connection: Connection, submissions: Sequence[Submission]) -> list[Verdict]:
    """Decide on submissions inside a transaction; nothing is decided before it commits."""
    closed, outdated = _states(connection, {each.community for each in submissions})
    hashes = _hashes(connection, sorted({(each.community, each.user) for each in submissions}))
    first: dict[Key, Submission] = {}
    verdicts: dict[int, Verdict] = {}
    for place, each in enumerate(submissions):
        key = (each.community, each.user)
        if not tokens.matches(each.token_hash, hashes.get(key)):
            verdicts[place] = Verdict.UNKNOWN
        elif each.community in outdated:
            verdicts[place] = Verdict.OUTDATED
        elif each.body is None:
            verdicts[place] = Verdict.UNREADABLE
        elif each.community not in closed:
            first.setdefault(key, each)
    new = _insert(connection, [first[key] for key in sorted(first)])
    asked = {(s.community, s.user) for place, s in enumerate(submissions) if place not in verdicts}
    kept = _bodies(connection, sorted(asked - new)) | {key: first[key].body for key in new}
    for place, each in enumerate(submissions):
        if place not in verdicts:
            verdicts[place] = _compare((each.community, each.user), each, new, kept)
            new.discard((each.community, each.user))  # the same bytes twice in one batch: stored, then repeated
    return [verdicts[place] for place in range(len(submissions))]


def _compare(key: Key, each: Submission, new: set[Key], kept: dict[Key, bytes | None]) -> Verdict:
    if key in new:
        return Verdict.STORED
    if key not in kept:
        return Verdict.CLOSED
    if kept[key] is None:
        return Verdict.DELETED
    return Verdict.REPEATED if kept[key] == each.body else Verdict.TAKEN


def _states(connection: Connection, keys: set[int]) -> tuple[set[int], set[int]]:
    """Communities that take no more, and those of an epoch that is over. The others stay open for this transaction."""
    table = schema.communities
    newer = table.alias()
    latest = select(func.max(newer.c.epoch)).where(newer.c.id == table.c.id).scalar_subquery()
    query = select(table.c.key, table.c.closed_at, table.c.epoch < latest).where(table.c.key.in_(sorted(keys)))
    rows = connection.execute(query.order_by(table.c.key).with_for_update(read=True, of=table)).all()
    return {row[0] for row in rows if row[1] is not None}, {row[0] for row in rows if row[2]}


def _hashes(connection: Connection, keys: list[Key]) -> dict[Key, bytes]:
    table = schema.slots
    query = select(table.c.community, table.c.user, table.c.token_hash)
    rows = _by_key(connection, query, table, keys)
    return {(row[0], row[1]): row[2] for row in rows}


def _bodies(connection: Connection, keys: list[Key]) -> dict[Key, bytes | None]:
    table = schema.reports
    rows = _by_key(connection, select(table.c.community, table.c.user, table.c.body), table, keys)
    return {(row[0], row[1]): row[2] for row in rows}


def _by_key(connection: Connection, query: Any, table: Any, keys: list[Key]) -> Sequence[Any]:
    if not keys:
        return []
    return connection.execute(query.where(tuple_(table.c.community, table.c.user).in_(keys))).all()


def _insert(connection: Connection, submissions: list[Submission]) -> set[Key]:
    """Insert into slots that are free, and say which were."""
    if not submissions:
        return set()
    table, today = schema.reports, datetime.now(UTC).date()
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(table).on_conflict_do_nothing().returning(table.c.community, table.c.user)
    rows = [
        {
            "community": each.community,
            "user": each.user,
            "body": each.body,
            "noisy_degree": each.noisy_degree,
            "received_on": today,
        }
        for each in submissions
    ]
    return {(row[0], row[1]) for row in connection.execute(statement, rows)}

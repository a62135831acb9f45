"""The transaction that takes reports: once each, whoever asks, however often, on however many servers.

A slot is decided by the database's primary key alone: ``INSERT … ON CONFLICT DO NOTHING`` into slots that were free
when the transaction looked. Where another server was faster by a moment, fewer rows go in than were meant to; the
transaction is then rolled back and decided anew, and finds those slots taken. Rows go in by the order of their keys, so
that two servers cannot wait for each other.

This is the one place where SQL is written by hand. Every row that SQLite returns lets go of the interpreter, and
getting it back from a busy server costs more than the row; PostgreSQL's driver takes longer to read a row than the
server to find it. So many slots come back as one value, and PostgreSQL gets whole columns as array literals.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select, tuple_

from graphldp.collector import tokens
from graphldp.collector.storage import schema


class Submission(NamedTuple):
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


class Ruling(Enum):
    """The ruling on a submission."""

    STORED = "stored"
    REPEATED = "repeated"
    TAKEN = "taken"
    DELETED = "deleted"
    CLOSED = "closed"
    OUTDATED = "outdated"  # meant for an epoch that is over: a newer one is open
    UNKNOWN = "unknown"
    UNREADABLE = "unreadable"
    UNASKED = "unasked"  # an answer to a question that nobody asked this slot


class Outcome(NamedTuple):
    """The ruling on a report or an answer, and what is wrong with it where something is."""

    ruling: Ruling
    wrong: str | None = None
    too_large: bool = False


Key = tuple[int, int]
State = tuple[bool, bool]  # whether a community takes no more reports, and whether its epoch is over
Slot = tuple[bytes | None, bool]  # its token's hash, and whether it holds a report
_NO_SLOT: Slot = (None, False)
_ROWS = 1000  # per statement
_COLUMNS = 'community, "user", body, noisy_degree, received_on'


class RacedError(Exception):
    """Another server took one of the slots at the same moment: decide anew."""


def accept(connection: Connection, submissions: Sequence[Submission], now: datetime) -> list[Ruling]:
    """Decide on submissions inside a transaction; nothing is decided before it commits.

    Raises:
        RacedError: where the transaction has to be rolled back and begun again.
    """
    if not submissions:
        return []
    keys = [(each.community, each.user) for each in submissions]
    states = _states(connection, sorted({community for community, _ in keys}))
    slots = _slots(connection, keys, now)
    new: dict[Key, Submission] = {}
    held: dict[int, Key] = {}  # places of those that found their slot taken
    rulings = []
    for place, (key, each) in enumerate(zip(keys, submissions, strict=True)):
        stored, taken = slots.get(key, _NO_SLOT)
        if not tokens.matches(each.token_hash, stored):
            rulings.append(Ruling.UNKNOWN)
            continue
        closed, outdated = states[each.community]
        if outdated:
            rulings.append(Ruling.OUTDATED)
        elif each.body is None:
            rulings.append(Ruling.UNREADABLE)
        elif taken or key in new:
            held[place] = key
            rulings.append(Ruling.TAKEN)
        elif closed:
            rulings.append(Ruling.CLOSED)
        else:
            new[key] = each
            rulings.append(Ruling.STORED)
    _insert(connection, [new[key] for key in sorted(new)], now)
    kept = _bodies(connection, sorted(set(held.values()) - new.keys()))
    for place, key in held.items():
        rulings[place] = _compare(submissions[place].body, new[key].body if key in new else kept[key])
    return rulings


def _compare(body: bytes | None, kept: bytes | None) -> Ruling:
    if kept is None:
        return Ruling.DELETED
    return Ruling.REPEATED if kept == body else Ruling.TAKEN


def _states(connection: Connection, communities: list[int]) -> dict[int, State]:
    """The states of communities. Those that are open stay so until this transaction ends."""
    if connection.dialect.name == "postgresql":
        rows = connection.exec_driver_sql(_STATES_POSTGRESQL, (_literal(communities),)).all()
    else:
        rows = json.loads(connection.exec_driver_sql(_STATES_SQLITE, (json.dumps(communities),)).scalar_one())
    return {key: (bool(closed), bool(outdated)) for key, closed, outdated in rows}


def _slots(connection: Connection, keys: list[Key], now: datetime) -> dict[Key, Slot]:
    """The states of slots; those that there are."""
    if connection.dialect.name == "postgresql":
        columns = (now, _literal([community for community, _ in keys]), _literal([user for _, user in keys]))
        hashes, marks = connection.exec_driver_sql(_SLOTS_POSTGRESQL, columns).one()
        return {
            key: (hashes[32 * place : 32 * place + 32], mark == "t")
            for place, (key, mark) in enumerate(zip(keys, marks, strict=True))
            if mark != "-"
        }
    both = json.dumps([community << _USER_BITS | user for community, user in keys])
    moment = now.strftime("%Y-%m-%d %H:%M:%S.%f")  # as SQLAlchemy writes it
    found = json.loads(connection.exec_driver_sql(_SLOTS_SQLITE, (both, moment)).scalar_one())
    return {(community, user): (bytes.fromhex(stored), bool(taken)) for community, user, stored, taken in found}


def _bodies(connection: Connection, keys: list[Key]) -> dict[Key, bytes | None]:
    rows = connection.execute(_FIND_BODIES, {"keys": keys}) if keys else ()
    return {(row[0], row[1]): row[2] for row in rows}


def _insert(connection: Connection, submissions: list[Submission], now: datetime) -> None:
    today = now.date().isoformat()
    for start in range(0, len(submissions), _ROWS):
        some = submissions[start : start + _ROWS]
        if connection.dialect.name == "postgresql":
            communities, users, _, bodies, degrees = zip(*some, strict=True)
            hexes = '","'.join([f"\\\\x{body.hex()}" for body in bodies])
            columns = (_literal(communities), _literal(users), f'{{"{hexes}"}}', _literal(degrees))
            done = connection.exec_driver_sql(_INSERT_POSTGRESQL, (today, *columns))
        else:
            flat = tuple(value for s in some for value in (s.community, s.user, s.body, s.noisy_degree, today))
            done = connection.exec_driver_sql(_insert_sqlite(len(some)), flat)
        if done.rowcount != len(some):
            raise RacedError


def _literal(values: Sequence[int | None]) -> str:
    """A column as PostgreSQL writes an array."""
    return f"{{{str(list(values))[1:-1].replace('None', 'NULL')}}}"


@lru_cache(maxsize=_ROWS)
def _insert_sqlite(count: int) -> str:
    places = ", ".join(["(?, ?, ?, ?, ?)"] * count)
    return f"INSERT INTO reports ({_COLUMNS}) VALUES {places} ON CONFLICT DO NOTHING"  # noqa: S608 - placeholders only


_HELD = schema.reports.c
_FIND_BODIES = select(_HELD.community, _HELD.user, _HELD.body).where(
    tuple_(_HELD.community, _HELD.user).in_(bindparam("keys", expanding=True))
)
_USER_BITS = 27  # wire.MAX_USERS
_OUTDATED = "c.epoch < (SELECT max(newer.epoch) FROM communities newer WHERE newer.id = c.id)"
_STATES_SQLITE = f"""
    SELECT json_group_array(json_array(c.key, c.closed_at IS NOT NULL, {_OUTDATED}))
    FROM communities c WHERE c.key IN (SELECT value FROM json_each(?))
"""  # noqa: S608 - a constant
_STATES_POSTGRESQL = f"""
    SELECT c.key, c.closed_at IS NOT NULL, {_OUTDATED}
    FROM communities c WHERE c.key = ANY(CAST(%s AS integer[])) ORDER BY c.key FOR SHARE OF c
"""  # noqa: S608 - a constant
_SLOTS_SQLITE = f"""
    SELECT json_group_array(json_array(s.community, s."user", hex(s.token_hash), r.community IS NOT NULL))
    FROM json_each(?) k
    CROSS JOIN slots s ON s.community = k.value >> {_USER_BITS} AND s."user" = k.value & {(1 << _USER_BITS) - 1}
    LEFT JOIN reports r ON r.community = s.community AND r."user" = s."user"
    WHERE s.expires_at IS NULL OR r.community IS NOT NULL OR s.expires_at > ?
"""  # noqa: S608 - a constant
# a subquery for each slot: left to itself, the planner reads whole tables to find a few hundred rows; OFFSET keeps it
# from looking a slot up once for each mention
_SLOTS_POSTGRESQL = """
    SELECT string_agg(coalesce(stored, decode(repeat('00', 32), 'hex')), '' ORDER BY place),
           string_agg(
               CASE WHEN stored IS NULL THEN '-' WHEN taken THEN 't' WHEN until <= %s THEN '-' ELSE 'f' END, ''
               ORDER BY place
           )
    FROM (
        SELECT k.place,
               (SELECT s.token_hash FROM slots s WHERE s.community = k.community AND s."user" = k."user") AS stored,
               (SELECT s.expires_at FROM slots s WHERE s.community = k.community AND s."user" = k."user") AS until,
               (SELECT true FROM reports r WHERE r.community = k.community AND r."user" = k."user") AS taken
        FROM unnest(CAST(%s AS integer[]), CAST(%s AS integer[])) WITH ORDINALITY AS k (community, "user", place)
        OFFSET 0
    ) found
"""
_INSERT_POSTGRESQL = f"""
    INSERT INTO reports ({_COLUMNS})
    SELECT *, CAST(%s AS date)
    FROM unnest(CAST(%s AS integer[]), CAST(%s AS integer[]), CAST(%s AS bytea[]), CAST(%s AS bigint[]))
    ON CONFLICT DO NOTHING
"""  # noqa: S608 - a constant

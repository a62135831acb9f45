"""Taking reports: once each, whoever asks, however often, on however many servers.

A slot is decided by the database's primary key alone: ``INSERT … ON CONFLICT DO NOTHING`` into slots that were free
when the transaction looked. Where another server was faster by a moment, fewer rows go in than were meant to; the
transaction is then rolled back and decided anew, and finds those slots taken. Rows go in by the order of their keys, so
that two servers cannot wait for each other.

This is the one place where SQL is written by hand: every row that SQLite returns lets go of the interpreter, and
getting it back from a busy server costs more than the row, so many slots come back as one value.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, select, text, tuple_

from graphldp.collector import schema, tokens


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
Slot = tuple[bytes | None, bool, bool, bool]  # its token's hash; whether its community, its epoch and itself are done
_NO_SLOT: Slot = (None, False, False, False)
_ROWS = 1000  # per statement
_COLUMNS = 'community, "user", body, noisy_degree, received_on'


class RacedError(Exception):
    """Another server took one of the slots at the same moment: decide anew."""


def accept(connection: Connection, submissions: Sequence[Submission]) -> list[Verdict]:
    """Decide on submissions inside a transaction; nothing is decided before it commits.

    Raises:
        RacedError: where the transaction has to be rolled back and begun again.
    """
    slots = _slots(connection, sorted({(each.community, each.user) for each in submissions}))
    new: dict[Key, Submission] = {}
    verdicts: list[Verdict | None] = []
    for each in submissions:
        key = (each.community, each.user)
        stored, closed, outdated, taken = slots.get(key, _NO_SLOT)
        if not tokens.matches(each.token_hash, stored):
            verdicts.append(Verdict.UNKNOWN)
        elif outdated:
            verdicts.append(Verdict.OUTDATED)
        elif each.body is None:
            verdicts.append(Verdict.UNREADABLE)
        elif taken or key in new:
            verdicts.append(None)  # not before the bytes were compared
        elif closed:
            verdicts.append(Verdict.CLOSED)
        else:
            new[key] = each
            verdicts.append(Verdict.STORED)
    _insert(connection, [new[key] for key in sorted(new)])
    held = {(s.community, s.user) for s, verdict in zip(submissions, verdicts, strict=True) if verdict is None}
    kept = _bodies(connection, sorted(held - new.keys())) | {key: new[key].body for key in held & new.keys()}
    return [
        verdict or _compare(each.body, kept[each.community, each.user])
        for each, verdict in zip(submissions, verdicts, strict=True)
    ]


def _compare(body: bytes | None, kept: bytes | None) -> Verdict:
    if kept is None:
        return Verdict.DELETED
    return Verdict.REPEATED if kept == body else Verdict.TAKEN


def _slots(connection: Connection, keys: list[Key]) -> dict[Key, Slot]:
    """What is known of slots. Communities that are open stay so until this transaction ends."""
    found = connection.execute(_FIND_SLOTS[connection.dialect.name], {"keys": json.dumps(keys)}).scalar()
    rows = json.loads(found) if isinstance(found, str) else found or ()
    return {(row[0], row[1]): (bytes.fromhex(row[2]), row[3], row[4], row[5]) for row in rows}


def _bodies(connection: Connection, keys: list[Key]) -> dict[Key, bytes | None]:
    rows = connection.execute(_FIND_BODIES, {"keys": keys}) if keys else ()
    return {(row[0], row[1]): row[2] for row in rows}


def _insert(connection: Connection, submissions: list[Submission]) -> None:
    today = datetime.now(UTC).date().isoformat()
    for start in range(0, len(submissions), _ROWS):
        some = submissions[start : start + _ROWS]
        if connection.dialect.name == "postgresql":
            columns = [list(column) for column in zip(*some, strict=True)]
            values = (today, columns[0], columns[1], columns[3], columns[4])
            done = connection.exec_driver_sql(_INSERT_ARRAYS, values)
        else:
            flat = tuple(value for s in some for value in (s.community, s.user, s.body, s.noisy_degree, today))
            done = connection.exec_driver_sql(_insert_rows(len(some)), flat)
        if done.rowcount != len(some):
            raise RacedError


@lru_cache(maxsize=_ROWS)
def _insert_rows(count: int) -> str:
    places = ", ".join(["(?, ?, ?, ?, ?)"] * count)
    return f"INSERT INTO reports ({_COLUMNS}) VALUES {places} ON CONFLICT DO NOTHING"  # noqa: S608 - placeholders only


def _find_bodies() -> Select[Any]:
    table = schema.reports
    keys = tuple_(table.c.community, table.c.user).in_(bindparam("keys", expanding=True))
    return select(table.c.community, table.c.user, table.c.body).where(keys)


_FIND_BODIES = _find_bodies()
_INSERT_ARRAYS = f"""
    INSERT INTO reports ({_COLUMNS})
    SELECT *, CAST(%s AS date)
    FROM unnest(CAST(%s AS integer[]), CAST(%s AS integer[]), CAST(%s AS bytea[]), CAST(%s AS bigint[]))
    ON CONFLICT DO NOTHING
"""  # noqa: S608 - a constant
_OUTDATED = "c.epoch < (SELECT max(newer.epoch) FROM communities newer WHERE newer.id = c.id)"
_FIND_SLOTS = {
    "sqlite": text(
        f"""
        SELECT json_group_array(json_array(s.community, s."user", hex(s.token_hash), c.closed_at IS NOT NULL,
                                           {_OUTDATED}, r.community IS NOT NULL))
        FROM json_each(:keys) k
        CROSS JOIN slots s ON s.community = json_extract(k.value, '$[0]') AND s."user" = json_extract(k.value, '$[1]')
        CROSS JOIN communities c ON c.key = s.community
        LEFT JOIN reports r ON r.community = s.community AND r."user" = s."user"
        """  # noqa: S608 - a constant
    ),
    "postgresql": text(
        f"""
        SELECT json_agg(json_build_array(community, "user", encode(token_hash, 'hex'), closed, outdated, taken))
        FROM (
            SELECT s.community, s."user", s.token_hash, c.closed_at IS NOT NULL AS closed, {_OUTDATED} AS outdated,
                   r.community IS NOT NULL AS taken
            FROM json_array_elements(CAST(:keys AS json)) k
            JOIN slots s ON s.community = CAST(k ->> 0 AS integer) AND s."user" = CAST(k ->> 1 AS integer)
            JOIN communities c ON c.key = s.community
            LEFT JOIN reports r ON r.community = s.community AND r."user" = s."user"
            FOR SHARE OF c
        ) found
        """  # noqa: S608 - a constant
    ),
}

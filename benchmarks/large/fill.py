"""Filling a store with the rows that its own paths would write, many at a time.

Opening a community, drawing tokens and deciding on each report takes minutes for a million. What is measured afterwards
finds the same tables either way, and ``collect verify`` reads every row.
"""

from __future__ import annotations

import io
import os
import time
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from benchmarks.large.people import PREFIX, Group, Population, draw
from benchmarks.proof.traffic import Sent
from sqlalchemy import Connection, Table, bindparam, insert, update

from graphldp.collector import tokens
from graphldp.collector.offers import Split, offers
from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.wire import roster_digest

_SLOTS, _REPORTS = ("community", "user", "token_hash", "invited_at"), ("community", "user", "body", "noisy_degree")
Rows = Sequence[tuple[Any, ...]]


def fill(store: Store, population: Population, tell: Callable[[str], None]) -> float:
    """Put all reports but the late ones into a store; what is there stays. Gives the seconds it took."""
    begin = time.perf_counter()
    there = {each.id for each in store.communities()}
    for start in population.chunks():
        if f"{PREFIX}{start}" in there:  # a chunk is one transaction
            continue
        groups = list(draw(population, start))
        with transaction(store.engine, writes=True) as connection:
            connection.execute(insert(schema.communities), [_community(population, each) for each in groups])
            first = start + 1
            _add(connection, schema.slots, _SLOTS, _slots(groups, first))
            _add(connection, schema.reports, (*_REPORTS, "received_on"), _reports(groups, first, population.late))
        if start % 1000 == 0:
            tell(f"{start:,} of {population.communities:,} communities, {time.perf_counter() - begin:.0f} s")
    return time.perf_counter() - begin


def _community(population: Population, group: Group) -> dict[str, Any]:
    mechanism, choices = offers([population.epsilon], None, group.n, Split())
    roster = [f"user {place}" for place in range(group.n)]
    place = int(group.id.removeprefix(PREFIX))
    return {
        "key": place + 1,
        "id": group.id,
        "name": group.id,
        "n": group.n,
        "mechanism": mechanism,
        "choices": [each.to_json() for each in choices],
        "roster": zlib.compress("\n".join(roster).encode()),
        "roster_digest": roster_digest(roster),
        "epoch": 1,
        "label": group.label if place % 8 < 4 else None,  # two of each kind, then two of each kind without
        "opened_at": datetime.now(UTC),
    }


def _slots(groups: Sequence[Group], first: int) -> Rows:
    """The slots, with hashes of tokens that nobody holds: those who are late are invited anew."""
    hashes, now, at = os.urandom(32 * sum(group.n for group in groups)), str(datetime.now(UTC))[:26], 0
    rows = []
    for key, group in enumerate(groups, first):
        for user in range(group.n):
            rows.append((key, user, hashes[at : at + 32], now))
            at += 32
    return rows


def _reports(groups: Sequence[Group], first: int, late: int) -> Rows:
    today = datetime.now(UTC).date().isoformat()
    return [
        (key, user, group.body(user), group.degrees[user], today)
        for key, group in enumerate(groups, first)
        for user in range(group.n - late)
    ]


def _add(connection: Connection, table: Table, columns: Sequence[str], rows: Rows) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({places})", rows)
        return
    text = io.StringIO()
    for row in rows:
        text.write("\t".join(f"\\\\x{each.hex()}" if isinstance(each, bytes) else str(each) for each in row) + "\n")
    driver: Any = connection.connection.cursor()
    with driver.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        copy.write(text.getvalue())


def thin(store: Store, population: Population) -> None:
    """Leave the reports of the first tenth of each community's users, as a store has them that began not long ago."""
    sqlite, tenth = store.engine.dialect.name == "sqlite", population.reports // population.communities // 10
    with transaction(store.engine, writes=True) as connection:
        connection.exec_driver_sql("PRAGMA secure_delete=OFF" if sqlite else "SET LOCAL statement_timeout = 0")
        connection.exec_driver_sql(f'CREATE TABLE early AS SELECT * FROM reports WHERE "user" < {tenth}')
        connection.exec_driver_sql("DELETE FROM reports" if sqlite else "TRUNCATE reports")
        connection.exec_driver_sql("INSERT INTO reports SELECT * FROM early")
        connection.exec_driver_sql("DROP TABLE early")
    store.engine.dispose()


def late(stores: Sequence[Store], population: Population) -> list[Sent]:
    """The reports of those who are late, of all communities in no order, with new tokens, the same at each store."""
    sent, rows = list[Sent](), list[dict[str, Any]]()
    for start in population.chunks():
        for key, group in enumerate(draw(population, start), start + 1):
            for user in range(group.n - population.late, group.n):
                sent.append(Sent(group.id, user, tokens.new_token(user), group.body(user)))
                rows.append({"key": key, "slot": user, "hash": tokens.hashed(sent[-1].token)})
    table = schema.slots
    place = (table.c.community == bindparam("key"), table.c.user == bindparam("slot"))
    for store in stores:
        with transaction(store.engine, writes=True) as connection:
            connection.execute(update(table).where(*place).values(token_hash=bindparam("hash")), rows)
    return [sent[at] for at in np.random.default_rng(0).permutation(len(sent))]

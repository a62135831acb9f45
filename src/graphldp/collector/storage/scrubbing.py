"""Removal of what was deleted from the database's files, too.

SQLite overwrites what is deleted (``secure_delete``), and keeps it in its log until that is emptied. PostgreSQL only
marks it: a plain VACUUM leaves bytes in the free space of pages, so a table is written anew. That leaves out what
nobody can see any more, and a transaction that began before the deletion still sees it. So it is waited for, and in the
end the table says up to which transaction it was tidied. PostgreSQL's own log keeps bytes until its segments are used
again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from time import monotonic, sleep

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from graphldp.collector.storage.postgresql import wait_without_end
from graphldp.errors import StoreError

_PATIENCE, _PAUSE = 10.0, 0.05  # seconds: how long others may take to end, and between two looks at them
# a number of a transaction wraps around, its age does not
_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND greatest(age(backend_xid), age(backend_xmin)) > age(CAST(CAST(:now AS xid8) AS xid))"
)
_UNTIDY = text(
    "SELECT count(*) FROM pg_class WHERE oid = CAST(:table AS regclass) "
    "AND age(relfrozenxid) > age(CAST(CAST(:now AS xid8) AS xid))"
)


def scrub(engine: Engine, *tables: str) -> None:
    """Take what was deleted, and is committed, out of the database's files.

    Raises:
        StoreError: where someone else keeps the database busy, or can still see what was deleted.
    """
    try:
        if engine.dialect.name == "sqlite":
            _empty_log(engine)
        else:
            _write_anew(engine, tables)
    except (DBAPIError, sqlite3.Error):
        raise StoreError("It is deleted, but the database is too busy to drop its bytes; try again.") from None


def _empty_log(engine: Engine) -> None:
    with closing(engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if cursor.fetchall()[0][0]:
            raise StoreError("It is deleted, but a reader keeps its bytes in the log; try again.")


def _write_anew(engine: Engine, tables: Sequence[str]) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        now = connection.execute(text("SELECT CAST(pg_current_xact_id() AS text)")).scalar_one()
        gone = _wait_for_others(connection, now)
        if gone:
            connection.exec_driver_sql("SET statement_timeout = 0")
            wait_without_end(connection)
            try:
                for table in tables:
                    connection.exec_driver_sql(f"VACUUM FULL {table}")
            finally:  # the connection goes back to the others
                connection.exec_driver_sql("RESET statement_timeout")
        # whom this role may not see, a prepared transaction or a replica may have kept them
        if not gone or any(connection.execute(_UNTIDY, {"table": each, "now": now}).scalar_one() for each in tables):
            raise StoreError("It is deleted, but somebody who began before still reads, so its bytes stay; try again.")


def _wait_for_others(connection: Connection, now: str) -> bool:
    """Whether all are gone who may see what was deleted before transaction ``now``; who begins later cannot."""
    end = monotonic() + _PATIENCE
    while connection.execute(_OTHERS, {"now": now}).scalar_one():
        if monotonic() > end:
            return False
        sleep(_PAUSE)
    return True

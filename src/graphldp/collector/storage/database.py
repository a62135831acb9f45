"""Engines for SQLite and PostgreSQL that mean the same: what is committed is on disk.

SQLite runs in WAL mode with ``synchronous=FULL``, one fsync per commit, and a writing transaction takes the lock when
it begins. PostgreSQL runs with ``synchronous_commit=on`` whatever its configuration says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, Select, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from graphldp.collector.storage.postgresql import (
    STATEMENT,
    WaitLimits,
    unreachable,
    wait_for_statements,
    wait_without_end,
    watch,
)
from graphldp.errors import Described, MissingExtraError, StoreError, bad_parameter

Item = TypeVar("Item")
_MIGRATIONS = Path(__file__).with_name("migrations")
_MIGRATION_LOCK = 0x6772_6C64  # PostgreSQL's advisory locks are numbers: this one means "graphldp migrates"
_CACHE_KB = 65_536  # of a connection to SQLite: with 2 MB, reports of many communities take half as long again
_LOG_PAGES = 16_384  # that SQLite's log may have: by default it is emptied so often that reports are written twice
_PRAGMAS = (
    "page_size=2048",  # of a new file: a report dirties a page or two, whose whole bytes are written
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
    f"cache_size=-{_CACHE_KB}",
    f"wal_autocheckpoint={_LOG_PAGES}",
)
_LISTENS = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}  # seconds, and tries
_UNACKNOWLEDGED = 10_000  # milliseconds
_POSTGRES_OPTIONS = {
    "synchronous_commit": "on",
    "statement_timeout": round(STATEMENT * 1000),
    "lock_timeout": 10_000,
    "timezone": "UTC",
    # the server too has to notice that we are gone: it holds our locks
    "tcp_user_timeout": _UNACKNOWLEDGED,
} | {f"tcp_{name}": value for name, value in _LISTENS.items()}


def open_engine(database: str) -> Engine:
    """Connect to a database, by URL."""
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):  # a port that is none may be a password
        raise _bad_url() from None
    if url.get_backend_name() == "sqlite" and _is_file(url):
        return _sqlite(url.set(drivername="sqlite"))
    if url.get_backend_name() == "postgresql":
        if any("@" in (part or "") for part in (url.host, url.database)):
            must_be = "a URL whose password has %40 for @ and %2F for /"
            raise bad_parameter("database", "the collector", must_be, Described("another"))
        return _postgresql(url)
    raise _bad_url()


def _is_file(url: URL) -> bool:
    """Whether a URL of SQLite's names a file, and nothing else."""
    return bool(url.database) and url.database != ":memory:" and not (url.host or url.query)


def shown_url(database: str) -> str:
    """The URL of a database as people may see it: without its passwords, that of a key for TLS too."""
    open_engine(database).dispose()  # which refuses what may be a password, mistyped
    url = make_url(database)
    return str(url.difference_update_query([name for name in url.query if "password" in name or "secret" in name]))


def _bad_url() -> Exception:
    """An error that repeats nothing: any part of what was given may be a password."""
    must_be = "a URL like sqlite:///file.db or postgresql://user@host/name"
    return bad_parameter("database", "the collector", must_be, Described("another"))


def _sqlite(url: URL) -> Engine:
    # last in, first out: the writer gets the connection that it had, whose cache knows the pages of the last reports
    arguments = {"timeout": 10.0, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, hide_parameters=True, pool_use_lifo=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late: see _begin_sqlite
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # a transaction that begins by reading and then writes may be refused halfway: take the lock at once
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _postgresql(url: URL) -> Engine:
    options = " ".join(f"-c {name}={value}" for name, value in _POSTGRES_OPTIONS.items())
    arguments = {"connect_timeout": 5, "options": options, "tcp_user_timeout": _UNACKNOWLEDGED, **_LISTENS}
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args=arguments,
            pool_pre_ping=True,
            pool_timeout=5,
            hide_parameters=True,
        )
        watch(engine, WaitLimits())
    except ArgumentError:  # its own words repeat what stands in the URL
        must_be = "a URL whose port is a number, once"
        raise bad_parameter("database", "the collector", must_be, Described("another")) from None
    except ImportError:  # of the driver, or of what it is built on
        raise MissingExtraError("PostgreSQL", "postgres") from None
    return engine


def take_time(connection: Connection) -> None:
    """Let a transaction's statements take as long as they need."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        wait_without_end(connection)


@contextmanager
def transaction(engine: Engine, *, writes: bool = False, snapshot: bool = False) -> Iterator[Connection]:
    """One transaction, committed at the end of the block.

    Args:
        engine: the database.
        writes: whether it may write.
        snapshot: whether all of its queries see one moment, as SQLite's do anyway.

    Raises:
        StoreError: when the database is away, full or otherwise unable. Whether a commit that failed so took place is
            not known; every write here can be repeated.
    """
    try:
        with _connected(engine, writes) as connection, connection.begin():
            if snapshot and engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield connection
    except DBAPIError as error:
        # the driver's own words may repeat parameters: only its kind is passed on
        kind = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)
        raise StoreError(f"The database cannot be used now ({kind}).") from None
    except (SQLAlchemyError, UnicodeDecodeError) as error:  # what SQLite says of a damaged file may be no text
        raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from None


def _connected(engine: Engine, writes: bool) -> Connection:
    try:
        connection = engine.connect().execution_options(writes=writes)
        wait_for_statements(connection)
    except DBAPIError as error:
        raise StoreError(unreachable(engine.url, error)) from None
    return connection


def revision(engine: Engine) -> str | None:
    """The version of the schema that a database has; None for one that is no collector's."""
    with transaction(engine) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def check_made(database: str) -> None:
    """Refuse a URL at which there is no collector's database. Looking makes none, and no file."""
    engine = open_engine(database)
    place = str(engine.url.database)
    try:
        # SQLite would make the file, or write to an empty one
        empty = engine.dialect.name == "sqlite" and not (Path(place).exists() and Path(place).stat().st_size)
        if empty or revision(engine) is None:
            raise StoreError(
                f"There is no collector's database in {place}. Look at --database and $GRAPHLDP_DATABASE; "
                "'graphldp collect community create' and 'graphldp serve' make one."
            )
    finally:
        engine.dispose()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


@cache
def _scripts() -> ScriptDirectory:
    """The steps from version to version, read once: every command and every start asks whether one is due."""
    return ScriptDirectory.from_config(_config())


def migrate(engine: Engine) -> None:
    """Bring the schema to this version's, from a released one or from nothing.

    Raises:
        StoreError: for a database of a newer version, or of before the first release.
    """
    scripts = _scripts()
    with transaction(engine, writes=True) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            take_time(connection)
        found = MigrationContext.configure(connection).get_current_revision()
        if found == scripts.get_current_head():
            return
        if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
            raise StoreError(
                f"The database has schema {found} of another graphldp, newer or from before the first release. "
                "Use that version, or export the reports with it ('graphldp collect export') and begin a new database."
            )
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def upsert(connection: Connection, table: Table) -> Any:
    """An insert into a table that says what to do on a conflict."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def portions(items: Sequence[Item], most: int = 1000) -> Iterator[Sequence[Item]]:
    """Some items at a time, as many as one statement takes."""
    return (items[start : start + most] for start in range(0, len(items), most))


class StorePart:
    """A part of the store, over a migrated database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def rows(self, query: Select[Any]) -> Sequence[Any]:
        """The rows of a query, in a transaction of its own."""
        with transaction(self.engine) as connection:
            return connection.execute(query).all()

"""Engines for SQLite and PostgreSQL that mean the same: what is committed is on disk.

SQLite runs in WAL mode with ``synchronous=FULL``, one fsync per commit, and a writing transaction takes the lock when
it begins. PostgreSQL runs with ``synchronous_commit=on`` whatever its configuration says.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from graphldp.errors import MissingExtraError, StoreError, bad_parameter

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
_POSTGRES_OPTIONS = "-c synchronous_commit=on -c statement_timeout=30000 -c lock_timeout=10000 -c timezone=UTC"


def open_engine(database: str) -> Engine:
    """Connect to a database, by URL.

    Args:
        database: ``sqlite:///file.db`` or ``postgresql://user@host/name``.
    """
    try:
        url = make_url(database)
    except ArgumentError:
        raise _bad_url(database) from None
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        return _sqlite(url)
    if url.get_backend_name() == "postgresql":
        return _postgresql(url)
    raise _bad_url(url.drivername)


def _bad_url(got: str) -> Exception:
    return bad_parameter(
        "database", "the collector", "a URL like sqlite:///file.db or postgresql://user@host/name", got.split(":")[0]
    )


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
    arguments = {"connect_timeout": 5, "options": _POSTGRES_OPTIONS}
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args=arguments,
            pool_pre_ping=True,
            pool_timeout=5,
            hide_parameters=True,
        )
    except ModuleNotFoundError:
        raise MissingExtraError("PostgreSQL", "postgres") from None
    return engine


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
        with engine.connect().execution_options(writes=writes) as connection, connection.begin():
            if snapshot and engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield connection
    except DBAPIError as error:
        # the driver's own words may repeat parameters: only its kind is passed on
        kind = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)
        raise StoreError(f"The database cannot be used now ({kind}).") from None
    except (SQLAlchemyError, UnicodeDecodeError) as error:  # what SQLite says of a damaged file may be no text
        raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from None


def revision(engine: Engine) -> str | None:
    """Which version of the schema a database has; None for one that is no collector's."""
    with transaction(engine) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def check_made(database: str) -> None:
    """Refuse a URL at which there is no collector's database. Looking makes none, and no file.

    Raises:
        StoreError: where there is none. It names the file or the database, and no host, user or password.
    """
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
    """Bring the schema to this version's, from any earlier one or from nothing."""
    scripts = _scripts()
    with transaction(engine, writes=True) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        found = MigrationContext.configure(connection).get_current_revision()
        if found == scripts.get_current_head():
            return
        if found is not None and found not in {each.revision for each in scripts.walk_revisions()}:
            raise StoreError("The database was made by a newer graphldp; upgrade it.")
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

"""Stores over both databases, and collectors as processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.services import MissingComponentError, Postgres
from tests.collector.site import HASTY, Site, running

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import migrate, open_engine, transaction
from graphldp.collector.storage.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    try:
        server = Postgres()
    except MissingComponentError as error:
        pytest.skip(str(error))
    with server:
        yield server


@pytest.fixture(scope="session")
def shared_database(postgres: Postgres) -> str:
    """One PostgreSQL database for all store tests: making one for each would take longer than the tests."""
    url = postgres.create("stores")
    engine = open_engine(url)
    migrate(engine)
    engine.dispose()
    return url


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A migrated, empty file of SQLite: to copy it is ten times faster than to make it."""
    path = tmp_path_factory.mktemp("empty") / "collector.db"
    Store.open(f"sqlite:///{path}").close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # no log beside it
    return path.read_bytes()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated, empty database, by URL."""
    if request.param == "sqlite":
        path = tmp_path / "collector.db"
        path.write_bytes(request.getfixturevalue("empty_file"))
        url = f"sqlite:///{path}"
    else:
        url = request.getfixturevalue("shared_database")
        engine = open_engine(url)
        with transaction(engine, writes=True) as connection:
            connection.exec_driver_sql("ALTER TABLE audit_log DISABLE TRIGGER USER")
            for table in reversed(schema.metadata.sorted_tables):
                connection.execute(table.delete())
            connection.exec_driver_sql("ALTER TABLE audit_log ENABLE TRIGGER USER")
        engine.dispose()
    return url


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = Store(open_engine(database))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One that does not wait for slow clients."""
    yield from running(Site(tmp_path_factory.mktemp("hasty"), HASTY))

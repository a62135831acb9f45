from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, insert, literal, select, text
from tests.collector.services import Postgres, analyze, free_port

from graphldp.collector.operators import KeyHolder, Operators
from graphldp.collector.roles import Role
from graphldp.collector.storage import database as database_module
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import Clock
from graphldp.collector.storage.database import check_made, migrate, open_engine, transaction
from graphldp.errors import ParameterError, StoreError
from graphldp.wire import roster_digest

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_COPIED = [
    schema.communities.c[name]
    for name in ("name", "n", "mechanism", "choices", "roster", "roster_digest", "epoch", "opened_at")
]

# what tells nothing of one person, and no secret; values of JSON columns are never sampled
MAY_BE_SAMPLED = {
    "communities": "key id n mechanism choices epoch label opened_at closed_at hub_from asked_at group_names "
    "retention_days keeps_models",
    "classes": "number name",
    "gone": "id key deleted_at erased_at",
    "slots": "community user invited_at expires_at",
    "reports": "community user received_on deleted_at erased_at",
    "answers": "community user received_on",
    "operators": "name created_at role expires_at",
    "audit_log": "number at actor role way action about outcome digest",
    "sessions": "expires_at person",
    "sign_in_rules": "kind role",
    "sign_ins": "expires_at",
    "sealing_keys": "made_at retires_at",
    "runs": "key finished_at model communities users reported validation settings held_out learned_from withdrawn_at",
    "clock": "key believed ahead_seconds swept_on",
    "predictions": "community model labelled_at",
    "flags": "community flagged_at",
    "jobs": "key kind settings asked_by asked_at state active doing share heard_at ended_at result note",
}


def test_migrations_lead_to_the_schema(database: str) -> None:
    engine = open_engine(database)
    migrate(engine)  # a second time changes nothing
    with transaction(engine) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()


def test_what_may_be_sampled_is_on_a_list() -> None:
    """Whoever adds a column says whether PostgreSQL may keep some of its values when they are deleted."""
    tables = schema.metadata.tables.items()
    found = {name: {each.name for each in table.c if each.info != schema.SECRET} for name, table in tables}
    assert found == {name: set(columns.split()) for name, columns in MAY_BE_SAMPLED.items()}


def test_postgresql_takes_no_samples_of_secrets(postgres: Postgres) -> None:
    """A database from before this was seen to: what ANALYZE copied into the catalogue is gone, and does not return."""
    engine = open_engine(postgres.create("samples"))
    with transaction(engine, writes=True) as connection:
        _upgrade(connection, "0019")
        rows = [
            {"community": 1, "user": user, "body": b"%40d" % user, "noisy_degree": user, "received_on": NOW.date()}
            for user in range(100)
        ]
        connection.execute(insert(schema.reports), rows)
    analyze(engine)
    assert {"reports.body", "reports.noisy_degree", "reports.user"} <= _samples(engine)
    migrate(engine)
    secret = {str(each) for table in schema.metadata.tables.values() for each in table.c if each.info == schema.SECRET}
    assert not secret & _samples(engine)
    with transaction(engine) as connection:
        skipped = text(
            "SELECT attrelid::regclass || '.' || attname FROM pg_attribute "
            "WHERE attstattarget = 0 AND attnum > 0 AND NOT attisdropped AND attrelid >= 16384"  # ours, not its own
        )
        assert set(connection.execute(skipped).scalars()) == secret
    analyze(engine)
    assert "reports.user" in _samples(engine)
    assert not secret & _samples(engine)
    engine.dispose()


def test_a_view_on_what_was_sampled_is_named_in_the_error(postgres: Postgres) -> None:
    """PostgreSQL drops no samples of a column that a view reads; a view on another column does not matter."""
    engine = open_engine(postgres.create("views"))
    with transaction(engine, writes=True) as connection:
        _upgrade(connection, "0019")
        connection.execute(insert(schema.reports).values(community=1, user=0, body=b"x", received_on=NOW.date()))
        connection.execute(text("CREATE VIEW days AS SELECT received_on FROM reports"))
        connection.execute(text("CREATE VIEW sizes AS SELECT length(body) FROM reports"))
    analyze(engine)
    with pytest.raises(StoreError, match=r"samples of column body of table reports.*view"):
        migrate(engine)
    with transaction(engine, writes=True) as connection:
        connection.execute(text("DROP VIEW sizes"))
    migrate(engine)
    assert "reports.body" not in _samples(engine)
    engine.dispose()


def _samples(engine: Engine) -> set[str]:
    """The columns of which PostgreSQL has samples."""
    with transaction(engine) as connection:
        columns = text("SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = 'public'")
        return set(connection.execute(columns).scalars())


def _upgrade(connection: Connection, to: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(database_module.__file__).with_name("migrations")))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'new.db'}")
    migrate(engine)
    with transaction(engine, writes=True) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer"):
        migrate(engine)
    engine.dispose()


def test_commits_are_durable(database: str) -> None:
    engine = open_engine(database)
    with transaction(engine, writes=True) as connection:
        if engine.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL: an fsync per commit
            assert connection.exec_driver_sql("PRAGMA secure_delete").scalar() == 1
        else:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            assert connection.exec_driver_sql("SHOW fsync").scalar() == "on"
    engine.dispose()


def test_a_file_keeps_the_pages_it_was_made_with(tmp_path: Path) -> None:
    """A new one has small pages; one of before, with larger pages, is opened and written as it is."""
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as before:
        before.execute("PRAGMA page_size=4096")
        before.execute("CREATE TABLE something (number INTEGER)")
    for file, size in ((new, 2048), (old, 4096)):
        engine = open_engine(f"sqlite:///{file}")
        migrate(engine)
        with transaction(engine) as connection:
            assert connection.exec_driver_sql("PRAGMA page_size").scalar() == size
        engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_looking_for_a_database_makes_none(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = tmp_path / "none.db"
    url = f"sqlite:///{file}" if kind == "sqlite" else request.getfixturevalue("postgres").create("none")
    for content in (None, b""):
        if content is not None and kind == "sqlite":
            file.write_bytes(content)
        with pytest.raises(StoreError, match=r"no collector's database in .*none"):
            check_made(url)
    assert [path.stat().st_size for path in tmp_path.iterdir()] == ([0] if kind == "sqlite" else [])
    engine = open_engine(url)
    with transaction(engine, writes=True) as connection:
        connection.execute(text("CREATE TABLE friends (name TEXT)"))  # somebody else's
    with pytest.raises(StoreError, match="no collector's database"):
        check_made(url)
    migrate(engine)
    check_made(url)
    engine.dispose()


@pytest.mark.parametrize("url", ["nonsense", "mysql://u:secret@h/d", "sqlite://", "sqlite:///:memory:", ""])
def test_other_databases_are_refused_without_repeating_passwords(url: str) -> None:
    with pytest.raises(ParameterError, match="'database' parameter") as caught:
        open_engine(url)
    assert "secret" not in str(caught.value)


def test_a_database_that_is_away_is_one_kind_of_error(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}", f"postgresql://u:secret@127.0.0.1:{free_port()}/d"):
        engine = open_engine(url)
        with pytest.raises(StoreError) as caught, transaction(engine):
            pass
        assert "secret" not in str(caught.value)
        engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_the_first_schema_held_is_kept(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    if kind == "postgresql":
        url = request.getfixturevalue("postgres").create("old")
    engine = open_engine(url)
    with transaction(engine, writes=True) as connection:
        _upgrade(connection, "0001")
        connection.execute(
            insert(schema.communities).values(
                key=1,
                id="c",
                name="c",
                n=2,
                mechanism="rr",
                choices=[],
                roster=zlib.compress("ann\nböb".encode()),
                roster_digest=sha256("ann\nböb".encode()).hexdigest(),
                epoch=1,
                opened_at=NOW,
            )
        )
        connection.execute(insert(schema.reports).values(community=1, user=0, body=b"mine", received_on=NOW.date()))
        _upgrade(connection, "0005")
        asked = insert(schema.communities).from_select(
            ["key", "id", *(column.name for column in _COPIED), "asked_at"],
            select(literal(2), literal("a"), *_COPIED, schema.communities.c.opened_at),
        )
        connection.execute(asked)
        connection.execute(
            text("INSERT INTO operators (name, key_hash, created_at) VALUES ('alice', :hash, :now)"),
            {"hash": b"0" * 32, "now": NOW},
        )
    migrate(engine)
    assert Operators(engine, Clock(engine)).all() == [
        KeyHolder("alice", Role.OPERATOR, None)
    ]  # she may what she could before
    with transaction(engine) as connection:
        assert connection.execute(select(schema.reports.c.body)).scalars().all() == [b"mine"]
        digests = connection.execute(select(schema.communities.c.roster_digest)).scalars().all()
        cuts = connection.execute(select(schema.communities.c.busy_from).order_by("key")).scalars().all()
    assert digests == [roster_digest(["ann", "böb"])] * 2
    assert cuts == [None, 6]  # every question before the number was kept was asked by 6
    engine.dispose()

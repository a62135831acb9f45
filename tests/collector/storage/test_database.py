from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from benchmarks.services import Postgres, analyze, free_port
from sqlalchemy import Engine, insert, text

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import check_made, migrate, open_engine, transaction
from graphldp.collector.storage.migrations.versions import v1_first
from graphldp.errors import ParameterError, StoreError

NOW = datetime(2026, 1, 1, tzinfo=UTC)
# what tells nothing of one person, and no secret; values of JSON columns are never sampled
MAY_BE_SAMPLED = {
    "communities": "key id n mechanism choices epoch label opened_at closed_at hub_from asked_at group_names "
    "retention_days keeps_models inquiry trusted dealt answer_until",
    "classes": "number name",
    "counters": "name last",
    "gone": "id deleted_at erased_at",
    "slots": "community user invited_at expires_at",
    "reports": "community user received_on deleted_on erased_on",
    "tombstones": "id epoch user deleted_on",
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
    "jobs": "key kind settings asked_by asked_at state active doing share alive_at ended_at result note",
}


def test_migrations_lead_to_the_schema(database: str) -> None:
    engine = open_engine(database)
    migrate(engine)  # a second time changes nothing
    with transaction(engine) as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "include_object": _is_here(engine)}
        )
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()


def _is_here(engine: Engine) -> Callable[..., bool]:
    """Whether a database has an index, or leaves it to the other kind."""

    def included(part: Any, *_: object) -> bool:
        only = getattr(getattr(part, "_ddl_if", None), "dialect", None)
        return only in (None, engine.dialect.name)

    return included


def test_what_may_be_sampled_is_on_a_list() -> None:
    """Whoever adds a column says whether PostgreSQL may keep some of its values when they are deleted."""
    tables = schema.metadata.tables.items()
    found = {name: {c.name for c in table.c if c.info != schema.SECRET} for name, table in tables}
    assert found == {name: set(columns.split()) for name, columns in MAY_BE_SAMPLED.items()}


@pytest.mark.attack("storage")
def test_postgresql_takes_no_samples_of_secrets(postgres: Postgres) -> None:
    """A search for it in PostgreSQL's catalogue."""
    engine = open_engine(postgres.create("samples"))
    migrate(engine)
    with transaction(engine, writes=True) as connection:
        rows = [
            {"community": 1, "user": user, "body": b"%40d" % user, "noisy_degree": user, "received_on": NOW.date()}
            for user in range(100)
        ]
        connection.execute(insert(schema.reports), rows)
    secret = {str(c) for table in schema.metadata.tables.values() for c in table.c if c.info == schema.SECRET}
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


def _samples(engine: Engine) -> set[str]:
    """The columns of which PostgreSQL has samples."""
    with transaction(engine) as connection:
        columns = text("SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = 'public'")
        return set(connection.execute(columns).scalars())


def test_the_first_schema_is_named_by_its_digest() -> None:
    """A database of a schema that was amended since must not be taken for today's."""
    columns = [
        f"{c} {c.type!r} {c.nullable} {c.primary_key} {[key.target_fullname for key in c.foreign_keys]}"
        for table in schema.metadata.sorted_tables
        for c in table.columns
    ]
    indexes = sorted(str(index.name) for table in schema.metadata.tables.values() for index in table.indexes)
    digest = sha256("\n".join([*columns, *indexes]).encode()).hexdigest()
    assert v1_first.revision == f"1_{digest[:8]}"


@pytest.mark.parametrize("found", ["9999", "0022", "1_amended"])
def test_a_database_of_another_version_is_refused_with_a_way_out(found: str, tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'new.db'}")
    migrate(engine)
    with transaction(engine, writes=True) as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{found}'"))
    with pytest.raises(StoreError, match=rf"schema {found} of another graphldp.*collect export"):
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


@pytest.mark.attack("storage")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_looking_for_a_database_makes_none(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A mistyped or foreign database given to a command that only reads."""
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


@pytest.mark.parametrize(
    "url", ["secret", "secret://h/d", "mysql://u:secret@h/d", "sqlite://", "sqlite:///:memory:", ""]
)
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


def test_reports_are_counted_in_an_index(tmp_path: Path) -> None:
    """SQLite's primary key has whole reports in it."""
    engine = open_engine(f"sqlite:///{tmp_path / 'new.db'}")
    migrate(engine)
    with transaction(engine) as connection:
        plan = "EXPLAIN QUERY PLAN SELECT community, count(*) FROM reports GROUP BY community"
        assert "COVERING INDEX ix_reports_counted" in str(connection.exec_driver_sql(plan).all())
    engine.dispose()

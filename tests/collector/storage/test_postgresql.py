"""Connections to PostgreSQL on which nothing comes back are given up."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.services import Postgres, free_port
from sqlalchemy import text
from tests.collector.proxy import Proxy

from graphldp.collector.storage import database as database_module
from graphldp.collector.storage.database import open_engine, take_time, transaction
from graphldp.collector.storage.postgresql import WaitLimits, hurry
from graphldp.errors import GraphLDPError, ParameterError, StoreError


@pytest.fixture
def proxy(postgres: Postgres) -> Iterator[Proxy]:
    with Proxy(postgres.port) as made:
        yield made


def url(proxy: Proxy) -> str:
    return f"postgresql://graphldp@127.0.0.1:{proxy.port}/postgres"


@pytest.mark.attack("storage")
def test_a_statement_that_is_never_answered_is_given_up(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut a proxy between the collector and PostgreSQL off in a transaction, so that TCP sees nothing wrong."""
    monkeypatch.setattr(database_module, "WaitLimits", lambda: WaitLimits(0.2, 0.4))
    engine = open_engine(url(proxy))

    def ask() -> None:
        with transaction(engine) as connection:
            assert connection.execute(text("SELECT 1")).scalar() == 1
            proxy.fall_silent()
            connection.execute(text("SELECT 2"))

    with pytest.raises(StoreError, match="SilentError"):
        ask()
    assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    engine.dispose()


@pytest.mark.long  # five seconds go by until a connection counts as refused
def test_a_connection_that_fell_silent_while_it_rested_is_not_waited_for(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "WaitLimits", lambda: WaitLimits(0.2, math.inf))
    engine = open_engine(url(proxy))
    with transaction(engine) as connection:
        assert connection.execute(text("SELECT 1")).scalar() == 1
    proxy.fall_silent()
    with pytest.raises(StoreError, match=f"127.0.0.1, port {proxy.port}: no answer"), transaction(engine):
        pass
    engine.dispose()


def test_what_may_take_hours_is_waited_for_until_the_process_is_to_end(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "WaitLimits", lambda: WaitLimits(0.2, 0.4))
    engine = open_engine(url(proxy))
    with transaction(engine) as connection:
        take_time(connection)
        connection.execute(text("SELECT pg_sleep(0.8)"))
        assert connection.execute(text("SHOW statement_timeout")).scalar() == "0"
    told: list[str] = []

    def wait() -> None:
        try:
            with transaction(engine) as connection:
                take_time(connection)
                asked.set()
                connection.execute(text("SELECT pg_sleep(60)"))
        except StoreError as error:
            told.append(str(error))

    asked = threading.Event()
    thread = threading.Thread(target=wait)
    thread.start()
    assert asked.wait(30)
    hurry(engine)
    thread.join(30)
    assert "SilentError" in told[0]
    engine.dispose()


def test_tcp_looks_after_connections_at_both_ends(postgres: Postgres) -> None:
    engine = open_engine(postgres.url)
    with transaction(engine) as connection:
        for name, value in (
            ("tcp_keepalives_idle", "10"),
            ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ):
            assert connection.execute(text(f"SHOW {name}")).scalar() == value
        driver = connection.connection.driver_connection
        assert driver is not None
        given = driver.info.get_parameters()
        assert {given["keepalives_idle"], given["tcp_user_timeout"]} == {"10", "10000"}
    engine.dispose()


def said(url: str, kind: type[GraphLDPError] = StoreError) -> str:
    with pytest.raises(kind) as caught, transaction(open_engine(url)):
        pass
    assert "secret" not in str(caught.value)
    return str(caught.value)


def test_what_failed_is_told_with_host_and_port(postgres: Postgres) -> None:
    port, free = postgres.port, free_port()
    for url, reason in (
        (f"u:secret@127.0.0.1:{free}/d", f"127.0.0.1, port {free}: connection refused"),
        (f"graphldp:secret@127.0.0.1:{port}/nowhere", f"port {port}: the database 'nowhere' does not exist"),
        (f"nobody:secret@127.0.0.1:{port}/postgres", f"port {port}: there is no user 'nobody'"),
        ("u:secret@nowhere.invalid/d", "nowhere.invalid, port 5432: there is no such host"),
        (f"u:secret@/d?host=127.0.0.1&port={free}", f"127.0.0.1, port {free}: connection refused"),
        ("u:secret@127.0.0.1:99999/d", "127.0.0.1, port 99999: there is no such port"),
        ("u:secret@/d?host=/nowhere", "a socket of this machine: there is no such socket"),
        (f"graphldp@127.0.0.1:{port}/postgres?secret=1", "an option that there is not"),
        (f"graphldp@127.0.0.1:{port}/postgres?sslmode=secret", "an option that there is not"),
        (f"graphldp:secret@127.0.0.1:{port}/postgres?sslmode=require", "the encrypted connection failed"),
        (f"graphldp:secret@127.0.0.1:{port}/postgres?service=none", "a service that cannot be found"),
    ):
        assert reason in said(f"postgresql://{url}")


def test_a_password_that_is_refused_is_told_with_its_user(postgres: Postgres) -> None:
    rules = postgres.data / "pg_hba.conf"
    before = rules.read_text()
    engine = open_engine(postgres.url)
    try:
        rules.write_text("host all graphldp 127.0.0.1/32 trust\nhost all shut 127.0.0.1/32 scram-sha-256\n")
        with transaction(engine, writes=True) as connection:
            connection.exec_driver_sql("CREATE ROLE shut LOGIN PASSWORD 'other'")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
        url = f"postgresql://shut:secret@127.0.0.1:{postgres.port}/postgres"
        assert "password authentication failed for user 'shut'" in said(url)
        assert "password authentication failed for user 'shut'" in said(url.replace(":secret", ""))
    finally:
        rules.write_text(before)
        with transaction(engine, writes=True) as connection:
            connection.exec_driver_sql("DROP ROLE IF EXISTS shut")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
        engine.dispose()


@pytest.mark.attack("storage")
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p@secret@h/d",
        "postgresql://u:p@secret/x@h/d",
        "postgresql://u:secret/d",
        "postgresql://u:p@h:secret/d",
        "postgresql://u@h/d?port=secret",
        "postgres://u:secret@h/d",
        "sqlite://secret.db",
        "sqlite:///x.db?key=secret",
    ],
)
def test_a_slip_in_a_url_tells_no_part_of_its_password(url: str) -> None:
    """Mistype the database's URL so that a part of its password is taken for a host, a port or a database."""
    assert "'database' parameter" in said(url, ParameterError)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    assert f"the file {tmp_path} (SQLITE_CANTOPEN)" in said(f"sqlite:///{tmp_path}")
    assert "SQLITE_CANTOPEN" in said(f"sqlite+aiosqlite:///{tmp_path / 'none' / 'a.db'}")

"""Ready means able to write, looked at now and then; healthy means that somebody answers."""

from __future__ import annotations

import asyncio
import resource
import threading
import time
from pathlib import Path

import pytest
from benchmarks.services import Postgres
from sqlalchemy import event
from tests.collector.site import SETTINGS, Site, linux, problem

from graphldp.collector.http.monitoring import Health
from graphldp.collector.storage import database
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError


def test_asking_often_writes_once() -> None:
    now, written = [0.0], []
    health = Health(lambda: written.append(now[0]), lambda: now[0])

    async def ask() -> None:
        for now[0] in (0.0, 0.5, 1.9, 2.0, 3.9, 4.1):
            await health.check()

    asyncio.run(ask())
    assert written == [0.0, 2.0, 4.1]


def test_a_failure_is_told_until_the_next_look() -> None:
    now, works = [0.0], [False]

    def ping() -> None:
        if not works[0]:
            raise StoreError("full")

    health = Health(ping, lambda: now[0])

    async def ask() -> None:
        for works[0] in (False, True):
            with pytest.raises(StoreError):
                await health.check()
        now[0] = 2.0
        health._seconds = 30.0  # a busy machine may take its time now
        await health.check()

    asyncio.run(ask())


def test_a_look_that_hangs_is_told_and_no_other_one_begins() -> None:
    looks, go_on = [], threading.Event()

    def ping() -> None:
        looks.append(1)
        go_on.wait(30)

    async def ask() -> None:
        health = Health(ping, seconds=0.05)
        told = await asyncio.gather(*(health.check() for _ in range(100)), return_exceptions=True)
        assert {type(each) for each in told} == {StoreError}
        while not looks:  # a busy machine starts its thread late
            await asyncio.sleep(0.01)
        assert len(looks) == 1
        go_on.set()
        while health._look is not None and not health._look.done():
            await asyncio.sleep(0.01)
        health._seconds = 30.0  # a busy machine may take its time now
        await health.check()

    asyncio.run(ask())


def test_both_databases_take_the_write(store: Store) -> None:
    said: list[str] = []
    event.listen(store.engine, "after_cursor_execute", lambda *given: said.append(given[2]))
    store.ping()
    assert [each for each in said if each.startswith("UPDATE")]


@pytest.mark.attack("storage")
def test_a_locked_table_is_no_readiness(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock the table of reports, so that none can be stored, and ask the collector whether it is ready."""
    monkeypatch.setitem(database._POSTGRES_OPTIONS, "lock_timeout", 50)
    url = postgres.create("locked")
    store, other = Store.open(url), open_engine(url)
    store.ping()
    for table in ("communities", "slots", "reports"):
        with transaction(other, writes=True) as connection:
            connection.exec_driver_sql(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreError, match="LockNotAvailable"):
                store.ping()
    other.dispose()
    store.close()


@pytest.mark.attack("collector")
def test_a_full_disk_is_seen_without_a_report(tmp_path: Path) -> None:
    """A full disk."""
    site = Site(tmp_path, SETTINGS)
    with site.collector:
        address, pid = f"{site.collector.url}/readyz", site.collector.pid
        assert site.http.get(address).status_code == 200
        linux(pid)  # nor is there prlimit elsewhere
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1 << 12, resource.RLIM_INFINITY))
        time.sleep(2.1)
        assert problem(site.http.get(address)) == (503, "store-unavailable")
        assert site.http.get(f"{site.collector.url}/healthz").status_code == 200  # a restart would free no space
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        time.sleep(2.1)
        assert site.http.get(address).status_code == 200
    site.http.close()
    site.store.close()

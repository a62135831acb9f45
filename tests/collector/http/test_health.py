"""Ready means able to write, looked at now and then; healthy means that somebody answers."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.collector.site import SETTINGS, Site, problem

from graphldp.collector.http.health import Health
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError


def test_asking_often_writes_once() -> None:
    now, written = [0.0], []
    health = Health(lambda: written.append(now[0]), lambda: now[0])
    for now[0] in (0.0, 0.5, 1.9, 2.0, 3.9, 4.1):
        health.check()
    assert written == [0.0, 2.0, 4.1]


def test_a_failure_is_told_until_the_next_look() -> None:
    now, works = [0.0], [False]

    def ping() -> None:
        if not works[0]:
            raise StoreError("full")

    health = Health(ping, lambda: now[0])
    for works[0] in (False, True):
        with pytest.raises(StoreError):
            health.check()
    now[0] = 2.0
    health.check()


def test_both_databases_take_the_write(store: Store) -> None:
    said: list[str] = []
    event.listen(store.engine, "after_cursor_execute", lambda *given: said.append(given[2]))
    store.ping()
    assert [each for each in said if each.startswith("UPDATE")]


def test_a_full_disk_is_seen_without_a_report(tmp_path: Path) -> None:
    site = Site(tmp_path, SETTINGS)
    with site.collector:
        address, pid = f"{site.collector.url}/readyz", site.collector.pid
        assert site.http.get(address).status_code == 200
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1 << 12, resource.RLIM_INFINITY))
        time.sleep(2.1)
        assert problem(site.http.get(address)) == (503, "store-unavailable")
        assert site.http.get(f"{site.collector.url}/healthz").status_code == 200  # a restart would free no space
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        time.sleep(2.1)
        assert site.http.get(address).status_code == 200
    site.http.close()
    site.store.close()

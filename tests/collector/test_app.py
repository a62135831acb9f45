"""The application: what was withdrawn leaves its files; its description foresees every answer of schemathesis."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from benchmarks.services import Collector
from sqlalchemy import event
from tests.collector.people import N, open_cats, report, submission
from tests.collector.site import SETTINGS, Site

from graphldp.collector.app import keep_erasing
from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store
from graphldp.errors import StoreError


def test_a_busy_database_is_tried_again() -> None:
    tries: list[int] = []

    def erase() -> bool:
        tries.append(len(tries))
        if len(tries) < 3:
            raise StoreError("busy")
        return True

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_erasing, [erase], 0.0)
            while len(tries) < 4:
                await anyio.sleep(0)
            tasks.cancel_scope.cancel()

    anyio.run(run)
    assert len(tries) >= 4


@pytest.mark.attack("collector")
def test_many_withdrawals_are_erased_at_once(store: Store) -> None:
    """Withdrawing again and again, to keep PostgreSQL writing its tables anew."""
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], b"x") for user in range(N)])
    statements: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    for user in range(N):
        store.holdings.withdraw("cats", user)
    rewrites = ("VACUUM FULL reports", "PRAGMA wal_checkpoint(TRUNCATE)")
    assert not set(statements) & set(rewrites)
    assert store.holdings.erase()
    assert store.engine.dialect.name == "sqlite" or statements.count(rewrites[0]) == 1
    assert not store.holdings.erase()


def test_a_running_server_erases_what_was_withdrawn(tmp_path: Path) -> None:
    site, body = Site(tmp_path, SETTINGS | {"erase_seconds": 0.1}), report(3, degree=77, neighbours=range(7, 30))
    with site.collector:
        assert site.put(3, body).status_code == 201
        address = f"{site.collector.url}/v1/communities/cats/reports/3"
        assert site.http.delete(address, headers={"Authorization": f"Bearer {site.tokens[3]}"}).status_code == 204
        deadline = time.monotonic() + 90
        while any(body in path.read_bytes() for path in tmp_path.glob("collector.db*")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    site.http.close()
    site.store.close()


ROOT = Path(__file__).resolve().parents[2]


def complaints(folder: Path, url: str, secret: str, *options: str) -> str:
    """Let it try what the description has; what it found, or nothing."""
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "tests.collector.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
    always = ("--checks", "all", "--seed", "1", "--no-color", "--header", f"Authorization: Bearer {secret}")
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "run", f"{url}/openapi.json", *always, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    return f"ended with {done.returncode}: {done.stdout[-4000:]}{done.stderr[-2000:]}" if done.returncode else ""


def test_schemathesis_passes(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    _, tokens = open_cats(store)
    with Collector(database) as collector:
        assert not complaints(tmp_path, collector.url, tokens[3], "-n", "10", "--exclude-path-regex", "^/v1/operator/")
    store.close()


@pytest.mark.long
def test_schemathesis_passes_for_operators(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    open_cats(store)
    key = store.operators.add("alice", Role.ADMINISTRATOR)
    with Collector(database) as collector:
        assert not complaints(tmp_path, collector.url, key, "-n", "5", "--include-path-regex", "^/v1/operator/")
    store.close()

"""The description is complete: schemathesis finds no answer that it does not foresee."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.services import Collector
from tests.collector.people import open_cats

from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store

ROOT = Path(__file__).resolve().parents[3]


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

"""The description is complete: schemathesis finds no answer that it does not foresee."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.collector.people import open_cats
from tests.collector.services import Collector

from graphldp.collector.storage.store import Store

ROOT = Path(__file__).resolve().parents[3]


def test_schemathesis_passes(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    _, tokens = open_cats(store)
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "tests.collector.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
    with Collector(database) as collector:
        address = f"{collector.url}/openapi.json"
        options = ("--checks", "all", "-n", "3", "--seed", "1", "--no-color")
        token = ("--header", f"Authorization: Bearer {tokens[3]}")
        done = subprocess.run(
            [Path(sys.executable).with_name("schemathesis"), "run", address, *options, *token],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
        )
    store.close()
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]

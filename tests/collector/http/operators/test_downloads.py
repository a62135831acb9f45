"""Files that browsers save, where the disk is full."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import httpx
import numpy as np
import pytest
from benchmarks.services import Collector
from tests.collector.people import open_cats, report, submission
from tests.collector.site import problem

from graphldp.collector.storage.store import Store

SMALL = 'mount -t tmpfs -o size=8k none "$0" && TMPDIR="$0" exec "$@"'
OWN_MOUNTS = ("unshare", "--map-root-user", "--mount")


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A folder on which the collector, and nobody else, has a disk of two pages."""
    folder = tmp_path / "disk"
    folder.mkdir()
    tried = [*OWN_MOUNTS, "sh", "-c", SMALL, str(folder), "true"]
    if shutil.which("unshare") is None or subprocess.run(tried, capture_output=True).returncode:
        pytest.skip("needs mounts of one's own (Linux with user namespaces)")
    return folder


@pytest.mark.attack("collector")
def test_an_export_without_room_is_an_answer_and_leaves_nothing(tmp_path: Path, full: Path) -> None:
    """A disk that is full during an export."""
    store, rng = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), np.random.default_rng(0)
    for id, n, sent in (("many", 400, 400), ("few", 50, 2)):
        made, tokens = open_cats(store, id, n=n)
        lists = [rng.choice(n, 40, replace=False).tolist() for _ in range(sent)]  # no format makes these short
        bodies = [report(user, neighbours=sorted(listed), n=n) for user, listed in enumerate(lists)]
        store.accept([submission(made, user, tokens[user], body) for user, body in enumerate(bodies)])
    headers = {"Authorization": f"Bearer {store.operators.add('alice')}"}
    wrap = (*OWN_MOUNTS, "sh", "-c", SMALL, str(full))
    with Collector(f"sqlite:///{tmp_path / 'collector.db'}", {"min_reports": 1}, wrap) as collector:
        at = f"{collector.url}/v1/operator/communities"
        for form in ("csv", "npz", "parquet"):
            answer = httpx.get(f"{at}/many/export", params={"format": form}, headers=headers, timeout=60)
            assert problem(answer) == (507, "no-room"), form
            assert os.listdir(f"/proc/{collector.pid}/root{full}") == []
        small = httpx.get(f"{at}/few/export", headers=headers)
        assert (small.status_code, len(small.text.splitlines())) == (200, 3)
        entries = [(each.action, each.about, each.outcome) for each in store.audit_log.entries()]
        assert entries.count(("reports.export", "many", "failed")) == 3
    store.close()

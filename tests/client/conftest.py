"""A collector that fails as told, and a list of friends among its members."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphldp.audit.protocol import ROSTER, FailingCollector, failing_collector


@pytest.fixture
def server() -> Iterator[FailingCollector]:
    with failing_collector() as running:
        yield running


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join(ROSTER[10:20]))
    return path

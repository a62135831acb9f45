"""A tenth of the long tests, another one with each commit: ten commits one after the other prove all of it.

Mutants are chosen by it, and the tests marked `long`: `pytest -p benchmarks.proof.share -m long`.
"""

import os
import subprocess
import zlib
from pathlib import Path

import pytest

SHARES = 10
FULL = "PROOF"  # `make proof PROOF=--full` hands it on: all of them


def turn() -> int:
    """The share whose turn it is at this commit; 0 where git does not know."""
    command = ["git", "rev-list", "--count", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return int(done.stdout or 0) % SHARES


def belongs(name: str, turn: int) -> bool:
    """Whether what has this name is in a share: a name's own share stays when others come and go."""
    return zlib.crc32(name.encode()) % SHARES == turn


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other shares."""
    if "full" in os.environ.get(FULL, ""):
        return
    now = turn()
    others = [item for item in items if not belongs(item.nodeid, now)]
    items[:] = [item for item in items if belongs(item.nodeid, now)]
    config.hook.pytest_deselected(items=others)

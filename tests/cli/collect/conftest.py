"""An operator's database and roster, and the JSON that her commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from graphldp.wire import Choice

CHOICE = Choice("standard", 0.25, 1.75)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite:///{tmp_path / 'collector.db'}"
    monkeypatch.setenv("GRAPHLDP_DATABASE", url)
    return url


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("ann\nbob\n\n  cy\n", encoding="utf-8")
    return path


def read(command: Command, *arguments: str | Path) -> Any:
    """The JSON that a command prints."""
    code, out, err = command(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)

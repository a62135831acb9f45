"""What the page says of the size of parts written by hand is what they have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "subclass of uvicorn's HTTP protocol": ["src/graphldp/collector/http/connection.py"],
    "backups": ["src/graphldp/collector/storage/copies/backup.py"],
    "sign-in by OpenID Connect": ["src/graphldp/collector/dashboard/oidc.py"],
    "charts of pages": ["src/graphldp/pages/plots.py"],
    "stubs for types": [str(path.relative_to(ROOT)) for path in (ROOT / "stubs").rglob("*.pyi")],
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_the_lines_that_the_page_says(part: str) -> None:
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    told = re.search(rf"(?m)^\| {re.escape(part)}, ([\d,]+) lines \|", page)
    assert told, part
    lines = sum(len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in PARTS[part])
    assert abs(lines - int(told[1].replace(",", ""))) <= lines / 20

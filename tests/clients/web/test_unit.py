"""The browser client's own tests, and that its source is what the package holds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphldp.wire.bundle import installed_bundle


@pytest.mark.parametrize("script", ["check", "test"])
def test_the_browser_client_passes_its_own(web: Path, script: str) -> None:
    done = subprocess.run(["npm", "run", script], cwd=web, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.attack("page")
def test_the_page_in_the_package_is_the_one_that_its_source_builds(web: Path, tmp_path: Path) -> None:
    """Serve members a page other than ours, or one changed file of it.

    Byte for byte, built elsewhere: no time, no path and no chance is in it.
    """
    done = subprocess.run(
        ["npx", "vite", "build", "--outDir", str(tmp_path / "out")], cwd=web, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = {str(path.relative_to(tmp_path / "out")): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    assert {path: len(body) for path, body in built.items()} == {
        path: len(body) for path, body in installed_bundle().items()
    }
    assert built == installed_bundle()

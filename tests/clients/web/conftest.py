"""Node and the packages of the browser client, where they are installed or can be."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

# proof runs these tests on copies of it, each with a mistake
WEB = Path(os.environ.get("GRAPHLDP_WEB") or Path(__file__).resolve().parents[3] / "clients" / "web")


@pytest.fixture(scope="session")
def web() -> Path:
    """The folder of the browser client, with the packages that its lock file names."""
    if shutil.which("npm") is None:
        pytest.skip("Node is not installed (Debian: apt-get install nodejs npm): the browser client is not tested.")
    version = subprocess.run(["node", "--version"], text=True, capture_output=True, check=True).stdout
    if tuple(int(part) for part in version.strip().removeprefix("v").split(".")[:2]) < (20, 19):
        pytest.skip(f"Node is {version.strip()}, and the browser client needs 20.19: it is not tested.")
    lock, stamp = WEB / "package-lock.json", WEB / "node_modules" / "installed"
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several processes run tests
        if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
            done = subprocess.run(["npm", "ci"], cwd=WEB, text=True, capture_output=True)
            assert done.returncode == 0, done.stderr
            shutil.copyfile(lock, stamp)
    return WEB


@pytest.fixture(scope="session")
def core(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The core as a program for Node, see ``clients/web/tests/compare.ts``."""
    folder = tmp_path_factory.mktemp("core")
    build = ["node_modules/.bin/vite", "build", "--ssr", "tests/compare.ts", "--outDir", str(folder)]
    subprocess.run([*build, "--emptyOutDir", "--logLevel", "warn"], cwd=web, check=True, capture_output=True)
    return folder / "compare.js"

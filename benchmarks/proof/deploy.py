"""The collector in a bare Debian: ``deploy/build.sh`` runs in a root that debootstrap made, and it starts there."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from benchmarks.proof.setting import ROOT, Finding, Scale, folder, need

_SUITE = "bookworm"
_PYTHON = "3.11"  # Debian's own there
_SENT = ("deploy", "requirements", "src", "LICENSE", "README.md", "constraints.txt", "pyproject.toml")


def prove_deployment(scale: Scale, kind: str) -> Finding:
    """Install it where nothing is, start it as its own user, ask whether it is ready, and stop it."""
    finding = Finding(f"installed in a bare {kind}")
    with folder() as place:
        root = place / "root"
        need("debootstrap")
        subprocess.run(["debootstrap", "--variant=minbase", _SUITE, root], check=True, stdout=subprocess.DEVNULL)
        _bring(root)
        start = time.perf_counter()
        with _mounted(root):
            subprocess.run([*_inside(root), "sh", "-c", "cd /src && deploy/build.sh"], check=True, stdout=sys.stderr)
            finding.numbers["seconds to install"] = round(time.perf_counter() - start)
            finding.facts |= _started(root)
        finding.numbers["MB installed"] = round(_size(root / "opt") / 1e6)
    return finding


def _bring(root: Path) -> None:
    """Put the sources there, and what pip would download: only this machine may know where packages come from."""
    (root / "src").mkdir()
    for name in _SENT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / "src" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root / "src" / name)
    wanted = (
        ["--require-hashes", "-r", str(ROOT / "requirements" / "collector.txt")],
        ["--constraint", str(ROOT / "constraints.txt"), "hatchling"],
    )
    for each in wanted:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"]
        command += ["--python-version", _PYTHON, "--dest", str(root / "wheels"), *each]
        subprocess.run(command, check=True, stdout=sys.stderr)


def _inside(root: Path, *user: str) -> list[str]:
    settings = ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/wheels"]
    return ["chroot", str(root), "env", "-i", *settings, *user]


@contextmanager
def _mounted(root: Path) -> Iterator[None]:
    """What every machine has: processes to look at, and names of hosts."""
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", root / "proc"], check=True)


def _started(root: Path) -> dict[str, bool]:
    database = "sqlite:////var/lib/graphldp/collector.db"
    command = [
        *_inside(root, "setpriv", "--reuid", "graphldp", "--regid", "graphldp", "--clear-groups"),
        "graphldp",
        "serve",
        "--port",
        "0",
    ]
    process = subprocess.Popen([*command, "--database", database], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        url = line.split()[-1] if "listening on" in line else ""
        statuses = [httpx.get(f"{url}/{path}", timeout=30).status_code for path in ("healthz", "readyz", "")]
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
    made = root / "var" / "lib" / "graphldp" / "collector.db"
    return {
        "it starts, is healthy and ready, and shows its front page": statuses == [200, 200, 200],
        "it ends in order": code == 0,
        "its database is for its own user alone": made.stat().st_mode & 0o777 == 0o600 and made.stat().st_uid != 0,
    }


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))

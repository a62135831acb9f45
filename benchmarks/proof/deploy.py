"""The collector's image without a container engine: the Containerfile's steps in a root that debootstrap made."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.proof.setting import ROOT, Finding, Scale, folder, need

_SUITE = "bookworm"
_PYTHON = "3.11"  # Debian's own there
_SENT = ("deploy", "requirements", "src", "LICENSE", "README.md", "constraints.txt", "pyproject.toml")


def image_steps() -> dict[str, str]:
    """The lines of the Containerfile by their first word, each of which stands there once, or last."""
    lines = (ROOT / "deploy" / "Containerfile").read_text("utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def prove_deployment(scale: Scale, kind: str) -> Finding:
    """Take the image's steps where nothing is, start it as its user with a root that is read-only, and stop it."""
    finding = Finding(f"installed in a bare {kind}")
    with folder() as place:
        root, steps = place / "root", image_steps()
        need("debootstrap")
        subprocess.run(["debootstrap", "--variant=minbase", _SUITE, root], check=True, stdout=subprocess.DEVNULL)
        _bring(root)
        start = time.perf_counter()
        with _mounted(root):
            subprocess.run([*_inside(root), "sh", "-c", f"cd /src && {steps['RUN']}"], check=True, stdout=sys.stderr)
        finding.numbers["seconds to install"] = round(time.perf_counter() - start)
        finding.numbers["MB installed"] = round(_size(root / "opt") / 1e6)
        with _mounted(root, steps["VOLUME"]):
            finding.facts |= _started(root, steps)
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


def _inside(root: Path, *more: str) -> list[str]:
    settings = ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/wheels"]
    return ["chroot", str(root), "env", "-i", *settings, *more]


@contextmanager
def _mounted(root: Path, volume: str = "") -> Iterator[None]:
    """What every machine has, processes to look at and names of hosts; where there is a volume, only it is written."""
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    mounts = [f"--bind {root} {root}", f"-t proc proc {root}/proc"]
    if volume:
        mounts += [f"--bind {root}{volume} {root}{volume}", f"-t tmpfs tmpfs {root}/tmp"]
        mounts += [f"-o remount,ro,bind {root}"]
    try:
        for each in mounts:
            subprocess.run(["mount", *each.split()], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", "-R", root], check=True)


def _started(root: Path, steps: dict[str, str]) -> dict[str, bool]:
    """Start it as the image does, and ask its own health check."""
    user = ["setpriv", "--reuid", steps["USER"], "--regid", steps["USER"], "--clear-groups", "--no-new-privs"]
    inside = [*_inside(root, *shlex.split(steps["ENV"])), *user]
    check = [*inside, *json.loads(steps["HEALTHCHECK"].removeprefix("CMD "))]
    before = subprocess.run(check, stderr=subprocess.DEVNULL).returncode
    command = [*inside, *json.loads(steps["ENTRYPOINT"]), *json.loads(steps["CMD"])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        listening = "listening on" in process.stdout.readline()
        healthy = subprocess.run(check).returncode
        written = subprocess.run([*inside, "touch", "/var/tmp/mark"], stderr=subprocess.DEVNULL).returncode
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
    made = root / "var" / "lib" / "graphldp" / "collector.db"
    return {
        "its health check fails before it is started, and passes then": before != 0 and listening and healthy == 0,
        "it ends in order": code == 0,
        "it writes nowhere but in its folder": written != 0,
        "its database is for its own user alone": made.stat().st_mode & 0o777 == 0o600 and made.stat().st_uid != 0,
    }


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))

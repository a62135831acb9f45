"""What the live demo starts ends with it, also when it is killed."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fcntl", reason="needs the collector, and so POSIX's locks")

COLLECTOR = """
import sys, time
from pathlib import Path
from graphldp.experiments.service.live import collector
folder = Path(sys.argv[1])
with collector(f"sqlite:///{folder / 'collector.db'}", folder / "log") as (address, _):
    print(address, flush=True)
    time.sleep(60)
"""

POOL = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from graphldp.experiments.service.live import ignore_interrupts
if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), ignore_interrupts) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


def _said_and_killed(code: str, folder: Path) -> str:
    script = folder / "script.py"
    script.write_text(code)
    with subprocess.Popen([sys.executable, script, folder], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if code is COLLECTOR:
            assert httpx.get(f"{line.strip()}/healthz").status_code == 200
        process.kill()
    return line.strip()


def test_the_collector(tmp_path: Path) -> None:
    address = _said_and_killed(COLLECTOR, tmp_path)
    end = time.monotonic() + 90
    while _listens(int(address.rpartition(":")[2])):
        assert time.monotonic() < end
        time.sleep(0.1)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_client(tmp_path: Path) -> None:
    status = Path(f"/proc/{_said_and_killed(POOL, tmp_path)}/stat")
    if not Path("/proc/self/stat").exists():
        pytest.skip("there is no /proc to look for the process in")
    end = time.monotonic() + 90
    while status.exists() and " Z " not in status.read_text():  # nobody may be left to bury it
        assert time.monotonic() < end
        time.sleep(0.1)

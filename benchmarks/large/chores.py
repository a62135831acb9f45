"""What an operator does with a full store, each as a process of its own: seconds and the most memory.

Seconds of the processor are about us; those of the clock are also about whoever else works on the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from benchmarks.large.notes import Numbers
from benchmarks.services import Collector

from graphldp.collector.storage.store import Store

PAGES = (
    "/dashboard",
    "/dashboard?sort=name&page=300",
    "/dashboard?search=large-777&sort=largest",
    "/dashboard/runs",
    "/dashboard/communities/large-7",
)
_VISITS = 6


def command(*arguments: object) -> Numbers:
    """Run ``graphldp`` with arguments."""
    call = [sys.executable, "-c", "from graphldp.cli import main; main()", *map(str, arguments)]
    begin = time.perf_counter()
    process = subprocess.Popen(call, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"graphldp {arguments[0]} {arguments[1]} ended with code {process.returncode}.")
    seconds = time.perf_counter() - begin
    worked = usage.ru_utime + usage.ru_stime
    found = {"seconds": round(seconds, 1), "of the processor": round(worked, 1), "MiB": round(usage.ru_maxrss / 1024)}
    return found | {"load of the machine": round(os.getloadavg()[0], 1)}


def restart(database: str) -> Numbers:
    """The seconds from starting the server until it says that it can store a report."""
    begin = time.perf_counter()
    with Collector(database) as collector:
        while httpx.get(f"{collector.url}/readyz", timeout=60).status_code != 200:
            time.sleep(0.05)
        seconds = time.perf_counter() - begin
    return {"seconds": round(seconds, 1)}


def pages(database: str) -> Numbers:
    """Milliseconds of each page of the dashboard, and the slowest one's."""
    store = Store.open(database)
    name = f"bench-{os.getpid()}"
    key = store.operators.add(name)
    found: dict[str, Any] = {}
    try:
        with Collector(database) as collector, httpx.Client(base_url=collector.url, timeout=120) as http:
            assert http.post("/login", data={"key": key}).status_code == 303
            for page in PAGES:
                times = [_timed(http, page, collector.pid) for _ in range(_VISITS)]
                clock, worked = (round(median(each[which] for each in times[1:])) for which in (0, 1))
                found[page] = {"first": times[0][0], "then": clock, "of the processor": worked}
    finally:
        store.operators.remove(name)
        store.close()
    slowest = {f"slowest, {name}": max(each[name] for each in found.values()) for name in ("then", "of the processor")}
    return found | slowest | {"unit": "ms", "load of the machine": round(os.getloadavg()[0], 1)}


def _timed(http: httpx.Client, page: str, server: int) -> tuple[int, int]:
    """Milliseconds of the clock, and of the processor in the server."""
    before, begin = worked(server), time.perf_counter()
    assert http.get(page).status_code == 200
    return round(1000 * (time.perf_counter() - begin)), round(1000 * (worked(server) - before))


def worked(process: int, *, ended: bool = False) -> float:
    """Seconds of the processor that a process has taken; with those of its children that have ended, if asked."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")


def size(database: str) -> Numbers:
    """The bytes that the database takes on disk."""
    store = Store.open(database)
    _, reports = store.holdings.totals()
    if store.engine.dialect.name == "sqlite":
        file = Path(str(store.engine.url.database))
        total = sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    else:
        with store.engine.connect() as connection:
            total = int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    store.close()
    return {"reports": reports, "MB": round(total / 1e6), "bytes for each report": round(total / reports)}


def withdraw(database: str) -> Numbers:
    """Withdraw one report, and take its bytes out of the files."""
    store = Store.open(database)
    begin = time.perf_counter()
    store.holdings.withdraw("large-7", 3)
    middle = time.perf_counter()
    store.holdings.erase()
    end = time.perf_counter()
    store.close()
    return {"withdrawn in ms": round(1000 * (middle - begin)), "erased in s": round(end - middle, 2)}

"""Where the minutes of the tests go: python -m benchmarks.suite [what else pytest takes].

Runs what `make test` runs, and writes benchmarks/results/suite.json: seconds by the clock and of the processor, for the
whole, for the files that take most of it and for the fixtures. A file's seconds are those of its tests and of the
fixtures that they were the first to ask for; processes that a test started count where it waited for their end.
"""

import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from graphldp.machines.local import describe

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results" / "suite.json"
NOTES = "GRAPHLDP_SUITE_NOTES"  # the folder where each process that runs tests writes what it measured
FILES, FIXTURES = 30, 10


def processor() -> float:
    """The seconds of the processor that this process and those that it waited for have used."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


class Notes:
    """A plugin of pytest that writes a line for each test and fixture of one process."""

    def __init__(self, folder: str) -> None:
        """Open the file."""
        self._out = (Path(folder) / f"{os.getpid()}.jsonl").open("a")

    def _timed(self, kind: str, name: str) -> Generator[None, Any, Any]:
        clock, used = perf_counter(), processor()
        result = yield
        self._out.write(json.dumps([kind, name, perf_counter() - clock, processor() - used]) + "\n")
        self._out.flush()
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """A test with its fixtures."""
        return (yield from self._timed("file", item.nodeid.split("::")[0]))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """A fixture, without those that it asks for itself."""
        return (yield from self._timed("fixture", f"{fixturedef.argname} of {fixturedef.baseid or 'pytest'}"))


def pytest_configure(config: pytest.Config) -> None:
    """Measure in this process, if it was asked for."""
    if folder := os.environ.get(NOTES):
        config.pluginmanager.register(Notes(folder))


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """What took longest, files first."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for line in (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()):
        kind, name, *times = json.loads(line)
        found[kind, name].append(tuple(times))
    rows: list[dict[str, Any]] = [
        {"what": f"{kind} {name}", "times": len(times), **_summed(*map(sum, zip(*times, strict=True)))}
        for (kind, name), times in found.items()
    ]
    rows.sort(key=lambda row: -row["seconds"])
    files, fixtures = ([row for row in rows if row["what"].startswith(kind)] for kind in ("file", "fixture"))
    return files[:FILES] + fixtures[:FIXTURES]


def _summed(seconds: float, used: float) -> dict[str, float]:
    return {"seconds": round(seconds, 1), "processor_seconds": round(used, 1)}


def main() -> int:
    """Run the tests and write the table."""
    (options,) = re.findall(r"-m pytest (--numprocesses .* 'not long')", (ROOT / "Makefile").read_text())
    with tempfile.TemporaryDirectory() as folder:
        began, used = perf_counter(), processor()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.suite", *shlex.split(options), *sys.argv[1:]]
        environment = os.environ | {NOTES: folder, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        whole = _summed(perf_counter() - began, processor() - used)
        rows = [{"what": "all", "times": "once", **whole}, *rows_of(Path(folder))]
    RESULTS.write_text(json.dumps({"machine": describe("cpu"), "rows": rows}, indent=1) + "\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

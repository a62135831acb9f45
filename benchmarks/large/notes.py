"""What was measured so far, in a file: a benchmark that was cut off goes on after the last step that ended."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Numbers = dict[str, Any]


@dataclass
class Notes:
    """The steps that ended, with their numbers.

    Args:
        file: where they are kept.
    """

    file: Path

    def __post_init__(self) -> None:
        self.steps: dict[str, Numbers] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def step(self, name: str, work: Callable[[], Numbers]) -> Numbers:
        """Do a step, unless it was done before."""
        if name not in self.steps:
            print(f"{datetime.now(UTC):%H:%M:%S} {name} …", flush=True)
            self.steps[name] = work()
            self.file.write_text(json.dumps(self.steps, indent=2, ensure_ascii=False) + "\n")
        print(f"{datetime.now(UTC):%H:%M:%S} {name}: {self.steps[name]}", flush=True)
        return self.steps[name]


def machine() -> Numbers:
    """Where this runs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = next(
        (line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), ""
    )
    return {
        "cores": os.cpu_count(),
        "processor": model,
        "memory in GiB": round(memory, 1),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "on": datetime.now(UTC).date().isoformat(),
    }

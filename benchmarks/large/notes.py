"""A file of what was measured so far: a benchmark that was cut off goes on after the last step that ended."""

from __future__ import annotations

import json
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

"""The browser client's core as a process: asked in one batch, it answers in order."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import WireError


def ask(core: Path, asked: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers, each ``{"ok": …}`` or ``{"refused": "the reason"}``."""
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = subprocess.run(["node", str(core)], input=lines, text=True, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Script:
    """Entropy by a script; what asks for more than there is was not what the script was made for."""

    def __init__(self, data: bytes) -> None:
        self.data, self.used = data, 0
        self.entropy = Entropy(_source=self.take)

    def take(self, size: int) -> bytes:
        taken = self.data[self.used : self.used + size]
        self.used += size
        if len(taken) != size:
            raise WireError("The script is over.")
        return taken

"""What measurements share: the machine, the dataset, and the fastest of several runs."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from graphldp.errors import DatasetNotFoundError
from graphldp.graphs import GraphSet
from graphldp.machines.local import cores
from graphldp.mechanisms.drawing.backend import backend


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    cpu = platform.processor() or "unknown"
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0] if names else cpu
    return {"cpu": cpu, "cores": cores(), "python": platform.python_version(), "backend": backend().__name__}


def dataset(root: Path | None) -> GraphSet:
    """REDDIT-BINARY, or the embedded threads where it is not at hand."""
    from graphldp.datasets import load_dataset, synthetic

    try:
        return load_dataset("REDDIT-BINARY", root=root, download=False)
    except DatasetNotFoundError:
        return synthetic.threads(num_graphs=2000)


def best(task: Callable[[], object], repeats: int) -> float:
    """The seconds of the fastest of several runs, each of which finds memory tidied up."""
    times = []
    for _ in range(repeats):
        gc.collect()
        began = perf_counter()
        task()
        times.append(perf_counter() - began)
    return min(times)

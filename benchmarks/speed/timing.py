"""What measurements share: the fastest of several runs, peak memory, and how rows are kept."""

from __future__ import annotations

import gc
import json
import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from graphldp.machines.local import describe


def best(task: Callable[[], object], repeats: int = 5) -> float:
    """The seconds of the fastest of several runs, each of which finds memory tidied up."""
    times = []
    for _ in range(repeats):
        gc.collect()
        began = perf_counter()
        task()
        times.append(perf_counter() - began)
    return min(times)


def alone(measured: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """A row that is measured in a process of its own, with its peak memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_with_memory, (measured, *arguments))


def _with_memory(measured: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    row = measured(*arguments)
    scale = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux kilobytes
    return row | {"peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale)}


def keep(rows: Iterable[dict[str, Any]], out: Path, device: str) -> list[dict[str, Any]]:
    """Print rows as they are measured, and write all of them as JSON after each."""
    measured: list[dict[str, Any]] = []
    found = {"machine": describe(device), "rows": measured}
    for row in rows:
        measured.append({key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()})
        out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(measured[-1], flush=True)
    return measured

"""What was measured of speed and size, from benchmarks/results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tools.fill import DOCS, markdown

RESULTS = DOCS.parent / "benchmarks" / "results"
_TRAINING = {
    "graphs": "graphs",
    "method": "program",
    "threads": "threads",
    "seconds_per_epoch": "seconds an epoch",
    "processor_seconds": "processor seconds",
    "peak_mb": "peak MB",
    "ratio": "times our seconds",
    "processor_ratio": "times our processor seconds",
}
# a benchmark's columns: the name in its file → the head in the table
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "randomize": {
        "what": "graphs",
        "users": "users",
        "entries_out": "entries reported",
        "seconds": "seconds",
        "million_entries_per_s": "million entries a second",
        "dense_ratio": "against dense",
        "writing_ns_per_entry": "ns to write one",
    },
    "dense": {"what": "randomized response", "seconds": "seconds", "mb": "MB", "against": "against NumPy"},
    "training": _TRAINING,
    "training-busy": _TRAINING,
    "threads": {
        "graphs": "graphs",
        "users_a_batch": "users in a batch",
        "one_thread": "seconds an epoch, one thread",
        "all_threads": "all threads",
        "ratio": "one over all",
        "ratio_busy": "… on a busy machine",
    },
    "gpu": {
        "graphs": "graphs",
        "seconds_per_epoch": "seconds an epoch",
        "torch_geometric": "torch_geometric's",
        "ratio": "times as fast",
    },
    "recipe": {
        "graphs": "graphs",
        "fit_seconds": "seconds to fit",
        "score_seconds": "to score",
        "accuracy": "accuracy",
        "peak_mb": "peak MB",
    },
    "roofline": {
        "epoch": "epoch of",
        "kernel": "kernel",
        "milliseconds": "milliseconds",
        "share": "share",
        "starts": "starts",
        "gigabytes": "GB of memory",
        "cached_gigabytes": "GB with gathers",
        "gigaoperations": "10⁹ operations",
        "of_memory": "of the memory's speed",
        "of_cache": "of the cache's",
        "of_tensor_cores": "of tensor cores'",
        "of_plain": "of plain arithmetic's",
        "of_starts": "of starts",
        "roof": "nearest roof",
    },
    "variants-gpu": {"variant": "one training", "seconds": "seconds an epoch", "against": "times as it is"},
    "variants-recipe": {
        "variant": "a fit of the recipe",
        "seconds": "seconds",
        "against": "times as it is",
        "accuracy": "accuracy",
    },
    "first-minute": {
        "what": "what",
        "seconds": "seconds",
        "then_seconds": "the second time",
        "processor_seconds": "processor seconds",
    },
    "stacked": {
        "what": "trainings",
        "seconds_per_epoch": "seconds an epoch",
        "trainings_per_minute": "trainings a minute",
        "against_one_by_one": "times one by one",
    },
}


def speed(benchmark: str) -> str:
    """The results of a benchmark that are kept in the repository, and its machine."""
    kept = _kept(benchmark)
    columns = COLUMNS[benchmark]
    rows = [[_shown(row.get(name)) for name in columns] for row in kept["rows"] if {*row} >= {*list(columns)[:2]}]
    machine = ", ".join(f"{key} {value}" for key, value in kept["machine"].items() if key != "backend")
    return f"{markdown(list(columns.values()), rows)}\n\nMachine: {machine}."


def large() -> str:
    """What was measured of a large collection, step by step; a step that is not there was not run."""
    kept = _kept("large")
    rows: list[list[str | None]] = []
    for kind in ("sqlite", "postgresql"):
        for step, numbers in kept[kind].items():
            said = [f"{name}: {_shown(value)}" for name, value in numbers.items() if not isinstance(value, dict)]
            rows.append([kind, step, "; ".join(said)])
    machine = ", ".join(f"{key} {value}" for key, value in kept["machine"].items())
    table = markdown(["database", "step", "numbers"], rows)
    return f"{kept['reports']:,} reports of {kept['communities']:,} communities.\n\n{table}\n\nMachine: {machine}."


def _kept(benchmark: str) -> Any:
    return json.loads((RESULTS / f"{benchmark}.json").read_text(encoding="utf-8"))


def _shown(value: object) -> str | None:
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int | float) else str(value)

"""What was measured of speed and size, from benchmarks/results."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.proof.growth import COSTS
from tools.fill import DOCS, markdown

RESULTS = DOCS.parent / "benchmarks" / "results"
# a benchmark's columns: their names in its file are their heads
COLUMNS = {
    "randomize": "what users entries_out seconds million_entries_per_s dense_ratio writing_ns_per_entry",
    "dense": "what seconds mb against",
    "training": "graphs method threads seconds_per_epoch processor_seconds peak_mb ratio processor_ratio",
    "threads": "graphs users_a_batch one_thread all_threads ratio ratio_busy",
    "gpu": "graphs seconds_per_epoch torch_geometric kept_on_the_GPU ratio ratio_to_kept",
    "recipe": "graphs fit_seconds score_seconds accuracy peak_mb",
    "first-minute": "what processor_seconds compiled seconds",
    "suite": "what times seconds processor_seconds",
    "engines-cpu": "change graphs processor_seconds against",
    "engines-gpu": "change graphs seconds against",
    "stacked": "what seconds_per_epoch trainings_per_minute against_one_by_one",
}


def speed(benchmark: str) -> str:
    """The results of a benchmark that are kept in the repository, and its machine."""
    kept = _kept(benchmark)
    columns = COLUMNS[benchmark].split()
    rows = [[_shown(row.get(name)) for name in columns] for row in kept["rows"] if {*row} >= {*columns[:2]}]
    machine = ", ".join(f"{key} {value}" for key, value in kept["machine"].items() if key != "backend" and value)
    heads = [name.replace("_", " ") for name in columns]
    return f"{markdown(heads, rows)}\n\nMachine: {machine}."


def cost() -> str:
    """What functions cost, and which of it is measured."""
    rows: list[list[str | None]] = [[each.what, each.time, each.memory, each.varied or None] for each in COSTS]
    return markdown(["functions", "time", "memory", "measured"], rows)


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

"""What was measured of speed and size, from benchmarks/results."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.proof.growth import COSTS
from tools.fill import DOCS, markdown

RESULTS = DOCS.parent / "benchmarks" / "results"
CORE_HOUR, GIGABYTE_MONTH = 0.05, 0.10  # euros, of a rented core and of its disk: put your own prices here
REPORTS = (10**6, 10**8, 10**9)
# a benchmark's columns: their names in its file are their heads
COLUMNS = {
    "arrivals": "what collector_microseconds postgresql_microseconds reports_a_second_of_one_core bytes_sent",
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


def capacity() -> str:
    """What a million reports and more take on PostgreSQL, by what each took."""
    arrivals = {row["what"]: row for row in _kept("arrivals")["rows"]}
    kept = _kept("large")
    alone, batched = (arrivals[f"one collector, {how}"] for how in ("one by one", "in batches"))
    disk = kept["postgresql"]["size"]["bytes for each report"] / 1e9
    label, backup = (
        kept["postgresql"][step]["of the processor"] / kept["reports"] / 3600 for step in ("label", "backup")
    )
    hours = [(row["collector_microseconds"] + row["postgresql_microseconds"]) / 1e6 / 3600 for row in (alone, batched)]
    each = {
        "GB on disk": disk,
        "GB received, one by one": alone["bytes_sent"] / 1e9,
        "GB received, in batches": batched["bytes_sent"] / 1e9,
        "core hours to take them, one by one": hours[0],
        "core hours to take them, in batches": hours[1],
        "core hours to label": label,
        "core hours to back up": backup,
        "euros, once: taken in batches, labelled, backed up": (hours[1] + label + backup) * CORE_HOUR,
        "euros a month: disk": disk * GIGABYTE_MONTH,
    }
    rows: list[list[str | None]] = [
        [what, *(f"{count * cost:,.4g}" for count in REPORTS)] for what, cost in each.items()
    ]
    return markdown(["PostgreSQL", *(f"{count:,} reports" for count in REPORTS)], rows)


def _kept(benchmark: str) -> Any:
    return json.loads((RESULTS / f"{benchmark}.json").read_text(encoding="utf-8"))


def _shown(value: object) -> str | None:
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int | float) else str(value)

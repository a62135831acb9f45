"""What measurements share: their folder, and how they are shown and kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import folder, folder_help
from graphldp.files.whole import written_whole

OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help=folder_help("the numbers (JSON) and the picture"), metavar="FOLDER")
]
_LEFT_OUT = ("users", "entries_in", "ns_per_entry", "dense_seconds")  # of the table, which is wide; JSON has all


def measure(
    name: str,
    measured: Iterator[dict[str, Any]],
    out: Path | None,
    as_json: bool,
    picture: Callable[[list[dict[str, Any]], Path], None] | None = None,
) -> None:
    """Show rows as they are measured, then as a table; keep them where a folder is given, each as it comes."""
    from graphldp.benchmarks.timing import machine

    kept = None if out is None else folder(out, "bench")
    rows: list[dict[str, Any]] = []
    found: dict[str, Any] = {"machine": machine(), "rows": rows}
    with console.err.status("measuring") as status:
        for row in measured:
            rows.append(row)
            if kept is not None:
                with written_whole(kept / f"{name}.json") as file:
                    file.write((json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())
            status.update(f"measured {len(rows)}: {next(iter(row.values()))}")
    if kept is not None and picture is not None:
        picture(rows, kept)
    if as_json:
        console.show_one(found, as_json=True)
        return
    keys = list(dict.fromkeys(key for row in rows for key in row if key not in _LEFT_OUT))
    console.show([{key: row.get(key) for key in keys} for row in rows], as_json=False)
    console.show_one(found["machine"], as_json=False)

"""What the commands share: a table or JSON on standard output, progress and notes on standard error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of a table.")]

out = Console()
err = Console(stderr=True)


def show(rows: Sequence[Mapping[str, Any]], *, as_json: bool, title: str | None = None) -> None:
    """Print rows with the same keys as a table, or as a JSON list."""
    if as_json:
        print(json.dumps(list(rows), ensure_ascii=False))
        return
    table = Table(title=title, title_justify="left")
    for position, key in enumerate(rows[0] if rows else ()):
        table.add_column(key, justify="left" if position == 0 else "right")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)


def show_one(row: Mapping[str, Any], *, as_json: bool) -> None:
    """Print one mapping as lines, or as a JSON object."""
    if as_json:
        print(json.dumps(dict(row), ensure_ascii=False))
        return
    table = Table.grid(padding=(0, 2))
    for key, value in row.items():
        table.add_row(f"[bold]{key}[/bold]", _cell(value))
    out.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))

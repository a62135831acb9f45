"""What the commands share: a table or JSON on standard output, progress and notes on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Annotated, Any, Literal

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from graphldp.files.text import printable

JSON: Any = typer.Option("--json", help="Print JSON for scripts instead of a table.")
JsonOption = Annotated[bool, JSON]


class SafeConsole(Console):
    """A console whose terminal obeys rich alone: an escape sequence inside a text is spelled out, not sent."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with every piece of text made printable."""
        for piece in super().render(renderable, options):
            if piece.control:
                yield piece
            else:
                lines = piece.text.split("\n")
                yield piece._replace(text="\n".join(printable(line) for line in lines))


out = SafeConsole(emoji=False)  # a community may be called :cat:, and is not a picture of one
err = SafeConsole(stderr=True, emoji=False)


def show_json(value: object) -> None:
    """Print JSON for scripts: names stay readable, and what cannot be seen or written is escaped as JSON does."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value)
    print("".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text), flush=True)


def show(
    rows: Sequence[Mapping[str, Any]], *, as_json: bool, title: str | None = None, whole: Collection[str] = ()
) -> None:
    """Print rows with the same keys as a table, or as a JSON list; the columns named in ``whole`` are never folded."""
    if as_json:
        show_json(list(rows))
        return
    table = Table(title=title, title_justify="left")
    for position, key in enumerate(rows[0] if rows else ()):
        # a long word goes on in the next line: what is cut off cannot be read anywhere
        side: Literal["left", "right"] = "left" if position == 0 else "right"
        table.add_column(key, justify=side, overflow="fold", no_wrap=key in whole)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)


def show_one(row: Mapping[str, Any], *, as_json: bool) -> None:
    """Print one mapping as lines, or as a JSON object."""
    if as_json:
        show_json(dict(row))
        return
    width = max(map(len, row), default=0)
    for key, value in row.items():
        start, room = f"[bold]{key:<{width}}[/bold]  ", out.width - width - 2
        for line in _lines(_cell(value), room):
            alone = out.is_terminal and len(line) > room  # one long word, which fits a line of its own
            out.print(f"{start}\n{line}" if alone else f"{start}{line}", highlight=False, soft_wrap=True)
            start = " " * (width + 2)


def _lines(text: str, room: int) -> list[str]:
    """Text for a terminal in lines, cut between words: a digest or a path that is cut in two cannot be copied."""
    return (
        wrap(text, max(room, 20), break_long_words=False, break_on_hyphens=False)
        if out.is_terminal and text
        else [text]
    )


def promised(certified: int | None, *, as_json: bool) -> int | str | None:
    """How many users cannot change a label: a number for scripts, words for people."""
    from graphldp.neighbour_lists.labels import promise

    return certified if as_json or certified is None else promise(certified)


def in_ranges(slots: list[int]) -> str:
    """Sorted slots as people write them: 0–3, 7."""
    ranges: list[list[int]] = []
    for slot in slots:
        if ranges and slot == ranges[-1][1] + 1:
            ranges[-1][1] = slot
        else:
            ranges.append([slot, slot])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else escape(printable(value))

"""Tables as HTML text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    *,
    text: Sequence[int] = (),
    best: Collection[tuple[int, int]] = (),
) -> str:
    """A table that scrolls sideways where it is wider than the page.

    Args:
        head: the columns' names.
        rows: cells as text; None is a dash.
        text: columns of running text, which wrap and stand to the left.
        best: cells in bold, by row and column.
    """
    kinds = [' class="text"' if place in text else "" for place in range(len(head))]
    columns = "".join(f'<th scope="col"{kind}>{escape(each)}</th>' for kind, each in zip(kinds, head, strict=True))
    lines = []
    for place, row in enumerate(rows):
        shown = ["–" if value is None else escape(value) for value in row]
        shown = [f"<b>{value}</b>" if (place, column) in best else value for column, value in enumerate(shown)]
        cells = "".join(f"<td{kind}>{value}</td>" for kind, value in zip(kinds, shown, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    return f'<div class="scroll"><table><thead><tr>{columns}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def number(value: float | None) -> str | None:
    """A number as people write it: whole ones with commas, others with three or four digits."""
    if value is None:
        return None
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"


def seconds(value: float) -> str:
    """A span of time."""
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    if value < 120:
        return f"{value:.3g} s"
    return f"{value / 60:.3g} min" if value < 7200 else f"{value / 3600:.3g} h"


def size(value: float) -> str:
    """A number of bytes."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.3g} {unit}"
        value /= 1000
    raise AssertionError

"""Tables, and what a section of the page consists of."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from graphldp.experiments.summary import Point
from graphldp.learn.metrics import Summary

INTERVAL = "mean and 95 % interval"


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


def as_interval(found: Summary | None) -> str:
    """A mean with its 95 % interval."""
    if found is None:
        return "–"
    return f"{found.mean:.3f}" + ("" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]")


def ends(found: Summary) -> tuple[float, float] | None:
    """The interval, None where there is none."""
    return None if math.isnan(found.low) else (found.low, found.high)


def cell(point: Point | None, name: str = "accuracy") -> str | None:
    """What the seeds say of a point, or why there is nothing yet."""
    found = None if point is None else point.summary(name)
    if point is None or found is not None:
        return None if point is None else as_interval(found)
    return point.notes[0].split(":")[0] if point.notes else "not yet"


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


@dataclass(frozen=True)
class Section:
    """An experiment's part of the page.

    Args:
        charts: (name, caption, SVG); the name is the file's where charts are written as files.
        body: what stands below the charts, as HTML.
    """

    charts: list[tuple[str, str, str]]
    body: str

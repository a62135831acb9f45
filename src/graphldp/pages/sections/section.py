"""What a section of the page consists of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """An experiment's part of the page.

    Args:
        charts: (name, caption, SVG); the name is the file's where charts are written as files.
        body: what stands below the charts, as HTML.
    """

    charts: list[tuple[str, str, str]]
    body: str

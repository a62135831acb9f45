"""Cells that a spreadsheet shows and does not compute."""

from __future__ import annotations

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet computes


def as_text(cell: str) -> str:
    """A cell that is text everywhere: with an apostrophe before it where it would be computed."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULAS) else cell

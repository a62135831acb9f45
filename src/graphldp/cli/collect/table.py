"""A table of users: a CSV file with a header, whose first column has their names."""

from __future__ import annotations

import csv
from pathlib import Path

from graphldp.errors import FormatError


def read_column(path: Path, column: str) -> tuple[list[str], list[str]]:
    """The names in the first column, and what stands beside them in the column of this name; empty where nothing does.

    Raises:
        FormatError: for a file that has no such column, or is none.
    """
    try:
        rows = [cells for cells in csv.reader(read_text(path).splitlines(), strict=True) if cells]
    except csv.Error as error:
        raise FormatError(f"{path}: not a CSV file ({error}).") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    if column not in header[1:]:
        raise FormatError(f"{path}: must be a CSV file whose header has a column '{column}' after that of the names.")
    place = header.index(column, 1)
    if short := next((row for row, cells in enumerate(rows, 1) if len(cells) < len(header)), None):
        cells = f"{len(rows[short - 1])} of {len(header)} cells"
        raise FormatError(f"{path}: row {short} has {cells}. Was the file cut off?")
    return [cells[0].strip() for cells in rows[1:]], [cells[place].strip() for cells in rows[1:]]


def read_text(path: Path) -> str:
    """A file's text.

    Raises:
        FormatError: for one that is not in UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not text in UTF-8.") from None

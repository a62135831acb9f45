"""A roster from text: one name per line, a JSON list, or a CSV table whose first column has the names."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphldp.errors import FormatError

_HEADER = re.compile(r"\ufeff?name\s*[,;\t]", re.IGNORECASE)  # what no user is called


@dataclass(frozen=True)
class Roster:
    """Who is in a community, in the order of their slots.

    Args:
        names: of the users.
        groups: in which public group each of them is, where friends are counted by group.
    """

    names: Sequence[str]
    groups: Sequence[str] | None = None


def read_roster(text: str, source: str, *, table: bool = False, groups: str | None = None) -> Roster:
    """A roster from text.

    Args:
        text: one name per line, or a JSON list of names; a CSV table where ``table`` or ``groups`` says so.
        source: what an error calls it.
        table: whether it is a CSV table. Its header must begin with ``name``, so that nobody is taken for a header.
        groups: the column of a CSV table that says in which group each user is.

    Raises:
        FormatError: for what is none of these. It names a row, and nobody.
    """
    if groups is not None:
        names, told = read_column(text, groups, source)
        if "" in told:
            raise FormatError(f"{source}: everybody must be in one group, and row {told.index('') + 2} has none.")
        return Roster(names, told)
    if table:
        return Roster(_first_column(text, source))
    if text.lstrip().startswith("["):
        return Roster(_json(text, source))
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if names and _HEADER.match(names[0]):
        raise FormatError(f"{source}: begins like a CSV table, and the name of such a file must end in .csv.")
    return Roster(names)


def read_column(text: str, column: str, source: str) -> tuple[list[str], list[str]]:
    """The names in the first column, and what stands beside them in the column of this name; empty where nothing does.

    Raises:
        FormatError: for a text that has no such column, or is no table.
    """
    header, rows = _table(text, source)
    if column not in header[1:]:
        raise FormatError(f"{source}: must be a CSV file whose header has a column '{column}' after that of the names.")
    place = header.index(column, 1)
    return [cells[0].strip() for cells in rows], [cells[place].strip() for cells in rows]


def _first_column(text: str, source: str) -> list[str]:
    header, rows = _table(text, source)
    if not header or header[0].lower() != "name":
        raise FormatError(f"{source}: a CSV file must have a header whose first column is called 'name'.")
    return [cells[0].strip() for cells in rows]


def _table(text: str, source: str) -> tuple[list[str], list[list[str]]]:
    """The header of a CSV table, and its rows, all of which are as long."""
    try:
        rows = [cells for cells in csv.reader(text.splitlines(), strict=True) if cells]
    except csv.Error as error:
        raise FormatError(f"{source}: not a CSV file ({error}).") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    if short := next((row for row, cells in enumerate(rows, 1) if len(cells) < len(header)), None):
        cells = f"{len(rows[short - 1])} of {len(header)} cells"
        raise FormatError(f"{source}: row {short} has {cells}. Was the file cut off?")
    return header, rows[1:]


def _json(text: str, source: str) -> list[str]:
    try:
        names = json.loads(text)
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{source}: neither one name per line nor a JSON list of names.")
    return names

"""The user's friends, from a file of hers, as numbers of the community's roster.

Read are: text, one name a line; CSV, by a column called name, account, handle, user or friend, else the first; JSON, a
list of names or of objects with such a field; Mastodon's ``following_accounts.csv``; and Bluesky's answer to
``app.bsky.graph.getFollows``, an object with such a list as ``follows``. Names are compared without regard to case, an
@ in front, and the ways Unicode has to write one letter. Who is not in the roster is counted, and named nowhere: not on
screen, not in an error, not to the collector.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, FormatError
from graphldp.wire import plain

_COLUMNS = ("account address", "account", "acct", "address", "name", "username", "handle", "user", "friend")
_SEPARATORS = (";", "\t", "|")


@dataclass(frozen=True)
class Matched:
    """Friends who are in the roster.

    Args:
        neighbours: their numbers, sorted.
        unmatched: how many of the file's names are not in the roster.
        cause: why so few match, where that can be guessed.
    """

    neighbours: NDArray[np.int32] = field(repr=False)
    unmatched: int
    cause: str | None = None


def read_names(path: Path) -> list[str]:
    """The names in a file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: must be a text file in UTF-8.") from None
    if path.suffix.lower() == ".json":
        return _from_json(text, path)
    if path.suffix.lower() == ".csv":
        return _from_csv(text, path)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def numbered(roster: Sequence[str]) -> dict[str, int]:
    """The numbers of a roster's names, as names are compared.

    Raises:
        DataError: where two of them are one name by that.
    """
    numbers: dict[str, int] = {}
    for number, name in enumerate(roster):
        if numbers.setdefault(plain(name), number) != number:
            raise DataError("The roster holds two names that differ only in case or spelling of letters.")
    return numbers


def match(names: Iterable[str], roster: Sequence[str], user: int) -> Matched:
    """Look names up in the roster; the user's own name is dropped."""
    numbers = numbered(roster)
    wanted = {plain(name) for name in names} - {plain(roster[user]), ""}
    found = sorted(numbers[name] for name in wanted if name in numbers)
    missing = wanted - numbers.keys()
    return Matched(np.array(found, np.int32), len(missing), _cause(bool(found), missing, numbers.keys()))


def _cause(found: bool, missing: Set[str], roster: Set[str]) -> str | None:
    """What is likely wrong with a file of which names are missing; no name is repeated."""
    if not missing:
        return None if found else "The file holds no names."
    split = sum(any(mark in name for mark in _SEPARATORS) for name in missing)
    if 2 * split > len(missing):
        return "Its lines look like several columns: a semicolon or a tab stands in them. Use commas, or a name a line."
    hosts = {name.split("@")[0] for name in roster}
    same = sum(name.split("@")[0] in hosts for name in missing)
    if same:
        return f"{same:,} more would match but for the host: one side writes user@host, the other user or another host."
    return None if found else "No name is in the roster: is it the file of another account or network?"


def _from_csv(text: str, path: Path) -> list[str]:
    try:
        rows = [row for row in csv.reader(text.splitlines(), strict=True) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise FormatError(f"{path}: not a CSV file ({error}).") from None
    if not rows:
        return []
    header = [cell.strip().lower() for cell in rows[0]]
    column = next((header.index(name) for name in _COLUMNS if name in header), None)
    body = rows if column is None else rows[1:]
    return [row[column or 0] for row in body if len(row) > (column or 0)]


def _from_json(text: str, path: Path) -> list[str]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: not JSON.") from None
    if isinstance(values, dict):
        values = values.get("follows")
    if not isinstance(values, list):
        raise FormatError(f"{path}: must be a list of names, or of objects with a field such as 'name'.")
    return [_name_of(value, path) for value in values]


def _name_of(value: Any, path: Path) -> str:
    if isinstance(value, dict):
        value = next((value[name] for name in _COLUMNS if name in value), None)
    if not isinstance(value, str):
        raise FormatError(f"{path}: must be a list of names, or of objects with a field such as 'name'.")
    return value

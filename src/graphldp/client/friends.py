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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any

from graphldp.errors import FormatError
from graphldp.wire import plain
from graphldp.wire.roster import LONGEST_NAME

_COLUMNS = ("account address", "account", "acct", "address", "name", "username", "handle", "user", "friend")
_SEPARATORS = (";", "\t", "|")
_LONGEST = 10 * LONGEST_NAME  # of a name in the file, which may be spelled in more characters than a roster's


@dataclass(frozen=True)
class Matched:
    """Friends who are in the roster.

    Args:
        neighbours: their numbers, sorted.
        unmatched: how many of the file's names are not in the roster.
        cause: why so few match, where that can be guessed.
    """

    neighbours: tuple[int, ...] = field(repr=False)
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


def find(part: str, roster: Sequence[str]) -> list[str]:
    """The names of the roster that have this in them, as names are compared."""
    return [name for name in roster if plain(part) in plain(name)]


def numbered(roster: Sequence[str]) -> dict[str, int]:
    """The numbers of a roster's names, as names are compared."""
    return {plain(name): number for number, name in enumerate(roster)}


def match(names: Iterable[str], numbers: Mapping[str, int], user: int) -> Matched:
    """Look names up among those of a roster; the user's own name is dropped.

    Whichever of them match, the same is done for each, in the same memory: else a roster that is made for it would
    tell by the time or the memory that this takes who is a friend.
    """
    n, hosts = len(numbers), {name.split("@")[0] for name in numbers}
    wanted = {plain(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}\0") for name in names} - {""}
    inside = bytearray(n + 1)
    missing = split = same = 0
    for name in wanted:
        number = numbers.get(name, n)
        inside[number] = 1
        missing += number == n
        split += any(mark in name for mark in _SEPARATORS) & (number == n)
        same += (name.split("@")[0] in hosts) & (number == n)
    inside[user] = inside[n] = 0
    neighbours = tuple(compress(range(n), inside))
    return Matched(neighbours, missing, _cause(bool(neighbours), missing, split, same))


def _cause(found: bool, missing: int, split: int, same: int) -> str | None:
    """What is likely wrong with a file of which names are missing; no name is repeated.

    Args:
        found: whether any is in the roster.
        missing: how many are not.
        split: in how many of these a separator stands.
        same: how many of them would be in the roster but for their host.
    """
    if not missing:
        return None if found else "The file holds no names."
    if 2 * split > missing:
        return "Its lines look like several columns: a semicolon or a tab stands in them. Use commas, or a name a line."
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

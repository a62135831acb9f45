"""A roster from text: one name per line, a JSON list, or a CSV table whose first column has the names."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import FailFast, TypeAdapter, ValidationError

from graphldp.errors import FormatError
from graphldp.wire.roster import LONGEST_NAME

MOST_NAMES = 4_000_000  # a longer roster is more than a client reads
_MOST_CELLS = 1000  # of a row
_MOST_LISTS = 1_000_000  # brackets in names; a list of lists is refused when it is parsed
_LONGEST = 4 * LONGEST_NAME  # of a name before it is normalized, which makes one of four characters at most
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NAMES = TypeAdapter(Annotated[list[str], FailFast()])
_NAMED = ("name", "account address")  # of the first column; the second in what Mastodon exports
_BARE = re.compile(r"@?[A-Za-z0-9_.-]+")  # an account's name without its host; people's names are seldom one such word
_HEADER = re.compile(r"\ufeff?name\s*[,;\t]", re.IGNORECASE)  # what no user is called


@dataclass(frozen=True)
class Roster:
    """The names of users in the order of their slots, and their groups where friends are counted by group."""

    names: Sequence[str]
    groups: Sequence[str] | None = None


def read_roster(text: str, source: str, *, table: bool = False, groups: str | None = None) -> Roster:
    """A roster from text.

    Args:
        text: one name per line, or a JSON list of names; a CSV table where ``table`` or ``groups`` says so.
        source: what an error calls it.
        table: whether it is a CSV table. Its header must begin with ``name``, so that nobody is taken for a header.
        groups: the column of a CSV table that says in which group each user is.
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
    names = [_name(line) for line in _lines(text, source) if line.strip()]
    if names and _HEADER.match(names[0]):
        raise FormatError(f"{source}: begins like a CSV table, and the name of such a file must end in .csv.")
    return Roster(names)


def read_column(text: str, column: str, source: str) -> tuple[list[str], list[str]]:
    """The names in the first column, and the text beside them in another column; empty where there is none."""

    def places(header: list[str]) -> list[int]:
        if column not in header[1:]:
            raise FormatError(
                f"{source}: must be a CSV file whose header has a column '{column}' after that of the names."
            )
        return [0, header.index(column, 1)]

    names, told = _columns(text, source, places)
    return [_name(name) for name in names], told


def read_rosters(text: str, source: str, *, groups: str | None = None) -> dict[str, tuple[Roster, str | None]]:
    """The rosters of many communities, and their classes where these are known, by the communities' ids.

    Args:
        text: a CSV table with a row for each member: columns ``community`` and ``member``, and ``class`` where known.
        source: what an error calls it.
        groups: the column that says in which group each member is.
    """
    wanted = ["community", "member", *([groups] if groups else [])]
    known = False

    def places(header: list[str]) -> list[int]:
        nonlocal known
        for column in wanted:
            if column not in header:
                raise FormatError(f"{source}: must be a CSV file whose header has a column '{column}'.")
        known = "class" in header
        return [header.index(column) for column in [*wanted, *(["class"] if known else [])]]

    columns = _columns(text, source, places)
    members: dict[str, list[int]] = {}
    for row, id in enumerate(columns[0]):
        members.setdefault(id, []).append(row)
    found = {}
    for id, rows in members.items():
        names = [_name(columns[1][row]) for row in rows]
        grouped = [columns[2][row] for row in rows] if groups else None
        if grouped is not None and "" in grouped:
            at = rows[grouped.index("")] + 2
            raise FormatError(f"{source}: everybody must be in one group, and row {at} has none.")
        classes = {columns[-1][row] for row in rows} - {""} if known else set()
        if len(classes) > 1:
            raise FormatError(f"{source}: the community '{id}' has two classes, first in row {rows[0] + 2}.")
        found[id] = Roster(names, grouped), next(iter(classes), None)
    if not found:
        raise FormatError(f"{source}: names no community.")
    return found


def completed(roster: Roster, host: str | None) -> Roster:
    """The roster, with a host after each name that has none: ann becomes ann@social.example."""
    if host is None:
        return roster
    return replace(roster, names=[name if "@" in name[1:] else f"{name}@{host}" for name in roster.names])


def bare(roster: Roster) -> list[str]:
    """The names that look like an account's without its host."""
    return [name for name in roster.names if _BARE.fullmatch(name)]


def _name(written: str) -> str:
    """A name as rosters have it: in one of Unicode's ways to write it, without the spaces around it."""
    name = written.strip()
    # whoever checks names refuses a longer one; to normalize it takes the square of the accents in a row
    return unicodedata.normalize("NFC", name) if len(name) <= _LONGEST else name


def _first_column(text: str, source: str) -> list[str]:
    def places(header: list[str]) -> list[int]:
        if not header or header[0].lower() not in _NAMED:
            raise FormatError(f"{source}: a CSV file must have a header whose first column is called 'name'.")
        return [0]

    return [_name(name) for name in _columns(text, source, places)[0]]


def _columns(text: str, source: str, places: Callable[[list[str]], list[int]]) -> list[list[str]]:
    """The columns of a CSV table that its header says; all of its rows are as long. No other cell is kept."""
    commas = 0

    def lines() -> Iterator[str]:
        nonlocal commas
        for line in _lines(text, source):
            commas += line.count(",")
            if commas > _MOST_CELLS:
                raise FormatError(f"{source}: a row has more than {_MOST_CELLS} cells.")
            yield line

    header: list[str] | None = None
    wanted: list[int] = []
    found: list[list[str]] = []
    try:
        for row, cells in enumerate(filter(None, csv.reader(lines(), strict=True)), 1):
            commas = 0
            if header is None:
                header = [cell.strip() for cell in cells]
                wanted = places(header)
                found = [[] for _ in wanted]
                continue
            if len(cells) < len(header):
                had = f"{len(cells)} of {len(header)} cells"
                raise FormatError(f"{source}: row {row} has {had}. Was the file cut off?")
            for place, column in zip(wanted, found, strict=True):
                column.append(cells[place].strip())
    except csv.Error as error:
        raise FormatError(f"{source}: not a CSV file ({error}).") from None
    return found if header is not None else [[] for _ in places([])]


def _lines(text: str, source: str) -> list[str]:
    """The lines of a text, which are counted before any is kept."""
    if sum(map(text.count, _LINE_ENDS)) > 2 * MOST_NAMES:  # a line may end in two of them
        raise FormatError(f"{source}: a roster has at most {MOST_NAMES:,} names.")
    return text.splitlines()


def _json(text: str, source: str) -> list[str]:
    if text.count(",") > MOST_NAMES or max(text.count("["), text.count("{")) > _MOST_LISTS:
        raise FormatError(f"{source}: a roster has at most {MOST_NAMES:,} names.")
    try:
        return _NAMES.validate_json(text)
    except ValidationError:
        raise FormatError(f"{source}: neither one name per line nor a JSON list of names.") from None

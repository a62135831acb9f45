"""Graphs as two tables of text: a row for each edge, and a row for each label.

Both are CSV, with commas, semicolons or tabs, and begin with the names of their columns. Users and graphs may be called
anything. They are numbered in the order of their names, and numbers in the order of numbers. An error names file and
line, never what the line says: an edge is private.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import FormatError

Ints = NDArray[np.int64]


def read_edges(
    edges: str | os.PathLike[str], labels: str | os.PathLike[str] | None, missing: int
) -> tuple[Ints, Ints, Ints, Ints | None, Ints | None]:
    """Read a file of edges, and one of labels where it is given.

    Args:
        edges: columns ``source`` and ``target``, and for several graphs ``graph``. A row without a target names a user
            who has no friend.
        labels: columns ``graph`` and ``label``; or ``user`` and ``label`` for labels of users, and for several graphs
            ``graph``. Labels that are words are numbered in the order of the alphabet.
        missing: stands for a label that is not given.

    Returns:
        Both ends of each edge, users numbered through all graphs, without self-loops; users in each graph; and one
        label for each graph, then one for each user, or None.

    Raises:
        FormatError: naming file and line, for what is no such table.
    """
    one, two, graph = _columns(edges, ("source", "target"), "graph", blank="target")
    label, of_graph, of_user = ([], [], []) if labels is None else _columns(labels, ("label",), "graph", "user")
    names, where = _numbered(graph)
    count, lonely = len(one), np.array([not each for each in two], np.bool_)
    more_users, more_graphs = (of_user, of_graph) if any(of_user) else ([], [])
    user_graph = np.concatenate((where, where, _places(more_graphs, names, labels)))
    called, code = _numbered([*one, *(b or a for a, b in zip(one, two, strict=True)), *more_users])
    users, number = np.unique(user_graph * max(len(called), 1) + code, return_inverse=True)
    sizes = np.bincount(users // max(len(called), 1), minlength=len(names))
    source, target, rest = np.split(number, (count, 2 * count))
    kept = ~lonely & (source != target)
    graph_labels = user_labels = None
    if any(of_user):
        user_labels = _once(rest, _label_numbers(label), len(users), missing, labels)
    elif labels is not None:
        graph_labels = _once(_places(of_graph, names, labels), _label_numbers(label), len(names), missing, labels)
    return source[kept], target[kept], sizes, graph_labels, user_labels


def _columns(
    path: str | os.PathLike[str], needed: Sequence[str], *also: str, blank: str | None = None
) -> tuple[list[str], ...]:
    """The columns that a table must have and may have, empty text for those that are not there.

    Only cells of the column ``blank`` may be empty.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{path}: there is no such file.") from None
    except (UnicodeDecodeError, IsADirectoryError):
        raise FormatError(f"{path}: no table of text.") from None
    lines = text.splitlines()
    head = lines[0] if lines else ""
    delimiter = max(",;\t", key=head.count)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter, strict=True)]
    except csv.Error:
        raise FormatError(f"{path}: no table of text: quotes are not closed.") from None
    names = [each.lower() for each in rows[0]] if rows else []
    if any(names.count(each) != 1 for each in needed):
        raise FormatError(f"{path}: needs columns {' and '.join(needed)}, named in its first line.")
    places = [names.index(each) if each in names else None for each in (*needed, *also)]
    filled = [place for place in places if place is not None and names[place] != blank]
    for line, row in enumerate(rows[1:], start=2):
        if row and (len(row) != len(names) or not all(row[place] for place in filled)):
            raise FormatError(f"{path}: line {line} must hold {len(names)} cells, none of them empty.")
    body = [row for row in rows[1:] if row]
    return tuple(["" if place is None else row[place] for row in body] for place in places)


def _numbered(names: Sequence[str]) -> tuple[list[str], Ints]:
    """All names in their order, whole numbers by size and words by the alphabet, and the number of each given one."""
    by_size: Any = (lambda name: (int(name), name)) if all(map(_is_whole, set(names))) else None
    distinct = sorted(set(names), key=by_size)
    number = {name: place for place, name in enumerate(distinct)}
    return distinct, np.array([number[name] for name in names], np.int64)


def _is_whole(name: str) -> bool:
    return len(name) < 19 and name.removeprefix("-").isascii() and name.removeprefix("-").isdigit()


def _places(graphs: Sequence[str], names: Sequence[str], path: object) -> Ints:
    """The number of each graph that labels name; the only graph where they name none."""
    number = {name: place for place, name in enumerate(names)}
    if not any(graphs) and len(names) == 1:
        return np.zeros(len(graphs), np.int64)
    for line, graph in enumerate(graphs, start=2):
        if graph not in number:
            raise FormatError(f"{path}: row {line} is about a graph that the edges do not name in a column graph.")
    return np.array([number[graph] for graph in graphs], np.int64)


def _label_numbers(labels: Sequence[str]) -> Ints:
    """Whole numbers as they are; words by their place in the alphabet."""
    if all(_is_whole(each) for each in set(labels)):
        return np.array([int(each) for each in labels], np.int64)
    return _numbered(labels)[1]


def _once(places: Ints, labels: Ints, count: int, missing: int, path: object) -> Ints:
    """A label for each place; an error where one has two."""
    found = np.full(count, missing)
    twice = np.bincount(places, minlength=count) > 1
    if twice.any():
        row = int(np.flatnonzero(twice[places])[1])
        raise FormatError(f"{path}: row {row + 2} gives a second label to what has one.")
    found[places] = labels
    return found

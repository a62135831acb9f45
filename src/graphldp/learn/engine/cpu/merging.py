"""Rows of a batch for colours that several of its graphs share."""

from __future__ import annotations

import numpy as np
from numba import njit

from graphldp.learn.engine.cpu.placing import Places, first_rows, plain
from graphldp.learn.engine.cpu.tiles import Entries, Floats
from graphldp.learn.engine.packed.store import Pointers


@njit(nogil=True, cache=True)
def _turned(crow: Pointers, col: Places, val: Floats, columns: int) -> Entries:
    """The transpose of a matrix."""
    turned = np.zeros(columns + 1, np.int64)
    row_of, val_of = np.empty_like(col), np.empty_like(val)
    for entry in range(len(col)):
        turned[col[entry] + 1] += 1
    for column in range(columns):
        turned[column + 1] += turned[column]
    after = turned.copy()
    for row in range(len(crow) - 1):
        for entry in range(crow[row], crow[row + 1]):
            place = after[col[entry]]
            row_of[place], val_of[place] = row, val[entry]
            after[col[entry]] += 1
    return plain(turned, row_of, val_of)


@njit(nogil=True, cache=True)
def merged(
    graphs: Pointers, ends: Pointers, colour: Places, counts: Floats, mark: int, seen: Places, place: Places
) -> tuple[Pointers, Floats, Entries, Entries]:
    """Give each colour of a batch a row: a packed row of its colour, its users, the readout and its transpose.

    Args:
        graphs: of the batch.
        ends: where each graph's packed rows begin.
        colour: of each packed row.
        counts: users of each packed row.
        mark: a number for this batch.
        seen: of each colour, the mark of the batch that saw it last.
        place: becomes the row of each colour of the batch.
    """
    first = first_rows(graphs, ends)
    source, col = np.empty(first[-1], np.int64), np.empty(first[-1], np.int32)
    total, val = np.empty(first[-1], counts.dtype), np.empty(first[-1], counts.dtype)
    rows, entry = 0, 0
    for graph in graphs:
        for packed in range(ends[graph], ends[graph + 1]):
            own = colour[packed]
            if seen[own] != mark:
                seen[own], place[own], source[rows], total[rows] = mark, rows, packed, 0
                rows += 1
            total[place[own]] += counts[packed]
            col[entry], val[entry] = place[own], counts[packed]
            entry += 1
    return source[:rows], total[:rows], plain(first, col, val), _turned(first, col, val, rows)


@njit(nogil=True, cache=True)
def copied(
    source: Pointers, crow: Pointers, columns: Places, values: Floats, place: Places, rows: int
) -> tuple[Entries, Entries]:
    """The entries of some packed rows over merged ones, and their transpose.

    ``columns`` are the colour of each entry's column, ``place`` the merged row of each colour; there are ``rows``.
    """
    begin = np.zeros(len(source) + 1, np.int64)
    for row in range(len(source)):
        begin[row + 1] = begin[row] + crow[source[row] + 1] - crow[source[row]]
    col, val = np.empty(begin[-1], np.int32), np.empty(begin[-1], values.dtype)
    for row in range(len(source)):
        shift = crow[source[row]] - begin[row]
        for entry in range(begin[row], begin[row + 1]):
            col[entry], val[entry] = place[columns[entry + shift]], values[entry + shift]
    return plain(begin, col, val), _turned(begin, col, val, rows)

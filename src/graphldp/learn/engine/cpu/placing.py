"""Which packed rows a batch has, and which entries of the packed graphs each of them sums up, read where they lie."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.tiles import Entries, Floats
from graphldp.learn.engine.packed.store import Pointers

Places = NDArray[np.int32]


@njit(nogil=True, cache=True)
def plain(crow: Pointers, col: Places, val: Floats) -> Entries:
    """A matrix whose rows lie one after the other."""
    return crow[:-1], crow[1:], np.zeros(len(crow) - 1, np.int32), col, val


@njit(nogil=True, cache=True)
def first_rows(graphs: Pointers, ends: Pointers) -> Pointers:
    """Where each graph's rows begin; the last block is filling, of which a single model needs none."""
    first = np.zeros(len(graphs) + 2, np.int64)
    for place in range(len(graphs)):
        first[place + 1] = first[place] + ends[graphs[place] + 1] - ends[graphs[place]]
    first[-1] = first[-2]
    return first


@njit(nogil=True, cache=True)
def placed(
    graphs: Pointers, ends: Pointers, counts: Floats
) -> tuple[Pointers, Floats, Pointers, Places, Entries, Entries]:
    """The rows of a batch, each a packed row, and their users.

    Then where each graph's rows begin, and the graph of each row; the readout, and its transpose.
    """
    first = first_rows(graphs, ends)
    rows = first[-1]
    source, graph, own = np.empty(rows, np.int64), np.empty(rows, np.int32), np.empty(rows, counts.dtype)
    for place in range(len(graphs)):
        shift = ends[graphs[place]] - first[place]
        for row in range(first[place], first[place + 1]):
            graph[row], source[row], own[row] = place, row + shift, counts[row + shift]
    every = np.arange(rows + 1)
    return source, own, first, graph, plain(first, every.astype(np.int32), own), plain(every, graph, own)


@njit(nogil=True, cache=True)
def pointed(source: Pointers, graph: Places, crow: Pointers, first: Pointers) -> tuple[Pointers, Pointers, Places]:
    """Of each row of a batch: where its entries begin and end, and where its graph's columns begin in the batch."""
    begin, end, offset = np.empty_like(source), np.empty_like(source), np.empty_like(graph)
    for row in range(len(source)):
        begin[row], end[row] = crow[source[row]], crow[source[row] + 1]
        offset[row] = first[graph[row]]
    return begin, end, offset

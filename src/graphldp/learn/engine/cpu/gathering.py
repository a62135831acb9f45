"""Batches of one training on a CPU.

The packed graphs (:mod:`graphldp.learn.engine.packed.store`) have a row for each colour of each graph. In the first
rounds many graphs have colours in common, and rows of one colour become one row of the batch: their users are added up,
and rows that aggregated over any of them aggregate over it (:mod:`graphldp.learn.engine.cpu.merging`). In later rounds
nearly all colours differ. There a batch is a table of where its rows lie among the packed graphs, and no entry is
copied (:mod:`graphldp.learn.engine.cpu.placing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from graphldp.learn.engine.cpu.merging import copied, merged
from graphldp.learn.engine.cpu.placing import placed, pointed
from graphldp.learn.engine.cpu.sharing import ahead
from graphldp.learn.engine.cpu.tiles import Entries, Floats
from graphldp.learn.engine.packed.store import Blocks, GraphStore, Pointers


class Ways(NamedTuple):
    """A sparse matrix and its transpose."""

    there: Entries
    back: Entries


@dataclass(frozen=True)
class HostRows:
    """The rows of a batch after one round: users of each, rows of each graph and of an empty one, and the matrices."""

    counts: Floats
    readout: Ways
    matrices: tuple[Ways, ...]


@dataclass(frozen=True)
class HostBatch:
    """Graphs of one model, as :class:`graphldp.learn.engine.rows.RowBatch` has those of several."""

    features: Floats
    rounds: tuple[HostRows, ...]
    users: Floats
    summaries: Floats


class _Round:
    """The rows of all graphs after one round, and those of the batch at hand."""

    def __init__(self, store: GraphStore, k: int) -> None:
        self._round, self.merges = store.rounds[k], k < len(store.colours)
        self._ends = np.append(self._round.row_ptr, self._round.row_ptr[-1])  # the graph past the last one is empty
        self._counts = self._round.counts.numpy()
        blocks = [matrix for matrix in self._round.matrices if isinstance(matrix, Blocks)]
        self._there, self._back = ([tuple(each.numpy() for each in matrix[way]) for matrix in blocks] for way in (0, 1))
        self._columns = store.column_colours[k]
        self._colour = store.colours[k] if self.merges else np.zeros(0, np.int32)
        self._seen, self._place = np.zeros((2, int(self._colour.max(initial=-1)) + 1), dtype=np.int32)
        self._mark = 0
        self.source = self._first = np.zeros(0, np.int64)
        self._graph = np.zeros(0, np.int32)

    def rows(self, graphs: Pointers, before: _Round | None) -> HostRows:
        """The rows of a batch; ``before`` has just made those of the round before."""
        if self.merges:
            self._mark += 1
            counted = graphs, self._ends, self._colour, self._counts
            self.source, counts, there, back = merged(*counted, self._mark, self._seen, self._place)
        else:
            self.source, counts, self._first, self._graph, there, back = placed(graphs, self._ends, self._counts)
        matrices = () if before is None else tuple(self._matrix(m, before) for m in range(len(self._there)))
        return HostRows(counts, Ways(there, back), matrices)

    def _matrix(self, m: int, before: _Round) -> Ways:
        crow, col, val = self._there[m]
        if before.merges:
            return Ways(*copied(self.source, crow, self._columns[m], val, before._place, len(before.source)))
        back_crow, back_col, back_val = self._back[m]
        there = pointed(self.source, self._graph, crow, before._first)
        back = pointed(before.source, before._graph, back_crow, self._first)
        return Ways((*there, col, val), (*back, back_col, back_val))


def gather(store: GraphStore, ids: NDArray[np.int64], layers: int) -> Iterator[HostBatch]:
    """The batches of one model, [steps, 1, B]: see :func:`graphldp.learn.engine.packed.batches.gather`."""
    rounds = [_Round(store, k) for k in range(layers)]
    users = np.append(store.sizes, 0)[ids[:, 0]].astype(store.rounds[0].counts.numpy().dtype)
    summaries = store.summaries[torch.from_numpy(ids[:, 0])].numpy()

    def made(graphs: Pointers) -> tuple[Pointers, tuple[HostRows, ...]]:
        rows = tuple(each.rows(graphs, rounds[k - 1] if k else None) for k, each in enumerate(rounds))
        return rounds[0].source, rows

    for step, (source, rows) in enumerate(ahead(made, ids[:, 0])):
        yield HostBatch(store.inputs(torch.from_numpy(source)).numpy(), rows, users[step], summaries[step])

"""Packed graphs: rows of distinct colours, and the sparse matrices between the rows of one round and the next.

Graphs are blocks, one after the other: :mod:`graphldp.learn.engine.packed.packing` makes them,
:mod:`graphldp.learn.engine.packed.batches` gathers batches of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.features.codes import input_width

Pointers = NDArray[np.int64]
Kind = tuple[str, str, int, str, str, str]


class Entries(NamedTuple):
    """A block-diagonal sparse matrix by rows.

    Args:
        crow: int64 [rows + 1], where each row's entries begin.
        col: int32 [entries], columns, counted from the beginning of the graph's block.
        val: [entries].
    """

    crow: Tensor
    col: Tensor
    val: Tensor


class Blocks(NamedTuple):
    """A block-diagonal sparse matrix and its transpose."""

    there: Entries
    back: Entries


class Dense(NamedTuple):
    """A block-diagonal matrix of zeros and ones with a bit for each cell: where lists are dense, smaller than lists.

    Args:
        words: int64, graph after graph, row after row, n rounded up to whole words a row; column 0 is the lowest bit.
        begin: int64 [graphs], where each graph's words begin.
        size: int64 [graphs], n.
    """

    words: Tensor
    begin: Tensor
    size: Tensor


@dataclass(frozen=True)
class Round:
    """The rows after one round.

    Args:
        row_ptr: int64 [graphs + 1], on the host: where each graph's rows begin.
        counts: [rows + 1], how many users each row stands for; the last row stands for none, and fills up batches.
        matrices: from the rows of the round before.
    """

    row_ptr: Pointers
    counts: Tensor
    matrices: tuple[Blocks | Dense, ...]


@dataclass(frozen=True)
class GraphStore:
    """Packed graphs.

    Args:
        rounds: one more than there are convolutions.
        codes: int64 [rows of round 0 + 1, blocks], the positions of the ones in each row's input feature.
        columns: [rows of round 0 + 1, columns], the numbers that come after them, if any.
        summaries: [graphs + 1, numbers], what a head sees of each graph, if anything; the last is nobody's.
        sizes: int64 [graphs], users in each graph, on the host.
        kind: see :func:`kind_of`.
        colours: int32 [rows] for each of the first rounds, on the host: the number of each row's colour among the
            colours of all graphs; as long as it is worth while to merge equal ones.
    """

    rounds: tuple[Round, ...]
    codes: Tensor
    columns: Tensor
    summaries: Tensor
    sizes: Pointers
    kind: Kind
    colours: tuple[NDArray[np.int32], ...] = ()

    @cached_property
    def column_colours(self) -> list[list[NDArray[np.int32]]]:
        """The colour, among those of all graphs, of each entry's column: of each round after one with colours."""
        found: list[list[NDArray[np.int32]]] = [[] for _ in self.rounds]
        for k in range(1, min(len(self.colours) + 1, len(self.rounds))):
            blocks = [matrix for matrix in self.rounds[k].matrices if isinstance(matrix, Blocks)]
            begin, rows = self.rounds[k - 1].row_ptr[:-1], self.rounds[k].row_ptr
            for crow, col, _ in (matrix.there for matrix in blocks):
                entries = np.diff(crow.numpy()[rows])
                found[k].append(self.colours[k - 1].take(col.numpy() + np.repeat(begin, entries)))
        return found

    @property
    def width(self) -> int:
        """The length of the input feature."""
        return input_width(*self.kind[1:3])

    def inputs(self, rows: Tensor) -> Tensor:
        """The input features of some rows of round 0, [rows, width]."""
        found = torch.zeros(len(rows), self.width, dtype=self.dtype, device=rows.device)
        found.scatter_(1, self.codes.index_select(0, rows), 1)
        if columns := self.columns.shape[1]:
            found[:, -columns:] = self.columns.index_select(0, rows)
        return found

    @property
    def dtype(self) -> torch.dtype:
        """In which models compute."""
        return self.rounds[0].counts.dtype

    @property
    def dense(self) -> bool:
        """Whether any matrix has a bit for each cell; such graphs are not joined with others."""
        return any(isinstance(matrix, Dense) for each in self.rounds for matrix in each.matrices)

    @property
    def num_bytes(self) -> int:
        """What the matrices take; rounds that are one and the same count once."""
        rounds = {id(each): each for each in self.rounds}.values()
        matrices = [matrix for each in rounds for matrix in each.matrices]
        tensors = chain(*(matrix if isinstance(matrix, Dense) else chain(*matrix) for matrix in matrices))
        return sum(each.numel() * each.element_size() for each in tensors)


def join(stores: Sequence[GraphStore], device: torch.device) -> GraphStore:
    """Several packed sets of one kind as one, on a device."""
    rounds: list[Round] = []
    for k in range(len(stores[0].rounds)):
        if k > 1 and all(store.rounds[k] is store.rounds[k - 1] for store in stores):
            rounds.append(rounds[-1])
            continue
        parts = [store.rounds[k] for store in stores]
        matrices = tuple(_join_matrices(each, device) for each in zip(*(part.matrices for part in parts), strict=True))
        counts = _join_rows([part.counts for part in parts], device)
        lengths = np.concatenate([np.diff(part.row_ptr) for part in parts])
        rounds.append(Round(np.concatenate(([0], np.cumsum(lengths))), counts, matrices))
    codes, columns, summaries = (
        _join_rows([getattr(store, name) for store in stores], device) for name in ("codes", "columns", "summaries")
    )
    sizes = np.concatenate([store.sizes for store in stores])
    return GraphStore(tuple(rounds), codes, columns, summaries, sizes, stores[0].kind, _join_colours(stores))


def _join_colours(stores: Sequence[GraphStore]) -> tuple[NDArray[np.int32], ...]:
    """Colours of several sets count as different; rounds are left out where one set has none."""
    joined = []
    for parts in zip(*(store.colours for store in stores), strict=False):
        shifts = np.cumsum([0, *(int(part.max(initial=-1)) + 1 for part in parts)])
        joined.append(np.concatenate([part + np.int32(shift) for part, shift in zip(parts, shifts, strict=False)]))
    return tuple(joined)


def _join_matrices(matrices: Sequence[Blocks | Dense], device: torch.device) -> Blocks | Dense:
    whole = [each for each in matrices if isinstance(each, Dense)]
    if whole:
        before = np.cumsum([0, *(len(each.words) for each in whole)])[:-1].tolist()
        return Dense(
            torch.cat([each.words.to(device) for each in whole]),
            torch.cat([each.begin.to(device) + shift for each, shift in zip(whole, before, strict=True)]),
            torch.cat([each.size.to(device) for each in whole]),
        )
    there, back = zip(*(each for each in matrices if isinstance(each, Blocks)), strict=True)
    return Blocks(_join_entries(there, device), _join_entries(back, device))


def _join_entries(entries: Sequence[Entries], device: torch.device) -> Entries:
    lengths = torch.cat([each.crow.to(device).diff() for each in entries])
    col, val = (torch.cat([getattr(each, name).to(device) for each in entries]) for name in ("col", "val"))
    return Entries(torch.cat((lengths.new_zeros(1), torch.cumsum(lengths, 0))), col, val)


def _join_rows(values: Sequence[Tensor], device: torch.device) -> Tensor:
    return torch.cat([each[:-1].to(device) for each in values] + [values[-1][-1:].to(device)])

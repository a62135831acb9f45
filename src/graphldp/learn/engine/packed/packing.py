"""Packing a set of graphs for learning: distinct colours, how often they occur, and what each aggregates over.

After each round of colour refinement (:mod:`graphldp.learn.engine.packed.colours`) there is one row per colour and
graph, and a sparse matrix from the rows of the round before: entry (r, c) says how much a user of colour r takes from
colour c. Graphs are blocks of that matrix, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.errors import DataError
from graphldp.learn.engine.features.codes import bins, widths
from graphldp.learn.engine.features.columns import column_rows
from graphldp.learn.engine.features.summaries import released_degrees, smooth_table
from graphldp.learn.engine.packed.colours import Lists, group, merge, refine
from graphldp.learn.engine.packed.dense import DeviceBits
from graphldp.learn.engine.packed.store import Blocks, Dense, Entries, GraphStore, Kind, Round, join
from graphldp.learn.engine.rows import compiles, kernels_for
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.engine.gin import ModelSpec

_DENSE = 16  # lists are dense where one pair in as many is an entry
LEVELS = 4
"""Weights of entries, with ``weights="posterior"``: 2^(-k) for k = -log₂ P, rounded, where P is the probability that an
entry is an edge; none from here on. So few keep users with the same weighted lists one colour. A name on the short list
of a user whom few list is hardly ever an edge, a name on a hub's list mostly is."""
SHARED = 0.8  # merging equal colours of several graphs takes as long as it saves where a round has more per row
_ENTRIES_AT_ONCE = 1 << 25  # bounds the memory that packing takes beside its result


def build(lists: NeighbourLists, spec: ModelSpec, device: torch.device, dtype: torch.dtype) -> GraphStore:
    """Pack a set of graphs, a bounded number of entries at a time."""
    where = device if device.type == "cuda" else torch.device("cpu")  # Apple's lacks 64-bit sorting
    entry_ptr = lists.indptr[lists.graph_ptr]
    cuts = [0]
    while cuts[-1] < lists.num_graphs:
        reach = np.searchsorted(entry_ptr, entry_ptr[cuts[-1]] + _ENTRIES_AT_ONCE, side="right") - 1
        cuts.append(min(max(int(reach), cuts[-1] + 1), lists.num_graphs))
    pairs = list(pairwise(cuts)) or [(0, 0)]
    dense = _as_dense(lists, spec, device, dtype)
    level = posterior_levels(lists) if spec.weights == "posterior" else None
    columns = _columns(lists, spec)
    parts = [_build_part(lists, first, last, spec, where, dtype, level, columns, dense=dense) for first, last in pairs]
    table = torch.zeros(lists.num_graphs + 1, spec.summaries, dtype=dtype)
    if spec.summaries:
        table[:-1] = torch.from_numpy(smooth_table(lists)[:, : spec.summaries])  # log n comes first
    return replace(join(parts, device), summaries=table.to(device))


def _columns(lists: NeighbourLists, spec: ModelSpec) -> NDArray[np.float32]:
    """The numbers that a model takes of each user as they are, [users, columns]."""
    if spec.features != "columns":
        return np.zeros((lists.num_users, 0), np.float32)
    rows = column_rows(lists)
    if rows.shape[1] != spec.num_features:
        raise DataError(f"This model takes {spec.num_features} columns of each user. Got {rows.shape[1]} instead.")
    return rows


def posterior_levels(lists: NeighbourLists) -> NDArray[np.int64]:
    """k of each reported entry, :data:`LEVELS` where it does not count; 0 for raw graphs and public lists.

    Reports must be of a mechanism that :class:`~graphldp.learn.inference.posterior.LinkPosterior` knows.
    """
    if not isinstance(lists, Reports) or lists.public.all():
        return np.zeros(lists.num_entries, dtype=np.int64)
    from graphldp.learn.inference.posterior import LinkPosterior  # needs scipy, as no other model does

    unlikely = np.logaddexp(0.0, -LinkPosterior.of(lists).log_odds) / np.log(2.0)  # -log₂ P
    return np.asarray(np.minimum(np.rint(unlikely), LEVELS), dtype=np.int64)


def _as_dense(lists: NeighbourLists, spec: ModelSpec, device: torch.device, dtype: torch.dtype) -> bool:
    """Whether lists are so dense that bits are read faster than entries, and there are kernels that read them."""
    others = np.repeat(lists.sizes - 1, lists.sizes)
    mixed = int(lists.degrees[lists.degrees < others].sum())  # complete lists are all alike: one colour
    dense = mixed * _DENSE > int((lists.sizes**2).sum())
    plain = (spec.convolution, spec.directions, spec.weights) == ("gin", "own", "none")
    return dense and plain and bool(kernels_for(device, dtype).COMPILED)


def _build_part(
    lists: NeighbourLists,
    first: int,
    last: int,
    spec: ModelSpec,
    device: torch.device,
    dtype: torch.dtype,
    level: NDArray[np.int64] | None,
    columns: NDArray[np.float32],
    *,
    dense: bool,
) -> GraphStore:
    users = slice(lists.graph_ptr[first], lists.graph_ptr[last])
    graph_ptr = lists.graph_ptr[first : last + 1] - users.start
    pointers = lists.indptr[users.start : users.stop + 1]
    indptr = torch.from_numpy(pointers - pointers[0]).to(device)
    starts = torch.from_numpy(graph_ptr).to(device)
    graph = torch.repeat_interleave(starts.diff())
    degree = indptr.diff()
    bits = None if lists.bits is None else DeviceBits.of(lists.bits, first, last, graph, starts)
    some = slice(pointers[0], pointers[-1])
    local = torch.tensor(lists.indices[some]).to(device) if bits is None else bits.names(degree)
    target = local + torch.repeat_interleave(starts[graph], degree)
    aggregated = Lists(indptr, target)
    if level is not None:
        aggregated = Lists.weighted(indptr, target, torch.from_numpy(level[some]).to(device), LEVELS)
    ways = [aggregated, aggregated.turned()] if spec.directions == "both" else [aggregated]

    released = torch.tensor(released_degrees(lists)[users], device=device)
    code = bins(spec.features, spec.num_features, released, degree, target, starts.diff()[graph])
    key = torch.zeros_like(graph)
    for column, width in zip(code.T, blocks := widths(spec.features, spec.num_features), strict=True):
        key = key * width + column
    if columns.shape[1]:
        key = key + (int(key.max()) + 1 if len(key) else 1) * _alike(columns[users]).to(device)
    if spec.convolution == "gcn":  # which weighs a neighbour by her list's length at once
        key = key * (int(degree.max()) + 1 if len(degree) else 1) + degree
    across = _Across(key, ways)
    key = key + graph * (int(key.max()) + 1 if len(key) else 1)
    colour, leader = group(key, key) or (key, key)
    across.note(leader)
    begin = code.new_tensor((0, *blocks)).cumsum(0)[:-1]
    codes = torch.cat((code[leader] + begin, begin[None]))
    numbers = torch.zeros(len(codes), columns.shape[1], dtype=dtype, device=device)
    numbers[:-1] = torch.tensor(columns[users], device=device)[leader]
    rounds = [_round(colour, leader, starts, dtype, ())]
    for _ in range(spec.convolutions):
        if len(rounds) > (3 if dense else 1) and len(rounds[-1].counts) == len(rounds[-2].counts):
            rounds.append(rounds[-1])  # the colours have settled: every later round is this one again
            across.refine(leader)
            continue
        before, before_leader = colour, leader
        if dense and len(rounds) > 1:  # dense random lists have no two users alike after two rounds
            colour = leader = torch.arange(len(degree), device=device)
        else:
            colour, leader = refine(before, *ways)
        if dense and len(rounds) > 2:
            words = (bits or DeviceBits.from_names(degree, local, graph, starts)).with_owners(graph, starts)
            rounds.append(_round(colour, leader, starts, dtype, (words,)))
            continue
        entries = _entries(spec, ways, before, before_leader, leader, degree)
        block_starts = torch.searchsorted(leader, starts), torch.searchsorted(before_leader, starts)
        matrices = tuple(_blocks(*entry, *block_starts, graph[leader], dtype) for entry in entries)
        rounds.append(_round(colour, leader, starts, dtype, matrices))
        across.refine(leader)
    sizes = np.diff(graph_ptr)
    summaries = codes.new_zeros(len(sizes) + 1, 0)
    return GraphStore(tuple(rounds), codes, numbers, summaries, sizes, kind_of(spec), across.colours())


def _alike(rows: NDArray[np.float32]) -> Tensor:
    """A number for each row, the same for equal rows: compared as bytes, in which 0 must have one sign."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    return torch.from_numpy(np.unique(whole, return_inverse=True)[1])


class _Across:
    """Colours of all graphs together, by the colours within each; on the CPU only, where batches merge them."""

    def __init__(self, key: Tensor, ways: Sequence[Lists]) -> None:
        self._ways, self._found = ways, list[Tensor]()
        self._colour = (group(key, key) or (key, key))[0] if compiles(key.device) else None

    def note(self, leader: Tensor) -> None:
        """Keep the colours of some users, each the first of a colour within a graph, if enough of them are equal."""
        if self._colour is None:
            return
        found = self._colour[leader].int()
        if len(found) and int(found.max()) + 1 >= SHARED * len(found):
            self._colour = None  # later colours are finer still
        else:
            self._found.append(found)

    def refine(self, leader: Tensor) -> None:
        """One round."""
        if self._colour is not None:
            self._colour = refine(self._colour, *self._ways)[0]
            self.note(leader)

    def colours(self) -> tuple[NDArray[np.int32], ...]:
        """The number of each row's colour, after each of the first rounds."""
        return tuple(each.numpy() for each in self._found)


def _entries(
    spec: ModelSpec, ways: Sequence[Lists], before: Tensor, before_leader: Tensor, leader: Tensor, degree: Tensor
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """The entries of each matrix, rows, columns and values: what the users of each colour take from each colour before.

    A leader is the first user of a colour, ``before`` the colour of each user before, ``degree`` her list's length.
    """
    columns, rows = len(before_leader), torch.arange(len(leader), device=leader.device)
    row, entry, weight = ways[0].of(leader)
    length = degree[leader].double()
    if spec.convolution == "sage":
        r, c, times = merge(row, before[entry], columns)
        return [(r, c, times / length[r]), (rows, before[leader], torch.ones_like(length))]
    if weight is not None:
        weight = torch.cat((weight, torch.ones_like(length)))
    r, c, value = merge(torch.cat((row, rows)), torch.cat((before[entry], before[leader])), columns, weight)
    if spec.convolution == "gcn":
        value = value / ((1 + length[r]) * (1 + degree[before_leader][c])).sqrt()
    found = [(r, c, value)]
    for other in ways[1:]:
        row, entry, weight = other.of(leader)
        found.append(merge(row, before[entry], columns, weight))
    return found


def kind_of(spec: ModelSpec) -> Kind:
    """The kind of a packed set: what it depends on, beside the number of rounds."""
    return spec.convolution, spec.features, spec.num_features, spec.graph_features, spec.directions, spec.weights


def _round(
    colour: Tensor, leader: Tensor, starts: Tensor, dtype: torch.dtype, matrices: tuple[Blocks | Dense, ...]
) -> Round:
    row_ptr = torch.searchsorted(leader, starts)  # colours are numbered by their first user, so graphs stay in order
    counts = torch.bincount(colour, minlength=len(leader) + 1).to(dtype)
    return Round(row_ptr.cpu().numpy(), counts, matrices)


def _blocks(
    row: Tensor,
    column: Tensor,
    value: Tensor,
    row_starts: Tensor,
    column_starts: Tensor,
    graph_of_row: Tensor,
    dtype: torch.dtype,
) -> Blocks:
    """A matrix from its entries, sorted by row."""
    graph = graph_of_row[row]
    order = torch.sort(column.int(), stable=True).indices
    crow, crow_back = (
        torch.cat((starts.new_zeros(1), torch.cumsum(torch.bincount(index, minlength=int(starts[-1])), 0)))
        for index, starts in ((row, row_starts), (column, column_starts))
    )
    value = value.to(dtype)
    there = Entries(crow, (column - column_starts[graph]).int(), value)
    return Blocks(there, Entries(crow_back, (row - row_starts[graph])[order].int(), value[order]))

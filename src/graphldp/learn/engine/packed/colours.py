"""Colour refinement: which users a graph neural network cannot tell apart, so that it computes each of them once.

Colours begin with a user's input feature, and one round takes a user's colour and the multiset of her list's colours
to a new colour:

    c_k(i) = (c_{k-1}(i), {{ c_{k-1}(j) : j in i's list }}).

Where models aggregate over those who list i too, the multiset of their colours is a third part of hers.

Two users of one colour after k rounds have the same embedding after k convolutions (Xu et al. 2019), in training too:
batch norm acts on each user alike, and dropout acts on the scores of graphs only.

Colours are kept apart by graph, so a batch is a gather of blocks whose sizes are known beforehand. Sharing them between
the graphs of a batch saves another sixth of the rows on REDDIT-BINARY (22 %, 37 %, 39 % of the users after 2 to 4
rounds against 13 %, 32 %, 38 %; under DPRR at ε = 1, 48 %, 50 %, 50 % against 41 %, 49 %, 49 %), but then the structure
of every batch has to be found anew: :mod:`graphldp.learn.engine.cpu.merging` does so on a CPU where it pays.

Multisets are compared by hash: each colour draws two 64-bit words, a multiset's hash is their sum modulo 2⁶⁴, and
users are grouped by the first hash and checked by the second. Two different multisets of fewer than 2^m users share a
hash with probability at most 2^(m-64), so both agree with probability below 2⁻¹⁰⁰ for lists of up to 2¹⁴ users; where
only the first agrees, the words are drawn anew. Sorting every list instead would cost several times as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Lists:
    """The lists of whom each user aggregates over.

    Args:
        indptr: int64 [users + 1], where each user's list begins.
        target: int64 [entries], the lists, with users numbered over all graphs.
        level: int64 [entries], how much each entry weighs: 2^(-level); None where all weigh 1.
        levels: how many levels there are.
    """

    indptr: Tensor
    target: Tensor
    level: Tensor | None = None
    levels: int = 1

    @classmethod
    def weighted(cls, indptr: Tensor, target: Tensor, level: Tensor, levels: int) -> Lists:
        """Of some lists the entries of a level below ``levels``."""
        kept = level < levels
        before = torch.cat((indptr.new_zeros(1), torch.cumsum(kept, 0)))
        return cls(before[indptr], target[kept], level[kept], levels)

    def turned(self) -> Lists:
        """Who lists each user, in rising order."""
        owner = torch.repeat_interleave(self.indptr.diff())
        ends = torch.cumsum(torch.bincount(self.target, minlength=len(self.indptr) - 1), 0)
        order = torch.sort(self.target, stable=True).indices
        level = None if self.level is None else self.level[order]
        return Lists(torch.cat((self.indptr.new_zeros(1), ends)), owner[order], level, self.levels)

    def of(self, users: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """The lists of some users, one after the other: each entry's place in ``users``, the entry, and its weight."""
        start = self.indptr[users]
        length = self.indptr[users + 1] - start
        owner = torch.repeat_interleave(length)
        shift = start - (torch.cumsum(length, 0) - length)
        entry = torch.arange(len(owner), device=owner.device) + shift[owner]
        weight = None if self.level is None else torch.exp2(-self.level[entry].double())
        return owner, self.target[entry], weight


def refine(colour: Tensor, *lists: Lists) -> tuple[Tensor, Tensor]:
    """One round of refinement, of colours numbered from 0, by what each user aggregates over, once or in several ways.

    Returns:
        The colours after, int64 [users], numbered by their first user, and that first user, int64 [colours].
    """
    colours = int(colour.max()) + 1 if len(colour) else 0
    seen = [colour.index_select(0, each.target) for each in lists]
    for number, each in enumerate(lists):
        if each.level is not None:
            seen[number] = seen[number] + colours * each.level  # a word for each colour and level
    kinds = [colours * each.levels for each in lists]
    salt = 0
    while True:
        generator = torch.Generator().manual_seed(salt)
        words = torch.empty((2, colours + sum(kinds)), dtype=torch.int64)
        words = words.random_(-(2**63), None, generator=generator).to(colour.device)
        own, *others = torch.split(words, [colours, *kinds], dim=1)
        hashes = own[:, colour]
        for each, entries, word in zip(lists, seen, others, strict=True):
            for half in range(2):
                hashes[half] += _row_sums(word[half].index_select(0, entries), each.indptr)
        grouped = group(*hashes)
        if grouped is not None:
            return grouped
        salt += 1


def group(key: Tensor, check: Tensor) -> tuple[Tensor, Tensor] | None:
    """Number the distinct keys by first appearance; None where equal keys have different checks."""
    ordered, order = torch.sort(key, stable=True)
    checks = check[order]
    new = torch.ones_like(ordered, dtype=torch.bool)
    new[1:] = ordered[1:] != ordered[:-1]
    if bool((~new[1:] & (checks[1:] != checks[:-1])).any()):
        return None
    first = order[new]  # the sort is stable, so this is each group's smallest position
    leads = torch.zeros_like(new)
    leads[first] = True
    number = torch.cumsum(leads, 0) - 1
    colour = torch.empty_like(order)
    colour[order] = number[first][torch.cumsum(new, 0) - 1]
    return colour, torch.nonzero(leads).squeeze(1)


def merge(row: Tensor, column: Tensor, columns: int, weight: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Sort entries by row, then column, and add up equal ones: rows, columns and sums of weights, float64.

    Weights are powers of two, whose sums are exact in any order; 1 each by default.
    """
    key = row * columns + column
    if weight is None:
        key = _sorted(key)
    else:
        key, order = torch.sort(key)
    new = torch.ones_like(key, dtype=torch.bool)
    new[1:] = key[1:] != key[:-1]
    start = torch.nonzero(new).squeeze(1)
    end = torch.cat((start[1:], start.new_full((min(len(start), 1),), len(key))))
    kept = key[start]
    if weight is None:
        total = (end - start).double()
    else:
        total = torch.zeros(len(kept), dtype=torch.float64, device=key.device)
        total.index_add_(0, torch.cumsum(new, 0) - 1, weight[order])
    return kept // max(columns, 1), kept % max(columns, 1), total


def _sorted(values: Tensor) -> Tensor:
    if values.device.type == "cpu":  # NumPy sorts whole numbers by vector instructions, several times as fast
        return torch.from_numpy(np.sort(values.numpy()))
    return torch.sort(values).values


def _row_sums(values: Tensor, indptr: Tensor) -> Tensor:
    """Sums of each user's entries modulo 2⁶⁴, where int64 wraps."""
    total = torch.zeros(len(values) + 1, dtype=torch.int64, device=values.device)
    torch.cumsum(values, 0, out=total[1:])
    return total[indptr[1:]] - total[indptr[:-1]]

"""Dense lists on a device: words of 64 pairs, as :class:`graphldp.neighbour_lists.bit_lists.BitLists` holds them.

Where reports hold bits, these words are sent as they are, and no name is made on the host. The device makes names of
them once, for the first rounds of packing, and training reads the words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor

from graphldp.learn.engine.packed.store import Dense
from graphldp.neighbour_lists.bit_lists import WORD, BitLists

_AT_ONCE = 1 << 20  # words that are taken apart at a time: a byte for each bit


@dataclass(frozen=True)
class DeviceBits:
    """The lists of some graphs, as Dense has them (packed/store.py), and where each user's words begin."""

    words: Tensor
    begin: Tensor
    size: Tensor
    row: Tensor

    @classmethod
    def empty(cls, graph: Tensor, starts: Tensor) -> Self:
        """Nobody lists anybody: the graph of each user, and where each graph's users begin."""
        size = starts.diff()
        stride = (size + WORD - 1) // WORD
        begin = torch.cumsum(size * stride, 0) - size * stride
        user = torch.arange(len(graph), device=graph.device)
        row = begin[graph] + (user - starts[graph]) * stride[graph]
        words = torch.zeros(int((size * stride).sum()), dtype=torch.int64, device=graph.device)
        return cls(words, begin, size, row)

    @classmethod
    def of(cls, bits: BitLists, first: int, last: int, graph: Tensor, starts: Tensor) -> Self:
        """The words of graphs first … last−1, as they are."""
        begins = bits.begins()
        words = bits.words[begins[first] : begins[last]].view(np.int64)
        return replace(cls.empty(graph, starts), words=torch.tensor(words).to(graph.device))

    @classmethod
    def from_names(cls, degree: Tensor, local: Tensor, graph: Tensor, starts: Tensor) -> Self:
        """From names, local to their graphs, and the length of each list."""
        layout = cls.empty(graph, starts)
        return replace(layout, words=_marked(layout.words, torch.repeat_interleave(layout.row, degree), local))

    def names(self, degree: Tensor) -> Tensor:
        """The names, int32, local to their graphs; ``degree`` is the length of each list."""
        mask = torch.tensor([1 << bit for bit in range(8)], dtype=torch.uint8, device=self.words.device)
        places = [
            WORD * start + (some.view(torch.uint8)[:, None] & mask).flatten().nonzero().flatten()
            for start in range(0, len(self.words), _AT_ONCE)
            for some in [self.words[start : start + _AT_ONCE]]
        ]
        return (torch.cat([self.words[:0], *places]) - torch.repeat_interleave(WORD * self.row, degree)).int()

    def with_owners(self, graph: Tensor, starts: Tensor) -> Dense:
        """Every list and its owner, one row a user."""
        users = torch.arange(len(graph), device=graph.device)
        return Dense(_marked(self.words, self.row, users - starts[graph]), self.begin, self.size)


def _marked(words: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """The words with more bits set, none of which is set: each is added once."""
    one = torch.ones((), dtype=torch.int64, device=words.device)
    return words.scatter_add(0, row + (column >> 6), one << (column & 63).long())

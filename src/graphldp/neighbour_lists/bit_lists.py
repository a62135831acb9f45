"""Dense neighbour lists as bits, one for each pair of users of a graph.

A name takes 32 bits. Where more than one pair in 32 is listed, as under randomized response, a bit for each pair takes
less: an eighth at ε = 1. User u's bits are whole words of 64, one after the other, and bit j of them, counted from the
lowest of the first word, says whether j is in her list. Users follow each other, and graphs too, so a graph is one
slice, and what trains on a GPU reads the same words.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError
from graphldp.machines.memory import check_room
from graphldp.neighbour_lists.pointers import check_pointers, local_users, read_only

Words = NDArray[np.uint64]
WORD = 64
_OTHER_LENGTHS = "indptr must say how many bits of each user are set."
_AT_ONCE = 1 << 20  # words that are taken apart at a time: a byte for each bit


def words_of(n: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of words that a list takes in a graph of n users."""
    return -(-n // WORD)


@dataclass(frozen=True, eq=False, repr=False)
class BitLists:
    """The lists of all users of many graphs, as bits."""

    words: Words
    graph_ptr: NDArray[np.int64]  # where each graph's users begin

    def __post_init__(self) -> None:
        words, graph_ptr = np.asarray(self.words), np.asarray(self.graph_ptr)
        if graph_ptr.ndim != 1 or graph_ptr.dtype != np.int64 or not len(graph_ptr):
            raise DataError("graph_ptr must be a flat list of whole numbers beside lists as bits.")
        check_pointers(graph_ptr, "graph_ptr", int(graph_ptr[-1]))
        for name, given in (("words", words), ("graph_ptr", graph_ptr)):
            object.__setattr__(self, name, read_only(given))
        sizes = np.diff(graph_ptr)
        if words.dtype != np.uint64 or words.shape != (sum(n * -(-n // WORD) for n in sizes.tolist()),):
            raise DataError("Lists as bits must be whole words, as many as their graphs need.")

    def __repr__(self) -> str:  # counts only, as of the lists
        return f"<BitLists: {len(self.graph_ptr) - 1} graphs, {len(self.words)} words>"

    def begins(self) -> NDArray[np.int64]:
        """Where the words of each graph begin, and where the last ones end."""
        sizes = np.diff(self.graph_ptr)
        return np.concatenate(([0], np.cumsum(sizes * words_of(sizes))))

    def user_ptr(self) -> NDArray[np.int64]:
        """Where the words of each user begin, and where the last ones end."""
        sizes = np.diff(self.graph_ptr)
        return np.concatenate(([0], np.cumsum(np.repeat(words_of(sizes), sizes))))

    def lengths(self) -> NDArray[np.int64]:
        """The number of names on each list."""
        if not len(self.words):
            return np.zeros(0, np.int64)
        return np.add.reduceat(_ones(self.words), self.user_ptr()[:-1])

    def names(self, indptr: NDArray[np.int64]) -> NDArray[np.int32]:
        """The names that the bits stand for, sorted within each list; ``indptr`` says where each list begins.

        Raises:
            DataError: where a list has another number of bits than ``indptr`` says.
            ParameterError: where the names take more memory than there is.
        """
        check_room(4.0 * indptr[-1], f"The {indptr[-1]:,} names that these bits stand for")
        if find_spec("numba") is not None:
            from graphldp.neighbour_lists.bit_names import names_of

            if (found := names_of(self.user_ptr(), self.words, indptr)) is None:
                raise DataError(_OTHER_LENGTHS)
            return found
        self._check_lengths(indptr)
        pointers, names = self.user_ptr(), np.empty(int(indptr[-1]), np.int32)
        for start, stop in _runs(pointers):
            taken_apart = self.words[pointers[start] : pointers[stop]].astype("<u8").view(np.uint8)
            place = np.flatnonzero(np.unpackbits(taken_apart, bitorder="little"))
            begin = WORD * (pointers[start:stop] - pointers[start])
            names[indptr[start] : indptr[stop]] = place - np.repeat(begin, np.diff(indptr[start : stop + 1]))
        return names

    def subset(self, picked: NDArray[np.int64], graph_ptr: NDArray[np.int64]) -> BitLists:
        """The lists of some graphs, in this order; ``graph_ptr`` says where the users of each begin among theirs."""
        begins = self.begins()
        slices = [self.words[a:b] for a, b in zip(begins[picked], begins[picked + 1], strict=True)]
        return BitLists(np.concatenate([self.words[:0], *slices]), graph_ptr)

    def check(self, indptr: NDArray[np.int64]) -> None:
        """Refuse bits that stand for nobody or for the user herself, and lists of other lengths than these."""
        sizes, pointers, own = np.diff(self.graph_ptr), self.user_ptr(), local_users(self.graph_ptr)
        n = np.repeat(sizes, sizes)
        if len(n) == 0:
            return
        last, used = self.words[pointers[1:] - 1], (n % WORD).astype(np.uint64)
        beyond = (used > 0) & ((last >> used) > 0)
        if beyond.any():
            user = int(np.flatnonzero(beyond)[0])
            raise DataError(f"A list must name users of its own graph (0 to n−1) only; user {user}'s does not.")
        loop = (self.words[pointers[:-1] + own // WORD] >> (own % WORD).astype(np.uint64)) & np.uint64(1) > 0
        if loop.any():
            raise DataError(f"A list must not name its own user; user {int(np.flatnonzero(loop)[0])}'s does.")
        self._check_lengths(indptr)

    def _check_lengths(self, indptr: NDArray[np.int64]) -> None:
        if not np.array_equal(self.lengths(), np.diff(indptr)):
            raise DataError(_OTHER_LENGTHS)


def _ones(words: Words) -> NDArray[np.int64]:
    """How many bits of each word are set: of each two of its bits, of each four, of each eight, and all."""
    pairs, fours, eights, each = (np.uint64(0x0101010101010101 * part) for part in (0x55, 0x33, 0x0F, 0x01))
    count = words - ((words >> np.uint64(1)) & pairs)
    count = (count & fours) + ((count >> np.uint64(2)) & fours)
    count = (count + (count >> np.uint64(4))) & eights
    return np.asarray((count * each) >> np.uint64(56), np.int64)


def _runs(pointers: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Users whose words are taken apart together."""
    cuts = np.searchsorted(pointers, np.arange(0, pointers[-1], _AT_ONCE))
    return list(pairwise(np.unique(np.append(cuts, len(pointers) - 1)).tolist()))

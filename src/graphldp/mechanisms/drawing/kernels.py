"""The compiled loops. The same laws, and the same bits, as :mod:`graphldp.mechanisms.drawing.reference`.

``sample_lists`` is the one sampler of noisy lists: a true neighbour stays with the user's probability ``keep``, and a
stranger is added with probability ``fake``. Strangers are reached by geometric skips, so the cost is linear in the
entries read and written, never in n. Dense lists are drawn as bits (:mod:`graphldp.mechanisms.drawing.bits`), and
those of whole graphs stay bits.
Users are cut into runs (:mod:`graphldp.machines.threads`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from math import exp, log, log1p
from queue import Empty, SimpleQueue

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.machines.compiling import tell_when_compiling
from graphldp.machines.memory import check_room, fresh
from graphldp.machines.threads import Run, cut_finer, even_runs, in_order, in_threads, runs_of
from graphldp.mechanisms.drawing.bits import PER_NAME, sample_bits
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.skips import ListLaw, Parts, workspace
from graphldp.mechanisms.drawing.sparse import fill_lists, what_to_expect
from graphldp.mechanisms.drawing.streams import Key, Stream, Words
from graphldp.mechanisms.drawing.words import block_of, draw_blocks, mulhi, uniform
from graphldp.neighbour_lists import NO_NAMES
from graphldp.neighbour_lists.bit_lists import BitLists
from graphldp.neighbour_lists.bit_names import names_of
from graphldp.neighbour_lists.pointers import read_only

NOISE, ORDER, CHOICE = (np.uint64(each) for each in (Stream.PAIR_NOISE, Stream.PAIR_ORDER, Stream.PAIR_CHOICE))
_AT_ONCE = 512  # users whose words are drawn at a time
tell_when_compiling()


@njit(nogil=True, cache=True)
def _fill_words(
    start: int,
    stop: int,
    stream: np.uint64,
    users: NDArray[np.int64],
    graphs: NDArray[np.int64],
    key: Key,
    out: Words,
) -> None:
    counters, words = np.empty(4 * _AT_ONCE, np.uint64), np.empty(4 * _AT_ONCE, np.uint64)
    counters[:_AT_ONCE], counters[3 * _AT_ONCE :] = np.uint64(1), stream
    for first in range(start, stop, _AT_ONCE):
        count = min(_AT_ONCE, stop - first)
        for i in range(count):
            counters[_AT_ONCE + i] = np.uint64(users[first + i])
            counters[2 * _AT_ONCE + i] = np.uint64(graphs[first + i])
        draw_blocks(key, counters, words, 0, count)
        for i in range(count):
            out[0, first + i], out[1, first + i] = words[4 * i], words[4 * i + 1]


@njit(nogil=True, cache=True)
def _merged(one: NDArray[np.int64], two: NDArray[np.int64], room: int) -> tuple[NDArray[np.int64], int]:
    """What two sorted arrays hold, sorted and without repeats, and how many that is."""
    out, have, i, j = np.empty(room, np.int64), 0, 0, 0
    while i < len(one) or j < len(two):
        if j == len(two) or (i < len(one) and one[i] <= two[j]):
            value = one[i]
            i += 1
        else:
            value = two[j]
            j += 1
        if have == 0 or out[have - 1] != value:
            out[have] = value
            have += 1
    return out, have


@njit(nogil=True, cache=True)
def _distinct(count: int, among: int, graph: int, key: Key) -> NDArray[np.int64]:
    """``count`` distinct numbers below ``among``, sorted, every such set equally likely."""
    wanted = min(count, among - count)  # a large set is what a small one leaves out
    chosen, have, drawn = np.empty(wanted, np.int64), 0, 0
    words = np.empty(4, np.uint64)
    while have < wanted:  # as many draws as are missing, never more: the first `wanted` distinct of one sequence
        fresh = np.empty(wanted - have, np.int64)
        for i in range(len(fresh)):
            if drawn & 3 == 0:
                block_of(drawn >> 2, 0, graph, CHOICE, key, words)
            fresh[i] = np.int64(mulhi(words[drawn & 3], np.uint64(among)))
            drawn += 1
        fresh.sort()  # alone, then merged: numba's sort takes quadratic time where few follow many that are sorted
        chosen, have = _merged(chosen[:have], fresh, wanted)
    if wanted == count:
        return chosen
    rest, out = np.empty(count, np.int64), 0
    for i in range(wanted + 1):
        low = chosen[i - 1] + 1 if i else 0
        for number in range(low, chosen[i] if i < wanted else among):
            rest[out] = number
            out += 1
    return rest


@njit(nogil=True, cache=True)
def _fill_pairs(
    start: int,
    stop: int,
    epsilon: NDArray[np.float64],
    pairs: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    edges: NDArray[np.int64],
    graph_ids: NDArray[np.int64],
    key: Key,
    top_ptr: NDArray[np.int64],
    top: NDArray[np.int64],
) -> None:
    """For graphs start … stop−1, which pairs have the largest noisy values (see ``local_lap``)."""
    words = np.empty(4, np.uint64)
    for graph in range(start, stop):
        own = edges[edge_ptr[graph] : edge_ptr[graph + 1]]
        out = top[top_ptr[graph] : top_ptr[graph + 1]]
        wanted, others, eps = len(out), pairs[graph] - len(own), epsilon[graph]
        depth = np.empty(len(own))
        for i in range(len(own)):
            if i & 3 == 0:
                block_of(i >> 2, 0, graph_ids[graph], NOISE, key, words)
            noise = log(uniform(words[i & 3]))
            value = eps + (noise if words[i & 3] & np.uint64(1) else -noise)
            depth[i] = -log1p(-0.5 * exp(-value)) if value >= 0.0 else -log(0.5) - value
        order = np.argsort(depth)
        taken, fakes, level, number = 0, 0, 0.0, 0
        while taken + fakes < wanted:
            if fakes == others:
                taken = wanted - fakes
            elif taken == len(own):
                fakes = wanted - taken
            else:
                if number == fakes:
                    if number & 3 == 0:
                        block_of(number >> 2, 0, graph_ids[graph], ORDER, key, words)
                    level -= log(uniform(words[number & 3])) / (others - number)
                    number += 1
                if depth[order[taken]] < level:
                    taken += 1
                else:
                    fakes += 1
        for i in range(taken):
            out[i] = own[order[i]]
        chosen, passed = _distinct(fakes, others, graph_ids[graph], key), 0
        for i in range(fakes):
            while passed < len(own) and own[passed] <= chosen[i] + passed:
                passed += 1
            out[taken + i] = chosen[i] + passed


def sample_lists(
    rows: UserRows, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32], BitLists | None]:
    """Noisy lists; dense ones of whole graphs come as bits, and without names."""
    # as those of frozen graphs are: for arrays that may be written, loops would be compiled anew
    rows = replace(rows, indptr=read_only(rows.indptr), indices=read_only(rows.indices))
    law = tuple(ListLaw(rows.indptr, rows.indices, rows.user, rows.n, rows.graph, keep, fake))
    even = even_runs(len(rows))
    sums = list(in_order(lambda run: what_to_expect(*run, law), even))
    expected = sum(mean for mean, _, _ in sums)
    pairs = sum(each for _, each, _ in sums)
    check_room(min(4 * expected, pairs / 8), f"Lists of {expected:,.0f} names")
    if expected * PER_NAME > pairs:  # the same lists either way
        word_ptr, bits, lengths = sample_bits(rows, keep, fake, key)
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        if rows.graph_ptr is not None:
            return indptr, NO_NAMES, BitLists(bits, rows.graph_ptr)
        names = names_of(word_ptr, bits, indptr)
        assert names is not None  # noqa: S101
        return indptr, names, None
    largest = _room_for(max((mean for mean, _, _ in sums), default=0.0))
    degree = max((degree for _, _, degree in sums), default=0)
    indptr = fresh(len(rows) + 1, dtype=np.int64)
    indptr[0] = 0
    copied: SimpleQueue[tuple[Parts, NDArray[np.int32]]] = SimpleQueue()  # memory to use again: new memory is cold

    def draw(run: Run) -> tuple[Run, Parts, NDArray[np.int32], int]:
        try:
            space, room = copied.get_nowait()
        except Empty:
            space, room = workspace(degree), np.empty(largest, np.int32)
        while (count := fill_lists(*run, law, key, space, room, indptr[1:])) < 0:
            room = np.empty(2 * len(room), np.int32)  # the same bits are drawn again
        return run, space, room, count

    work = [
        mean + stop - start + rows.indptr[stop] - rows.indptr[start]
        for (mean, _, _), (start, stop) in zip(sums, even, strict=True)
    ]
    names, end = fresh(_room_for(expected), dtype=np.int32), 0
    for (start, stop), space, room, count in in_order(draw, cut_finer(even, work)):
        if end + count > len(names):
            names = np.concatenate((names[:end], np.empty(end + count, np.int32)))
        names[end : end + count] = room[:count]
        end += count
        copied.put((space, room))
        np.cumsum(indptr[start : stop + 1], out=indptr[start : stop + 1])  # on from where the run before it ends
    return indptr, names[:end], None


def _room_for(mean: float) -> int:
    """Entries to make room for: a run's length is a sum of independent bits, and Bernstein puts more below 1e-12.

    A row needs as much room as words are drawn for it, so there is more of it than that.
    """
    return math.ceil(mean + 8.0 * math.sqrt(mean) + 4096.0)


def first_words(rows: UserRows, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    out, number = np.empty((2, len(rows)), np.uint64), np.uint64(stream)  # most who ask want the first words alone
    in_threads(lambda run: _fill_words(*run, number, rows.user, rows.graph, key, out), even_runs(len(rows)))
    return out.T


def top_pairs(
    epsilon: NDArray[np.float64],
    pairs: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    edges: NDArray[np.int64],
    graph_ids: NDArray[np.int64],
    wanted: NDArray[np.int64],
    key: Key,
) -> NDArray[np.int64]:
    """The ``wanted`` largest of each graph's pairs after Laplace noise, as codes (see ``local_lap``)."""
    top_ptr = np.concatenate(([0], np.cumsum(wanted)))
    top = np.empty(top_ptr[-1], np.int64)
    in_threads(
        lambda run: _fill_pairs(*run, epsilon, pairs, edge_ptr, edges, graph_ids, key, top_ptr, top),
        runs_of(1.0 + np.diff(edge_ptr) + wanted),
    )
    return top

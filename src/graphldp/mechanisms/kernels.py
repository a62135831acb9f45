"""The compiled loops. The same laws, and the same bits, as :mod:`graphldp.mechanisms.reference`.

``sample_lists`` is the one sampler of noisy lists: a true neighbour stays with the user's probability ``keep``, and a
stranger is added with probability ``fake``. Strangers are reached by geometric skips, so the cost is linear in the
entries read and written, never in n. Dense lists are drawn as bits first (:mod:`graphldp.mechanisms.bits`). Users are
cut into runs (:mod:`graphldp.mechanisms.threads`).
"""

from __future__ import annotations

from math import exp, log, log1p

import numpy as np
from numba import njit
from numpy.typing import NDArray

from graphldp.mechanisms.bits import PER_NAME, names_of, sample_bits
from graphldp.mechanisms.rows import UserRows
from graphldp.mechanisms.streams import Key, Stream, Words
from graphldp.mechanisms.threads import in_threads, runs_of
from graphldp.mechanisms.words import block_of, mulhi, rate_of, skips, uniform

EDGES, FAKES = np.uint64(Stream.EDGES), np.uint64(Stream.FAKES)
NOISE, ORDER, CHOICE = (
    np.uint64(Stream.PAIR_NOISE),
    np.uint64(Stream.PAIR_ORDER),
    np.uint64(Stream.PAIR_CHOICE),
)


@njit(nogil=True, cache=True)
def _fill_lists(
    start: int,
    stop: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    users: NDArray[np.int64],
    sizes: NDArray[np.int64],
    graphs: NDArray[np.int64],
    keep: NDArray[np.float64],
    fake: NDArray[np.float64],
    key: Key,
    room: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> None:
    """Draw the lists of rows start … stop−1 into ``room``; past its end, count on without writing."""
    words, edge_skips, fake_skips = np.empty(4, np.uint64), np.empty(4), np.empty(4)
    written, end = 0, len(room)
    for row in range(start, stop):
        me, n, graph = users[row], sizes[row], graphs[row]
        begin, first, degree = written, indptr[row], indptr[row + 1] - indptr[row]
        strangers = n - 1 - degree
        edge_rate, fake_rate = rate_of(keep[row]), rate_of(fake[row])
        edge_number, fake_number = 0, 0
        kept = -1 if keep[row] > 0.0 else degree  # the next true neighbour to report, counted among neighbours
        stranger = -1 if fake[row] > 0.0 else strangers  # the next stranger to report, counted among strangers
        edge, passed, self_passed = 0, 0, False
        while True:
            if stranger < strangers:
                if fake_number & 3 == 0:
                    skips(fake_number, me, graph, FAKES, fake_rate, key, words, fake_skips)
                skip = fake_skips[fake_number & 3]
                fake_number += 1
                stranger = strangers if skip >= strangers else min(strangers, stranger + 1 + int(skip))
            while edge < degree or not self_passed:  # neighbours, and she herself, who stand before that stranger
                other = indices[first + edge] if edge < degree else n
                if not self_passed and me < other:
                    if me > stranger + passed:
                        break
                    self_passed = True
                else:
                    if other > stranger + passed:
                        break
                    while kept < edge:
                        if edge_number & 3 == 0:
                            skips(edge_number, me, graph, EDGES, edge_rate, key, words, edge_skips)
                        skip = edge_skips[edge_number & 3]
                        edge_number += 1
                        kept = degree if skip >= degree else kept + 1 + int(skip)
                    if kept == edge:
                        if written < end:
                            room[written] = other
                        written += 1
                    edge += 1
                passed += 1
            if stranger == strangers:
                break
            if written < end:
                room[written] = stranger + passed
            written += 1
        lengths[row] = written - begin


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
    words = np.empty(4, np.uint64)
    for row in range(start, stop):
        block_of(0, users[row], graphs[row], stream, key, words)
        out[row, 0], out[row, 1] = words[0], words[1]


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
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Noisy lists: each true neighbour of u stays with ``keep[u]``, each stranger is added with ``fake[u]``.

    Returns:
        ``indptr`` and ``indices`` of the noisy lists.
    """
    degrees = rows.degrees
    expected = keep * degrees + fake * (rows.n - 1 - degrees)
    if expected.sum() * PER_NAME > rows.n.sum():  # the same lists either way
        return names_of(*sample_bits(rows, keep, fake, key))
    runs = runs_of(1.0 + degrees + expected)
    mean = np.array([expected[start:stop].sum() for start, stop in runs])
    capacity = _room_for(mean)
    lengths = np.empty(len(rows), np.int64)
    while True:
        offsets = np.concatenate(([0], np.cumsum(capacity)))
        room = np.empty(offsets[-1], np.int32)

        def fill(number: int, offsets: NDArray[np.int64] = offsets, room: NDArray[np.int32] = room) -> None:
            own = room[offsets[number] : offsets[number + 1]]
            start, stop = runs[number]
            lists = rows.indptr, rows.indices, rows.user, rows.n, rows.graph
            _fill_lists(start, stop, *lists, keep, fake, key, own, lengths)

        in_threads(fill, range(len(runs)))
        used = np.array([lengths[start:stop].sum() for start, stop in runs], dtype=np.int64)
        if (used <= capacity).all():
            break
        capacity = used  # now the lengths are known: the same bits are drawn again into room that fits
    end = 0
    for begin, length in zip(offsets[:-1], used, strict=True):  # close the gaps in place
        room[end : end + length] = room[begin : begin + length]
        end += length
    return np.concatenate(([0], np.cumsum(lengths))), room[:end]


def _room_for(mean: NDArray[np.float64]) -> NDArray[np.int64]:
    """Entries to make room for: a run's length is a sum of independent bits, and Bernstein puts more below 1e-12."""
    return np.asarray(np.ceil(mean + 8.0 * np.sqrt(mean) + 64.0), np.int64)


def first_words(rows: UserRows, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    out = np.empty((len(rows), 2), np.uint64)
    runs, number = runs_of(np.ones(len(rows))), np.uint64(stream)
    in_threads(lambda i: _fill_words(*runs[i], number, rows.user, rows.graph, key, out), range(len(runs)))
    return out


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
    runs = runs_of(1.0 + np.diff(edge_ptr) + wanted)

    def fill(number: int) -> None:
        _fill_pairs(*runs[number], epsilon, pairs, edge_ptr, edges, graph_ids, key, top_ptr, top)

    in_threads(fill, range(len(runs)))
    return top

"""Plain NumPy for every law: what draws while there is little to draw, and what the compiled loops are tested against.

Same signatures and same bits as :mod:`graphldp.mechanisms.drawing.kernels`. Cost is linear in entries here too; only
the constant is larger. Strangers are added in rounds, the k-th round placing the k-th stranger of every user who has
one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream, Words, philox, to_uniform


def sample_lists(
    rows: UserRows, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32], None]:
    """Noisy lists; dense ones are names too."""
    owner, place = _skip(rows, keep, rows.degrees, Stream.EDGES, key)
    fake_owner, rank = _skip(rows, fake, rows.n - 1 - rows.degrees, Stream.FAKES, key)
    source = np.concatenate((owner, fake_owner))
    kept = rows.indices[rows.indptr[owner] + place].astype(np.int64)
    indptr, entries = _sorted_rows(source, np.concatenate((kept, _unrank(rows, fake_owner, rank))), len(rows))
    return indptr, entries.astype(np.int32), None


def _skip(
    rows: UserRows, probability: NDArray[np.float64], limit: NDArray[np.int64], stream: Stream, key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of ``limit`` things in each row, which happen: geometric skips over those that do not, one round at a time."""
    at = np.full(len(rows), -1, np.int64)
    happens, which, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    active = np.flatnonzero((probability > 0.0) & (limit > 0))
    with np.errstate(divide="ignore", over="ignore"):
        rate = 1.0 / np.log1p(-probability)
    while len(active):
        uniform = to_uniform(_words(rows, stream, active, np.full(len(active), number), key))
        at[active] += 1 + np.minimum(np.log(uniform) * rate[active], limit[active]).astype(np.int64)
        active = active[at[active] < limit[active]]
        happens.append(active)
        which.append(at[active])
        number += 1
    return np.concatenate(happens), np.concatenate(which)


def _unrank(rows: UserRows, owner: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank-th stranger of each owner: r plus the members of her list, and she herself, that stand before.

    With x_0 < x_1 < … these d + 1 numbers, x_s − s of the strangers stand before x_s, so s is found by bisection.
    """
    me = np.arange(len(rows))
    source = np.concatenate((np.repeat(me, rows.degrees), me))
    indptr, blocked = _sorted_rows(source, np.concatenate((rows.indices.astype(np.int64), rows.user)), len(rows))
    lengths = np.diff(indptr)
    before = blocked - (np.arange(len(blocked)) - np.repeat(indptr[:-1], lengths))
    step = int(rows.n.max(initial=0)) + 1  # an owner's values lie in one interval of this width: one table holds all
    table = before + np.repeat(me, lengths) * step
    return np.asarray(rank + np.searchsorted(table, rank + owner * step, side="right") - indptr[owner])


def first_words(rows: UserRows, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    users = np.arange(len(rows))
    return np.stack([_words(rows, stream, users, np.full(len(users), w), key) for w in (0, 1)], axis=1)


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
    top = [
        _top(epsilon[g], pairs[g], edges[edge_ptr[g] : edge_ptr[g + 1]], int(graph_ids[g]), int(wanted[g]), key)
        for g in range(len(pairs))
    ]
    return np.concatenate([*top, np.zeros(0, np.int64)])


def _top(epsilon: float, pairs: int, own: NDArray[np.int64], graph: int, wanted: int, key: Key) -> NDArray[np.int64]:
    words = _graph_words(Stream.PAIR_NOISE, graph, len(own), key)
    noise = np.log(to_uniform(words))
    value = epsilon + np.where(words & np.uint64(1), noise, -noise)
    depth = np.where(value >= 0, -np.log1p(-0.5 * np.exp(-np.abs(value))), np.log(2.0) - value)
    order = np.argsort(depth)
    others = int(pairs) - len(own)
    count = min(wanted, others)
    steps = -np.log(to_uniform(_graph_words(Stream.PAIR_ORDER, graph, count, key)))
    levels = np.cumsum(steps / (others - np.arange(count)))
    fakes = int((np.argsort(np.concatenate((depth[order], levels)), kind="stable")[:wanted] >= len(own)).sum())
    chosen = _distinct(fakes, others, graph, key)
    before = own - np.arange(len(own))
    return np.concatenate((own[order[: wanted - fakes]], chosen + np.searchsorted(before, chosen, side="right")))


def _distinct(count: int, among: int, graph: int, key: Key) -> NDArray[np.int64]:
    """``count`` distinct numbers below ``among``, sorted, every such set equally likely."""
    wanted = min(count, among - count)
    chosen, drawn = np.zeros(0, np.int64), 0
    while len(chosen) < wanted:
        words = _graph_words(Stream.PAIR_CHOICE, graph, drawn + wanted - len(chosen), key)[drawn:]
        drawn += len(words)
        fresh = [int(word) * among >> 64 for word in words.tolist()]
        chosen = np.unique(np.concatenate((chosen, np.array(fresh, np.int64))))
    return chosen if wanted == count else np.setdiff1d(np.arange(among), chosen)


def _sorted_rows(
    owner: NDArray[np.int64], target: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pointers and entries of rows given as (owner, target) pairs."""
    indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count))))
    return indptr, target[np.lexsort((target, owner))]


def _words(rows: UserRows, stream: Stream, row: NDArray[np.int64], word: NDArray[np.int64], key: Key) -> Words:
    graph, user = rows.graph[row].astype(np.uint64), rows.user[row].astype(np.uint64)
    return philox(key, stream, graph, user, word.astype(np.uint64))


def _graph_words(stream: Stream, graph: int, count: int, key: Key) -> Words:
    zero = np.zeros(count, np.uint64)
    return philox(key, stream, zero + np.uint64(graph), zero, np.arange(count, dtype=np.uint64))

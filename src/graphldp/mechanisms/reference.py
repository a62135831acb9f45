"""Plain NumPy for every law: what the compiled loops are tested against, and what runs where numba is not installed.

Same signatures and same bits as :mod:`graphldp.mechanisms.kernels`. Cost is linear in entries here too; only the
constant is larger. Strangers are added in rounds, the k-th round placing the k-th stranger of every user who has one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.csr import NeighbourLists, lists_from_pairs
from graphldp.mechanisms.streams import Key, Stream, Words, philox, to_uniform


def sample_lists(
    lists: NeighbourLists, keep: NDArray[np.float64], fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Noisy lists: each true neighbour of u stays with ``keep[u]``, each stranger is added with ``fake[u]``."""
    owner = np.repeat(np.arange(lists.num_users), lists.degrees)
    place = np.arange(lists.num_entries) - lists.indptr[owner]
    stays = to_uniform(_words(lists, Stream.EDGES, owner, place, key)) < keep[owner]
    fake_owner, rank = _stranger_ranks(lists, fake, key)
    stranger = _unrank(lists, fake_owner, rank)
    start = np.repeat(lists.graph_ptr[:-1], lists.sizes)
    source = np.concatenate((owner[stays], fake_owner))
    target = np.concatenate((lists.indices[stays].astype(np.int64), stranger)) + start[source]
    indptr, entries = lists_from_pairs(source, target, lists.num_users)
    return indptr, (entries - np.repeat(start, np.diff(indptr))).astype(np.int32)


def _stranger_ranks(
    lists: NeighbourLists, fake: NDArray[np.float64], key: Key
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who adds strangers, and which in her own numbering of strangers: geometric skips, one round at a time."""
    strangers = np.repeat(lists.sizes, lists.sizes) - 1 - lists.degrees
    at = np.full(lists.num_users, -1, np.int64)
    users, ranks, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    active = np.flatnonzero((fake > 0.0) & (strangers > 0))
    while len(active):
        uniform = to_uniform(_words(lists, Stream.FAKES, active, np.full(len(active), number), key))
        with np.errstate(divide="ignore"):
            skip = np.log(uniform) / np.log1p(-fake[active])
        at[active] += 1 + np.minimum(skip, strangers[active]).astype(np.int64)
        active = active[at[active] < strangers[active]]
        users.append(active)
        ranks.append(at[active])
        number += 1
    return np.concatenate(users), np.concatenate(ranks)


def _unrank(lists: NeighbourLists, owner: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank-th stranger of each owner: r plus the members of her list, and she herself, that stand before.

    With x_0 < x_1 < … these d + 1 numbers, x_s − s of the strangers stand before x_s, so s is found by bisection.
    """
    me = np.arange(lists.num_users)
    start = np.repeat(lists.graph_ptr[:-1], lists.sizes)
    source = np.concatenate((np.repeat(me, lists.degrees), me))
    target = np.concatenate((lists.indices.astype(np.int64) + np.repeat(start, lists.degrees), me))
    indptr, blocked = lists_from_pairs(source, target, lists.num_users)
    before = (
        blocked
        - np.repeat(start, np.diff(indptr))
        - (np.arange(len(blocked)) - np.repeat(indptr[:-1], np.diff(indptr)))
    )
    step = lists.n_max + 1  # each owner's values lie in one interval of this width, so one sorted array holds them all
    table = before + np.repeat(me, np.diff(indptr)) * step
    return rank + np.searchsorted(table, rank + owner * step, side="right") - indptr[owner]


def first_words(lists: NeighbourLists, stream: Stream, key: Key) -> Words:
    """The first two words of each user's stream, shape (users, 2)."""
    users = np.arange(lists.num_users)
    return np.stack([_words(lists, stream, users, np.full(len(users), w), key) for w in (0, 1)], axis=1)


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


def _words(lists: NeighbourLists, stream: Stream, users: NDArray[np.int64], word: NDArray[np.int64], key: Key) -> Words:
    graph = lists.graph_ids[lists.graph_of_user[users]].astype(np.uint64)
    return philox(key, stream, graph, lists.local_users[users].astype(np.uint64), word.astype(np.uint64))


def _graph_words(stream: Stream, graph: int, count: int, key: Key) -> Words:
    zero = np.zeros(count, np.uint64)
    return philox(key, stream, zero + np.uint64(graph), zero, np.arange(count, dtype=np.uint64))

"""The contract that every mechanism keeps, ours and yours.

``gl.check_mechanism(MyMechanism(epsilon=1.0))`` draws small sets of graphs, odd ones among them, and checks what the
rest of graphldp relies on. It cannot check the privacy proof: that is what ``docs/mechanisms`` and the audit are for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import Mechanism
from graphldp.mechanisms.nonprivate import NonPrivPart
from graphldp.reports import Reports


def check_mechanism(mechanism: Mechanism) -> None:
    """Check a mechanism against the contract.

    Args:
        mechanism: with one finite ε for all, large enough for graphs of 30 users.

    Raises:
        AssertionError: naming the first clause that is broken.
    """
    for graphs in (_graphs(directed=False), _graphs(directed=True)):
        every = mechanism
        if np.ndim(mechanism.epsilon) == 0 and math.isfinite(float(mechanism.epsilon)):
            every = mechanism.at(_mixed(graphs, float(mechanism.epsilon)))
            if not isinstance(mechanism, NonPrivPart):  # which has nothing to draw without public users
                _check(mechanism, graphs)
        _check(every, graphs)


def _check(mechanism: Mechanism, graphs: GraphSet) -> None:
    before = graphs.indptr.copy(), graphs.indices.copy(), graphs.graph_ptr.copy()
    reports = mechanism.randomize(graphs, rng=11)
    kept = np.array_equal(before[0], graphs.indptr) and np.array_equal(before[1], graphs.indices)
    _require(kept and np.array_equal(before[2], graphs.graph_ptr), "the input stays as it was")
    _require(np.array_equal(reports.graph_ptr, graphs.graph_ptr), "every user has a row")
    _require(np.array_equal(reports.graph_ids, graphs.graph_ids), "graphs keep their ids")
    _require(reports.directed == graphs.directed, "directedness is kept")
    _require(_same_labels(reports, graphs), "labels are kept")
    _check_columns(reports)
    reports.changed(trusted=False)  # sorted, in range, no self-loops, no duplicates
    epsilon = np.broadcast_to(mechanism.epsilon, graphs.num_users)
    _require(bool((reports.guarantee.epsilon <= epsilon * (1 + 1e-15)).all()), "no user spends more than her ε")
    listed = np.isinf(epsilon) & (reports.guarantee.edges > 0)  # not a user who publishes only her columns
    _check_public_rows(reports, graphs, listed)
    _check_public_columns(reports, graphs)
    _check_draws(mechanism, graphs, reports)


def _check_columns(reports: Reports) -> None:
    """Only the last of the three columns of features is public; labels are private."""
    columns = reports.attributes
    _require(columns is not None and columns.groups is not None, "public groups are kept")
    kept = reports.features is not None and np.array_equal(reports.features, _features(reports.num_users)[:, 2:])
    _require(kept, "public features are kept, and private ones are not")
    _require(reports.node_labels is None, "private labels of users are not kept")


def _check_public_rows(reports: Reports, graphs: GraphSet, public: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
    missing = np.zeros(graphs.num_users, np.bool_) if reports.missing is None else reports.missing
    start = np.repeat(graphs.graph_ptr[:-1], graphs.sizes)
    for user in np.flatnonzero(public):
        raw = graphs.indices[graphs.indptr[user] : graphs.indptr[user + 1]]
        kept = raw[~missing[raw + start[user]]]
        sent = reports.indices[reports.indptr[user] : reports.indptr[user + 1]]
        _require(np.array_equal(kept, sent), "a public user's row is exact")
        if reports.noisy_degree is not None:
            _require(reports.noisy_degree[user] == len(raw), "a public user's d* is her degree")
        if reports.friend_counts is not None and graphs.groups is not None:
            counted = np.bincount(graphs.groups[raw + start[user]], minlength=graphs.num_groups)
            _require(np.array_equal(reports.friend_counts[user], counted), "a public user's counts are exact")


def _check_public_columns(reports: Reports, graphs: GraphSet) -> None:
    """With an infinite ε on a column, a user sends it as it is."""
    if reports.noisy_features is not None and reports.epsilon_features is not None:
        public = np.isinf(reports.epsilon_features)
        exact = np.array_equal(reports.noisy_features[public], graphs.features[public][:, :2])
        _require(exact, "a public user's features are exact")
    if reports.noisy_labels is not None and reports.epsilon_labels is not None and graphs.node_labels is not None:
        public = np.isinf(reports.epsilon_labels)
        exact = np.array_equal(reports.noisy_labels[public], graphs.node_labels[public])
        _require(exact, "a public user's label is exact")


def _check_draws(mechanism: Mechanism, graphs: GraphSet, reports: Reports) -> None:
    _require(_equal(reports, mechanism.randomize(graphs, rng=11)), "the same seed gives the same bits")
    with _threads(3):
        _require(_equal(reports, mechanism.randomize(graphs, rng=11)), "the number of threads leaves no trace")
    if np.ndim(mechanism.epsilon):
        return
    picked = np.array([4, 0])
    part = mechanism.randomize(graphs.subset(picked), rng=11)
    fits = getattr(mechanism, "n_max", None) is not None or graphs.subset(picked).n_max == graphs.n_max
    _require(not fits or _equal(reports.subset(picked), part), "a graph's draws do not depend on its company")
    if np.isfinite(reports.guarantee.epsilon).all():
        _require(not _equal(reports, mechanism.randomize(graphs, rng=12)), "another seed gives other bits")


def _equal(one: Reports, two: Reports) -> bool:
    lists = np.array_equal(one.indptr, two.indptr) and np.array_equal(one.indices, two.indices)
    for name in ("noisy_degree", "friend_counts", "noisy_features", "noisy_labels"):
        mine, theirs = getattr(one, name), getattr(two, name)
        lists = lists and (mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs))
    return lists


def _same_labels(reports: Reports, graphs: GraphSet) -> bool:
    if reports.labels is None or graphs.labels is None:
        return reports.labels is graphs.labels
    return np.array_equal(reports.labels, graphs.labels)


def _graphs(*, directed: bool) -> GraphSet:
    """A sparse graph, an empty one, one user, no edges, a complete graph, a star; the largest has 30 users."""
    sizes = [30, 0, 1, 9, 30, 12]
    start = np.concatenate(([0], np.cumsum(sizes)))
    drawn = np.random.default_rng(5).integers(0, 30, size=(40, 2))
    sparse = drawn[drawn[:, 0] != drawn[:, 1]]
    rows, columns = np.nonzero(~np.eye(30, dtype=bool))
    complete = np.stack((rows, columns), axis=1) + start[4]
    star = np.stack((np.full(11, start[5]), np.arange(start[5] + 1, start[6])), axis=1)
    source, target = np.concatenate((sparse, complete, star)).T
    made = GraphSet.from_edges(source, target, sizes, labels=[0, 1, 0, 1, 0, 1], directed=directed)
    count = made.num_users
    made = made.with_features(_features(count), public=[False, False, True]).with_node_labels(np.arange(count) % 2)
    return made.with_groups(np.arange(count) % 3)


def _features(users: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.arange(3.0 * users).reshape(users, 3)


def _mixed(graphs: GraphSet, epsilon: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.where(np.random.default_rng(6).random(graphs.num_users) < 0.3, np.inf, epsilon)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = os.environ.get("GRAPHLDP_THREADS")
    os.environ["GRAPHLDP_THREADS"] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ["GRAPHLDP_THREADS"]
        else:
            os.environ["GRAPHLDP_THREADS"] = before


def _require(holds: bool, clause: str) -> None:
    if not holds:
        raise AssertionError(f"A mechanism's contract is broken: {clause}.")

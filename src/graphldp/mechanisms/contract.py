"""The contract that every mechanism keeps, ours and yours.

``gl.check_mechanism(MyMechanism(epsilon=1.0))`` draws small sets of graphs, odd ones among them, and checks what the
rest of graphldp relies on. It cannot check the privacy proof: that is what ``docs/mechanisms`` and the audit are for.
"""

from __future__ import annotations

import math
import os
from typing import Any
from unittest.mock import patch

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
            public = np.random.default_rng(6).random(graphs.num_users) < 0.3
            every = mechanism.at(np.where(public, np.inf, mechanism.epsilon))
            if not isinstance(mechanism, NonPrivPart):  # which has nothing to draw without public users
                _check(mechanism, graphs)
        _check(every, graphs)


def _check(mechanism: Mechanism, graphs: GraphSet) -> None:
    before = [each.copy() for each in (graphs.indptr, graphs.indices, graphs.graph_ptr)]
    reports = mechanism.randomize(graphs, rng=11)
    _require(all(map(_same, before, (graphs.indptr, graphs.indices, graphs.graph_ptr))), "the input stays as it was")
    _require(_same(reports.graph_ptr, graphs.graph_ptr), "every user has a row")
    _require(_same(reports.graph_ids, graphs.graph_ids), "graphs keep their ids")
    _require(reports.directed == graphs.directed, "directedness is kept")
    _require(_same(reports.labels, graphs.labels), "labels are kept")
    _require(reports.groups is not None, "public groups are kept")
    public = _same(reports.features, _features(reports.num_users)[:, 2:])  # the last of three columns
    _require(public, "public features are kept, and private ones are not")
    _require(reports.node_labels is None, "private labels of users are not kept")
    reports.changed(trusted=False)  # sorted, in range, no self-loops, no duplicates
    epsilon = np.broadcast_to(mechanism.epsilon, graphs.num_users)
    _require(bool((reports.guarantee.epsilon <= epsilon * (1 + 1e-15)).all()), "no user spends more than her ε")
    listed = np.isinf(epsilon) & (reports.guarantee.edges > 0)  # not a user who publishes only her columns
    _check_public_rows(reports, graphs, listed)
    _check_public_columns(reports, graphs)
    _check_draws(mechanism, graphs, reports)


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
    told = reports.columns
    if told.features is not None:
        public = np.isinf(reports.budget.features)
        exact = np.array_equal(told.features[public], graphs.features[public][:, :2])
        _require(exact, "a public user's features are exact")
    if told.labels is not None and graphs.node_labels is not None:
        public = np.isinf(reports.budget.labels)
        _require(np.array_equal(told.labels[public], graphs.node_labels[public]), "a public user's label is exact")


def _check_draws(mechanism: Mechanism, graphs: GraphSet, reports: Reports) -> None:
    _require(_equal(reports, mechanism.randomize(graphs, rng=11)), "the same seed gives the same bits")
    with patch.dict(os.environ, GRAPHLDP_THREADS="3"):
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
    told = (
        (each.indptr, each.indices, each.noisy_degree, each.friend_counts, each.columns.features, each.columns.labels)
        for each in (one, two)
    )
    answers = (None if each.pair_answers is None else each.pair_answers.told for each in (one, two))
    return all(map(_same, *told)) and _same(*answers)


def _same(one: Any, two: Any) -> bool:
    """Whether two arrays hold the same, NaN too, or neither is there."""
    return one is two or (one is not None and two is not None and np.array_equal(one, two, equal_nan=True))


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


def _require(holds: bool, clause: str) -> None:
    if not holds:
        raise AssertionError(f"A mechanism's contract is broken: {clause}.")

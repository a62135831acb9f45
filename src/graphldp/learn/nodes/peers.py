"""Peers: what others have proposed for classes of single users, with our learners on top."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphldp.errors import DataError
from graphldp.learn.inference.blink import denoise
from graphldp.learn.nodes import opinions
from graphldp.learn.nodes.feature_view import FeatureView, LabelledUsers
from graphldp.learn.nodes.lpgnn import lpgnn
from graphldp.mechanisms.attributes.category_rr import chances, indicators
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Whose = Literal["own", "another's", "random"]


def by_blink(reports: Reports, view: FeatureView, seed: int) -> dict[str, Floats]:
    """What friends say in the graph that Blink's own server makes (Zhu, Tan & Xiao, CCS 2023), its hybrid kind."""
    found, users = denoise(reports, "hybrid"), view.users
    graph = found.reports
    edges = sparse.csr_array((found.weight, graph.indices, graph.indptr), shape=(graph.num_users, graph.num_users))
    rows = None if view.rows is None else opinions.compressed(view.rows, seed)
    return opinions.by_links(rows, edges, view.log_proba, users.codes, users.train, users.validation)


def by_lpgnn(reports: Reports, users: LabelledUsers, seed: int, whose: Whose = "own", *, noisy_labels: bool) -> Floats:
    """What LPGNN says of everybody, from public friendships and private features; log probabilities.

    Do the features add anything? Where another user's features or random numbers do as well, the friendships do all the
    work: rows tell users apart, and so each user's friends.

    Args:
        reports: with true lists and with ``noisy_features``.
        users: whose classes are known.
        seed: of random numbers.
        whose: features instead of each user's own.
        noisy_labels: whether the classes that are learned from are those that users told with noise.
    """
    rows, rng = reports.noisy_features, np.random.default_rng(seed)
    if rows is None:
        raise DataError("LPGNN needs private features: gl.Joint(edges=gl.NonPrivFull(), features=gl.MultiBit(…)).")
    if whose == "another's":
        rows = rows[rng.permutation(len(rows))]
    elif whose == "random":
        rows = rng.standard_normal(rows.shape, np.float32)
    shape, classes = (reports.num_users, reports.num_users), len(users.classes)
    graph = sparse.csr_array((np.ones(reports.num_entries), reports.indices, reports.indptr), shape=shape)
    told, law = np.eye(classes)[users.codes], np.eye(classes)
    if noisy_labels:
        own, other = chances(np.exp(-np.max(reports.budget.labels)), classes)
        told, law = indicators(reports), np.full((classes, classes), other) + (own - other) * np.eye(classes)
    return lpgnn(graph, rows, told, law, users.train, users.validation, seed)

"""What others have proposed for classes of single users, with our learners on top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphldp.learn.inference.blink import denoise
from graphldp.learn.nodes import opinions
from graphldp.learn.nodes.feature_view import FeatureView
from graphldp.reports import Reports

Floats = NDArray[np.float64]


def by_blink(reports: Reports, view: FeatureView, seed: int) -> dict[str, Floats]:
    """What friends say in the graph that Blink's own server makes (Zhu, Tan & Xiao, CCS 2023), its hybrid kind."""
    found, users = denoise(reports, "hybrid"), view.users
    graph = found.reports
    edges = sparse.csr_array((found.weight, graph.indices, graph.indptr), shape=(graph.num_users, graph.num_users))
    rows = None if view.rows is None else opinions.compressed(view.rows, seed)
    return opinions.by_links(rows, edges, view.log_proba, users.codes, users.train, users.validation)

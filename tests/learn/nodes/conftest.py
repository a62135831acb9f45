"""One graph of three classes, whose users resemble and befriend their own kind, mostly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import graphldp as gl


class Town(NamedTuple):
    graphs: gl.GraphSet
    classes: NDArray[np.int64]
    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


@pytest.fixture(scope="package")
def town() -> Town:
    rng = np.random.default_rng(8)
    n, kinds, words = 600, 3, 60
    classes = rng.integers(0, kinds, n)
    chance = np.full((kinds, words), 0.05)
    for kind in range(kinds):
        chance[kind, kind * 10 : kind * 10 + 10] = 0.11
    features = rng.random((n, words)) < chance[classes]
    one, two = (rng.integers(0, n, 12 * n) for _ in range(2))
    kept = (one != two) & (rng.random(len(one)) < np.where(classes[one] == classes[two], 0.8, 0.05))
    graphs = gl.GraphSet.from_edges(one[kept], two[kept], [n])
    graphs = graphs.with_features(sparse.csr_array(features), public=True).with_node_labels(classes + 5, public=True)
    return Town(graphs, classes, *gl.split(classes, (0.5, 0.25, 0.25), 0))

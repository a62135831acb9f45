from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.datasets import synthetic


@pytest.fixture(scope="session")
def threads() -> gl.GraphSet:
    """Forty graphs with hubs, 50 to 200 users each."""
    return synthetic.threads(num_graphs=40, seed=3)


@pytest.fixture(scope="session")
def reports(threads: gl.GraphSet) -> gl.Reports:
    return gl.DPRR(epsilon=1.0).randomize(threads, rng=7)


@pytest.fixture(scope="session")
def mixed(threads: gl.GraphSet) -> gl.Reports:
    """A fifth of the users is public."""
    epsilon = gl.customized(threads, epsilon=1.0, public_fraction=0.2, rng=7)
    return gl.DPRR(epsilon=epsilon).randomize(threads, rng=7)


@pytest.fixture(scope="session")
def stars() -> gl.GraphSet:
    """Sixty graphs of 300 users, each with one hub who knows half of them, and a sparse rest."""
    n, source, target = 300, [], []
    rng = np.random.default_rng(1)
    for graph in range(60):
        leaves = rng.permutation(np.arange(1, n))[:150] + graph * n
        pairs = rng.integers(1, n, size=(150, 2)) + graph * n
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        source += [np.full(150, graph * n), pairs[:, 0]]
        target += [leaves, pairs[:, 1]]
    labels = np.arange(60) % 2
    return gl.GraphSet.from_edges(np.concatenate(source), np.concatenate(target), [n] * 60, labels=labels)

"""What the server holds beside the lists reaches the classifier; :mod:`tests.learn.test_gin` says how, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphldp as gl


@pytest.fixture(scope="module")
def degrees_only() -> gl.Reports:
    """Reports without a single edge: stars and paths of the same sizes differ in d* alone."""
    rng = np.random.default_rng(0)
    source, target, sizes, start = [], [], [], 0
    for graph in range(80):
        n = int(rng.integers(30, 60))
        source += [start if graph % 2 == 0 else start + i for i in range(n - 1)]
        target += [start + i + 1 for i in range(n - 1)]
        sizes.append(n)
        start += n
    graphs = gl.GraphSet.from_edges(source, target, sizes, np.arange(80) % 2)
    return gl.NoisyDegrees(epsilon=2.0).randomize(graphs, rng=0)


@pytest.mark.parametrize(
    "options",
    [{"features": "size", "graph_features": "degrees"}, {"features": "noisy-degree"}, {"features": "profile"}],
    ids=str,
)
def test_it_learns_from_degrees_where_there_is_no_list(degrees_only: gl.Reports, options: dict[str, Any]) -> None:
    train, test = degrees_only[:60], degrees_only[60:]
    clf = gl.GINClassifier(layers=2, hidden=16, max_epochs=40, batch_size=16, device="cpu", **options).fit(train)
    assert clf.score(test) >= 0.9

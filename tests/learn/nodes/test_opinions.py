"""Opinions: what a user's own noisy category says of her class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.nodes.opinions import own_word
from graphldp.mechanisms.attributes.category_rr import chances, indicators


@pytest.mark.parametrize("epsilon", [1.0, np.repeat([0.5, np.inf], 300)], ids=["one for all", "one each"])
def test_her_own_word_counts_by_the_law_that_drew_it(
    epsilon: Any,
) -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 600)
    jobs = np.where(rng.random(600) < 0.8, classes, 2)  # goes with the class, and is not it
    graphs = gl.GraphSet.from_edges([], [], [600]).with_node_labels(jobs)
    reports = gl.CategoryRR(epsilon, categories=3).randomize(graphs, rng=1)
    train = np.arange(0, 600, 2)
    found = own_word(reports, classes, train)
    assert reports.noisy_labels is not None
    assert reports.epsilon_labels is not None
    true = indicators(reports)
    for user in range(0, 600, 37):
        own, other = chances(np.exp(-reports.epsilon_labels[user]), 3)
        for k in (0, 1):
            counted = 1 + np.maximum(true[[u for u in train if classes[u] == k]].sum(axis=0), 0)
            law = [own if c == reports.noisy_labels[user] else other for c in range(3)]
            assert found[user, k] == pytest.approx(np.log(counted @ law / counted.sum()))
    shares = np.exp(found).mean(axis=0)
    assert ((shares > 0) & (shares < 1)).all()

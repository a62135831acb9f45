"""Predictions: from a user's own noisy category, and their mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.learn.nodes.predictions import by_category, exponents, log_shares, mixed
from graphldp.mechanisms.attributes.category_rr import chances, indicators


@pytest.mark.parametrize("epsilon", [1.0, np.repeat([0.5, np.inf], 300)], ids=["one for all", "one each"])
def test_a_noisy_category_counts_by_the_law_that_drew_it(
    epsilon: Any,
) -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 600)
    jobs = np.where(rng.random(600) < 0.8, classes, 2)  # goes with the class, and is not it
    graphs = gl.GraphSet.from_edges([], [], [600]).with_node_labels(jobs)
    reports = gl.CategoryRR(epsilon, categories=3).randomize(graphs, rng=1)
    train = np.arange(0, 600, 2)
    found = by_category(reports, classes, train)
    told, spent = some(reports.columns.labels), np.asarray(reports.budget.labels)
    true = indicators(reports)
    for user in range(0, 600, 37):
        own, other = chances(np.exp(-spent[user]), 3)
        for k in (0, 1):
            counted = 1 + np.maximum(true[[u for u in train if classes[u] == k]].sum(axis=0), 0)
            law = [own if c == told[user] else other for c in range(3)]
            assert found[user, k] == pytest.approx(np.log(counted @ law / counted.sum()))
    shares = np.exp(found).mean(axis=0)
    assert ((shares > 0) & (shares < 1)).all()


def test_exponents_suit_what_each_prediction_is_worth() -> None:
    """A calibrated prediction keeps about 1, one three times too sure a third of it, noise about 0; seeded."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 3)) * 1.5
    codes = np.array([rng.choice(3, p=row) for row in np.exp(log_shares(scores))])
    noise = log_shares(rng.normal(size=(4000, 3)))
    fair = exponents([log_shares(scores), noise], codes)
    sure = exponents([log_shares(3 * scores), noise], codes)
    assert fair == pytest.approx([1.0, 0.0], abs=0.1)
    assert sure == pytest.approx([1 / 3, 0.0], abs=0.1)
    assert (fair >= 0).all()


def test_a_mixture_is_a_product_of_powers() -> None:
    one, two = (log_shares(np.random.default_rng(seed).normal(size=(5, 4))) for seed in (1, 2))
    wanted = np.exp(one) ** 0.5 * np.exp(two) ** 2
    found = np.exp(mixed([one, two], np.array([0.5, 2.0])))
    assert found == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True))

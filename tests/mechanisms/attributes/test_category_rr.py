"""CategoryRR: its exact law, estimates that are right on average, and what it draws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.attributes.category_rr import chances, indicators
from graphldp.reports import NoisyColumns

from ..counting import assert_counts

ALARM = 1e-6
ODDS = Fraction(2, 3)  # e^(−ε)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_law_costs_epsilon_and_the_estimate_is_right_on_average(k: int) -> None:
    own, other = chances(ODDS, k)
    assert own + (k - 1) * other == 1
    assert own / other == 1 / ODDS  # the largest ratio there is: any message is likelier by one of these two
    for category in range(k):
        told = [own if told == category else other for told in range(k)]
        means = [sum(p * ((each == one) - other) / (own - other) for each, p in enumerate(told)) for one in range(k)]
        assert means == [int(one == category) for one in range(k)]


def people(labels: Any, **public: Any) -> gl.GraphSet:
    return gl.GraphSet.from_edges([], [], [len(labels)]).with_node_labels(labels, **public)


def test_what_is_drawn_has_the_law() -> None:
    """Counts of what 20,000 users of each category tell, by the exact law; seeded."""
    labels = np.repeat(np.arange(4), 20_000)
    told = some(gl.CategoryRR(math.log(1.5), categories=4).randomize(people(labels), rng=5).columns.labels)
    own, other = (float(each) for each in chances(ODDS, 4))
    for category in range(4):
        counts = np.bincount(told[labels == category], minlength=4)
        assert_counts(counts, np.where(np.arange(4) == category, own, other), ALARM)


def test_how_often_each_occurs_is_found() -> None:
    """The mean of 40,000 indicators of ε = 1 lies within five standard errors (below 1e-6 each); seeded."""
    labels = np.repeat([0, 0, 0, 1, 2], 8_000)
    reports = gl.CategoryRR(1.0, categories=4).randomize(people(labels), rng=6)
    found = indicators(reports)
    assert np.allclose(found.sum(axis=1), 1.0)
    error = found.std(axis=0) / math.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - [0.6, 0.2, 0.2, 0.0]) < 5 * error).all()


def test_epsilons_of_their_own(tmp_path: Any) -> None:
    labels = np.array([2, 0, 1, 1] * 10)
    epsilon = np.where(np.arange(40) % 4 == 0, np.inf, 0.5)
    reports = gl.CategoryRR(epsilon, categories=3).randomize(people(labels), rng=0)
    assert (some(reports.columns.labels)[::4] == 2).all()
    assert indicators(reports)[0].tolist() == [0.0, 0.0, 1.0]
    assert reports.guarantee.columns.tolist() == epsilon.tolist()
    assert reports.node_labels is None
    reports.save(tmp_path / "reports.npz")
    again = gl.Reports.load(tmp_path / "reports.npz")
    assert np.array_equal(some(again.columns.labels), some(reports.columns.labels))
    assert again.columns.categories == 3


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (gl.GraphSet.from_edges([], [], [3]), r"needs labels of users: graphs\.with_node_labels"),
        (people([0, 1, 1], public=True), "these are public"),
        (people([0, 1, 2]), "must have a label from 0 to 1. Some have none"),
        (people([0, 1, -9]), "must have a label from 0 to 1. Some have none"),
    ],
)
def test_what_it_cannot_draw(graphs: gl.GraphSet, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.CategoryRR(1.0, categories=2).randomize(graphs, rng=0)


@pytest.mark.parametrize("categories", [1, 0, -2, 2.0, True, None])
def test_at_least_two_categories(categories: Any) -> None:
    with pytest.raises(ParameterError, match="'categories' parameter of CategoryRR must be a whole number ≥ 2"):
        gl.CategoryRR(1.0, categories=categories)


def test_indicators_of_reports_without_a_category() -> None:
    with pytest.raises(DataError, match="tell no category"):
        indicators(gl.RR(1.0).randomize(people([0, 1]), rng=0))


@pytest.mark.parametrize(
    ("columns", "spent", "message"),
    [
        ({"labels": np.array([0, 1]), "categories": 2}, {}, "come with what was spent"),
        ({}, {"features": 1.0}, "come with what was spent"),
        ({"labels": np.array([0, 2]), "categories": 2}, {"labels": 1.0}, "below the number"),
        ({"labels": np.array([0, 1])}, {"labels": 1.0}, "below the number"),
        ({"labels": np.array([0.0, 1.0]), "categories": 2}, {"labels": 1.0}, "a whole number for each user"),
        ({"labels": np.array([0, 1]), "categories": 2, "features": np.zeros((3, 1))}, {}, "for each of 3 users"),
        ({"features": np.full((2, 1), np.nan)}, {"features": 1.0}, "finite"),
        ({"features": np.zeros((3, 1))}, {"features": 1.0}, "each of 2 users. Got 3"),
        ({"features": np.zeros(2)}, {"features": 1.0}, "a row of numbers for each user"),
    ],
    ids=str,
)
def test_reports_refuse_columns_that_do_not_fit(columns: dict[str, Any], spent: dict[str, Any], message: str) -> None:
    empty = (np.zeros(3, np.int64), np.zeros(0, np.int32), np.array([0, 2]))
    with pytest.raises(DataError, match=message):
        gl.Reports(*empty, budget=gl.Budget(0.0, 0.0, **spent), columns=NoisyColumns(**columns))

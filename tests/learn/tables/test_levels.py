"""Levels: every user is at one, and a claim beyond all others counts as the largest."""

from dataclasses import replace

import numpy as np

import graphldp as gl
from graphldp.learn.tables.levels import COLUMNS, LEVELS, NOBODY, Levelled, level_rows


def _reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(12, seed=0), rng=0)


def test_every_user_is_at_one_level() -> None:
    assert (np.diff(LEVELS) > 0).all()
    reports = _reports()
    levelled = Levelled.of(reports)
    np.testing.assert_array_equal(levelled.present.sum(axis=1), reports.sizes)
    np.testing.assert_array_equal(levelled.private, levelled.present)
    beyond = np.maximum(reports.sizes - 1.0, 0.0)[:, None] < LEVELS[: levelled.present.shape[1]]
    assert (levelled.present[beyond] == 0).all()


def test_a_claim_above_all_others_counts_as_all_others() -> None:
    reports = _reports()
    claims = np.asarray(reports.noisy_degree).copy()
    first = reports.graph_ptr[:-1]
    claims[first] = reports.sizes - 1.0
    largest = Levelled.of(replace(reports, noisy_degree=claims.copy()))
    claims[first] = 2.0**27
    np.testing.assert_array_equal(Levelled.of(replace(reports, noisy_degree=claims)).present, largest.present)
    claims[first] = -(2.0**27)
    lowest = Levelled.of(replace(reports, noisy_degree=claims)).present
    assert (lowest[:, 0] >= 1).all()


def test_the_order_of_users_does_not_matter() -> None:
    reports = _reports()
    order = np.lexsort((np.random.default_rng(0).random(reports.num_users), reports.graph_of_user))
    turned = replace(reports, noisy_degree=np.asarray(reports.noisy_degree)[order])
    np.testing.assert_array_equal(Levelled.of(turned).present, Levelled.of(reports).present)


def test_whoever_stays_away_leaves_the_levels_and_stays_in_n() -> None:
    reports = _reports()
    missing = np.zeros(reports.num_users, np.bool_)
    missing[reports.graph_ptr[:-1]] = True
    away = Levelled.of(replace(reports, missing=missing))
    np.testing.assert_array_equal(away.n, reports.sizes)
    np.testing.assert_array_equal(away.present.sum(axis=1), reports.sizes - 1)


def test_public_users_cannot_lie() -> None:
    graphs = gl.synthetic.threads(12, seed=0)
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.3, rng=0)
    reports = gl.NoisyDegrees(epsilon, noise="discrete").randomize(graphs, rng=0)
    levelled = Levelled.of(reports)
    hidden = np.bincount(reports.graph_of_user, ~reports.public, reports.num_graphs)
    np.testing.assert_array_equal(levelled.private.sum(axis=1), hidden)


def test_no_graph_at_all() -> None:
    nothing = Levelled.of(gl.GraphSet.from_edges([], [], []))
    none = np.zeros(0, np.int64)
    assert level_rows(nothing, none, np.full((0, 2), NOBODY)).shape == (0, COLUMNS)


def test_a_level_is_a_tenth_below_the_degree_at_most() -> None:
    reports = _reports()
    graphs = Levelled.of(reports)
    highest = np.maximum.reduceat(np.asarray(reports.noisy_degree), reports.graph_ptr[:-1])
    most = np.minimum(highest, np.maximum(reports.sizes - 1.0, 0.0))
    found = LEVELS[graphs.ranked(np.array([1]))[:, 0]]
    assert (found <= most).all()
    assert (most < found * 1.1 + 1).all()

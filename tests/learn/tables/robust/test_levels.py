"""Levels hold all that a user of bounded weight can say."""

from dataclasses import replace

import numpy as np

import graphldp as gl
from graphldp.learn.tables.robust.levels import COLUMNS, LEVELS, Levelled, levels_of


def _reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(12, seed=0), rng=0)


def test_every_user_is_at_one_level() -> None:
    assert (np.diff(LEVELS) > 0).all()
    reports = _reports()
    levelled = Levelled.of(reports)
    np.testing.assert_array_equal(levelled.present.sum(axis=1), reports.sizes)
    np.testing.assert_array_equal(levelled.private, levelled.present)
    assert (levelled.present[~levelled.admissible] == 0).all()


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
    np.testing.assert_array_equal(Levelled.of(turned).sums(), Levelled.of(reports).sums())


def test_whoever_stays_away_counts_as_the_mean_of_the_others() -> None:
    reports = _reports()
    missing = np.zeros(reports.num_users, np.bool_)
    missing[reports.graph_ptr[:-1]] = True
    away = Levelled.of(replace(reports, missing=missing))
    np.testing.assert_array_equal(away.n, reports.sizes)
    others = np.einsum("gb,gbc->gc", away.present, away.parts())
    mean = others / away.reported[:, None]
    np.testing.assert_allclose(away.sums(), others + mean)  # a report that says what all others say on average


def test_public_users_cannot_lie() -> None:
    graphs = gl.synthetic.threads(12, seed=0)
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.3, rng=0)
    reports = gl.NoisyDegrees(epsilon, noise="discrete").randomize(graphs, rng=0)
    levelled = Levelled.of(reports)
    hidden = np.bincount(reports.graph_of_user, ~reports.public, reports.num_graphs)
    np.testing.assert_array_equal(levelled.private.sum(axis=1), hidden)


def test_no_graph_at_all() -> None:
    nothing = Levelled.of(gl.GraphSet.from_edges([], [], []))
    assert nothing.sums().shape == (0, COLUMNS)


def test_finer_levels_keep_more_of_the_degrees() -> None:
    fine, reports = levels_of(40, 1.02), _reports()
    graphs, coarse = Levelled.of(reports, fine), Levelled.of(reports)
    np.testing.assert_array_equal(graphs.reported, coarse.reported)
    most = np.maximum(reports.sizes - 1.0, 0.0)
    highest = np.maximum.reduceat(np.asarray(reports.noisy_degree), reports.graph_ptr[:-1])
    for levels, each, step in ((fine, graphs, 1.02), (LEVELS, coarse, 1.1)):
        found = levels[each.ranked(np.array([1]))[:, 0]]
        assert (found <= np.minimum(highest, most)).all()
        assert (np.minimum(highest, most) < found * step + 1).all()
        np.testing.assert_array_equal(each.subset(slice(2)).levels, levels)

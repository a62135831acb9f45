"""Every lie of one user, and the graph that others see with it."""

from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl
from graphldp.experiments.one_liar.lies import AWAY, NOBODY, SingleLies
from graphldp.learn.tables.robust.level_profile import COLUMNS
from graphldp.learn.tables.robust.levels import Levelled, levels_of

LEVELS = levels_of(20, 1.05)


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(12, seed=1), rng=0)


def told(reports: gl.Reports, graph: int, source: int, target: int) -> gl.Reports:
    """What a graph sends if some user of a level claims another one, or stays away."""
    alone = reports.subset(np.array([graph]))
    degree, missing = np.asarray(alone.noisy_degree).copy(), np.zeros(alone.num_users, np.bool_)
    level = np.searchsorted(LEVELS, np.minimum(degree, alone.num_users - 1), side="right") - 1
    liar = np.flatnonzero(level == source)[0]
    if target == AWAY:
        missing[liar] = True
    else:
        degree[liar] = LEVELS[target]
    return replace(alone, noisy_degree=degree, missing=missing)


@pytest.mark.parametrize("kind", ["some", "all"])
def test_a_row_is_what_others_see_if_the_lie_is_told(reports: gl.Reports, kind: str) -> None:
    graphs = Levelled.of(reports, LEVELS)
    lies = SingleLies.some(graphs) if kind == "some" else SingleLies.all(graphs)
    table, picked = lies.table(graphs), np.random.default_rng(0).choice(len(lies.graph), 150, replace=False)
    assert table.shape == (len(lies.graph), COLUMNS)
    for row in picked[lies.source[picked] != NOBODY]:
        really = Levelled.of(told(reports, lies.graph[row], lies.source[row], lies.target[row]), LEVELS)
        np.testing.assert_allclose(table[row], SingleLies.some(really).table(really)[0], rtol=1e-6)


def test_all_lies_are_there_and_in_the_first_row_nobody_lies(reports: gl.Reports) -> None:
    graphs = Levelled.of(reports, LEVELS)
    lies = SingleLies.all(graphs)
    levels, claims = (graphs.private > 0).sum(axis=1), graphs.admissible.sum(axis=1)
    np.testing.assert_array_equal(np.bincount(lies.graph), 1 + levels * (claims + 1))
    np.testing.assert_array_equal(lies.graph[lies.first], np.arange(len(reports)))
    assert (lies.source[lies.first] == NOBODY).all()
    assert (np.bincount(SingleLies.some(graphs).graph) == np.bincount(SingleLies.some(graphs).graph)[0]).all()


def test_public_users_do_not_lie(reports: gl.Reports) -> None:
    epsilon = np.where(np.arange(reports.num_users) % 2, 1.0, np.inf)
    graphs = gl.synthetic.threads(12, seed=1)
    some = Levelled.of(gl.NoisyDegrees(epsilon, noise="discrete").randomize(graphs, rng=0), LEVELS)
    lies = SingleLies.all(some)
    lying = lies.source != NOBODY
    assert (some.private[lies.graph[lying], lies.source[lying]] > 0).all()
    assert len(lies.graph) < len(SingleLies.all(replace(some, private=some.present)).graph)


def test_graphs_of_few_users_have_few_lies() -> None:
    graphs = gl.GraphSet.from_edges([], [], [])
    assert SingleLies.all(Levelled.of(graphs)).table(Levelled.of(graphs)).shape == (0, COLUMNS)
    alone = Levelled(np.array([1.0]), *np.eye(1, 40, 12)[None].repeat(2, axis=0))
    assert np.isfinite(SingleLies.some(alone).table(alone)).all()
    assert np.isfinite(SingleLies.all(alone).table(alone)).all()

"""Triangles from two rounds: no bias, errors that are true, and never worse than either round."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import some

import graphldp as gl
from graphldp.estimates import pairs
from graphldp.estimates.noise import NoisyNumbers, spread
from graphldp.estimates.samples import Sample
from graphldp.mechanisms.closed_pairs import counts
from graphldp.privacy.caps import pair_caps
from graphldp.reports import PairAnswers


@pytest.mark.parametrize(("n", "flip", "epsilon0", "slack"), [(30, 0.4, 0.6, 2), (9, 0.1, 1.5, 1), (200, 0.45, 0.3, 7)])
def test_the_correction_has_the_mean_of_what_it_corrects_and_its_variance_too(
    n: int, flip: float, epsilon0: float, slack: int
) -> None:
    """Summed over all noise that there can be, for each degree."""
    reach = int(40 / epsilon0)
    noise = np.arange(-reach, reach + 1)
    chance = np.tanh(epsilon0 / 2) * np.exp(-epsilon0 * np.abs(noise))
    for d in (0, 1, 2, n // 2, n - 1):
        # with the largest number first, the table of degrees is the whole one
        told = d + noise
        correction, doubt = pairs.by_law(np.append(n, told), n, flip, epsilon0, slack)
        left = 2 * flip * d * (d - 1) - pair_caps(told, n, flip, slack) * d
        off = left - correction[1:]
        assert chance @ off == pytest.approx(0.0, abs=1e-6 * n**2)
        assert chance @ doubt[1:] == pytest.approx(chance @ off**2, rel=1e-6, abs=1e-6)


def triangles_of(graph: nx.Graph[int]) -> float:
    return float(np.trace(np.linalg.matrix_power(nx.to_numpy_array(graph), 3))) / 6


def test_raw_answers_are_counted_exactly() -> None:
    graphs = gl.synthetic.barabasi_albert(60, 8, 2, seed=1)
    found = gl.statistics(gl.ClosedPairs(np.full(graphs.num_users, np.inf)).randomize(graphs, rng=0))
    for place, graph in enumerate(graphs.to_networkx()):
        rows = found.of_community(str(place))
        assert rows["triangles"].value == pytest.approx(triangles_of(graph))
        assert rows["clustering"].value == pytest.approx(nx.transitivity(graph))
        assert max(row.error for row in (rows["triangles"], rows["clustering"])) < 1e-6
    whole = sum(triangles_of(graph) for graph in graphs.to_networkx())
    assert found["triangles"].value == pytest.approx(whole)


def ring(n: int, friends: int, count: int) -> tuple[gl.GraphSet, float]:
    """Rings in which everybody knows so many neighbours, and how many triangles one has."""
    user = np.arange(n)
    edges = [(user, (user + step) % n) for step in range(1, friends // 2 + 1)]
    source, target = (np.concatenate(each) for each in zip(*edges, strict=True))
    one = gl.GraphSet.from_edges(source, target, [n])
    many = replace(one.subset(np.zeros(count, np.int64)), graph_ids=np.arange(count), trusted=True)
    return many, triangles_of(one.to_networkx()[0])


@pytest.mark.parametrize("away", [0.0, 0.3])
def test_errors_are_what_they_say(away: float) -> None:
    """60 communities. The mean is within four of its errors of the truth, and the spread within four of its own."""
    graphs, true = ring(100, 20, 60)
    found = gl.statistics(gl.ClosedPairs(2.0, away=away).randomize(graphs, rng=11))
    rows = [found.of_community(str(each))["triangles"] for each in range(60)]
    off = np.array([row.value - true for row in rows])
    stated = np.sqrt(np.mean([row.error**2 for row in rows]))
    assert abs(off.mean()) < 4 * stated / np.sqrt(60)
    assert off.std() == pytest.approx(stated, rel=4 * np.sqrt(1 / 120))
    assert sum(row.low <= true <= row.high for row in rows) >= 49
    clustering = [found.of_community(str(each))["clustering"] for each in range(60)]
    assert sum(row.low <= 3 * true / (100 * 20 * 19 / 2) <= row.high for row in clustering) >= 49
    assert found["triangles"].value == pytest.approx(60 * (off.mean() + true), rel=0.1)
    assert bool(rows[0].assumed) == (away > 0)
    assert rows[0].basis.startswith("answers of all 100" if not away else "answers of ")


def test_answers_by_some_of_the_lists_have_no_bias() -> None:
    """Each five of seven users whose lists are published, without any noise: the mean is the truth."""
    graphs = gl.GraphSet.from_networkx([nx.erdos_renyi_graph(7, 0.7, seed=1)])
    mechanism, spent = gl.ClosedPairs(np.full(7, np.inf)), np.full(7, np.inf)
    reports, found = mechanism.randomize(graphs, rng=0), []
    numbers = NoisyNumbers.of(reports, np.arange(7), 7)
    caps = mechanism.caps(graphs, np.asarray(reports.noisy_degree), np.zeros(7), spent)
    for five in combinations(range(7), 5):
        listed = np.isin(np.arange(7), five)
        told = counts(graphs, published(graphs, listed, np.zeros(7)), caps)
        part = reports.changed(pair_answers=PairAnswers(told, np.zeros(7), listed))
        found.append(some(pairs.read_pairs(part, 0, numbers, Sample.of(np.zeros(7, int), np.ones(7, bool), 5), 5)))
    assert np.mean([each.triangles for each in found]) == pytest.approx(triangles_of(graphs.to_networkx()[0]))


def published(graphs: gl.GraphSet, listed: NDArray[np.bool_], flip: NDArray[np.float64]) -> tuple[Any, Any]:
    """True lists of those who are listed, and lists by chance of the others."""
    rng, indptr, names = np.random.default_rng(5), [0], list[NDArray[Any]]()
    for user in range(graphs.num_users):
        n = int(graphs.sizes[graphs.graph_of_user[user]])
        chance = np.flatnonzero((rng.random(n) < flip[user]) & (np.arange(n) != graphs.local_users[user]))
        names.append(graphs.indices[graphs.indptr[user] : graphs.indptr[user + 1]] if listed[user] else chance)
        indptr.append(indptr[-1] + len(names[-1]))
    return np.array(indptr), np.concatenate(names).astype(np.int32)


def test_errors_hold_where_some_had_not_reported_when_it_was_asked() -> None:
    """60 communities of which 70 % reported; a tenth of these came late, and answers like the others."""
    graphs, true = ring(100, 20, 60)
    mechanism, rng = gl.ClosedPairs(2.0), np.random.default_rng(4)
    reports = mechanism.randomize(graphs, rng=11)
    gone = rng.random(reports.num_users) < 0.3
    listed, answers = ~gone & (rng.random(reports.num_users) > 0.1), some(reports.pair_answers)
    caps = mechanism.caps(graphs, np.asarray(reports.noisy_degree), answers.flip, reports.epsilon1)
    lists = replace(graphs, indptr=reports.indptr, indices=reports.indices, trusted=True)
    told = counts(graphs, published(lists, listed, answers.flip), caps)
    rate = -np.expm1(-np.asarray(reports.budget.answer) / caps)
    told = np.where(gone, np.nan, told + rng.geometric(rate) - rng.geometric(rate))
    indptr = np.concatenate(([0], np.cumsum(np.where(gone, 0, reports.degrees))))
    kept = reports.indices[np.repeat(~gone, reports.degrees)]
    part = reports.changed(
        indptr=indptr, indices=kept, missing=gone, as_bits=None, pair_answers=PairAnswers(told, answers.flip, listed)
    )
    found = gl.statistics(part)
    rows = [found.of_community(str(each))["triangles"] for each in range(60)]
    off = np.array([row.value - true for row in rows])
    stated = np.sqrt(np.mean([row.error**2 for row in rows]))
    assert abs(off.mean()) < 4 * stated / np.sqrt(60)
    assert off.std() < stated * (
        1 + 4 * np.sqrt(1 / 120)
    )  # everybody has as many friends: absence adds less than is said
    assert sum(row.low <= true <= row.high for row in rows) >= 49


@pytest.mark.parametrize("graph", ["sparse", "small"])
def test_two_rounds_together_are_no_worse_than_either(graph: str) -> None:
    """Answers tell more in a sparse graph, lists in a small one; the error is below that of both."""
    graphs = gl.synthetic.barabasi_albert(400, 3, 1, seed=1) if graph == "sparse" else ring(24, 10, 1)[0]
    reports = gl.ClosedPairs(1.5).randomize(graphs, rng=3)
    both = gl.statistics(reports)["triangles"].error
    lists = gl.statistics(reports.changed(pair_answers=None))["triangles"].error
    silent = np.where(np.arange(graphs.num_users) < 4, some(reports.pair_answers).told, np.nan)
    few = gl.statistics(reports.changed(pair_answers=replace(some(reports.pair_answers), told=silent)))
    assert few["triangles"].basis.startswith("lists of")  # four answers are fewer than five
    assert both <= lists * (1 + 1e-9)
    assert (both < lists / 3) == (graph == "sparse")


def test_who_reported_late_is_seen_in_the_others_counts() -> None:
    """Reports that are lost after both rounds are a random sample of those who were asked."""
    graphs, true = ring(120, 24, 30)
    reports = gl.ClosedPairs(20.0).randomize(graphs, rng=1)
    gone = np.random.default_rng(2).random(reports.num_users) < 0.25
    kept = np.repeat(~gone, reports.degrees)
    indptr = np.concatenate(([0], np.cumsum(np.where(gone, 0, reports.degrees))))
    part = reports.changed(indptr=indptr, indices=reports.indices[kept], missing=gone, as_bits=None)
    found = gl.statistics(part)
    assert found["triangles"].value == pytest.approx(30 * true, rel=0.02)
    assert found["triangles"].assumed


def test_users_with_an_epsilon_of_their_own() -> None:
    graphs, true = ring(120, 24, 40)
    epsilon = np.resize([1.5, 3.0, np.inf], graphs.num_users)
    found = gl.statistics(gl.ClosedPairs(epsilon).randomize(graphs, rng=5))
    rows = [found.of_community(str(each))["triangles"] for each in range(40)]
    assert sum(row.low <= true <= row.high for row in rows) >= 33
    assert spread(np.inf) == 0


def test_sums_of_communities_are_sums_of_graphs() -> None:
    graphs, _ = ring(60, 12, 3)
    reports = gl.ClosedPairs(4.0).randomize(graphs, rng=5)
    starts = list(pairwise(reports.graph_ptr.tolist()))
    whole = gl.statistics([reports.subset([each]) for each in range(len(starts))])
    assert whole["triangles"].value == pytest.approx(gl.statistics(reports)["triangles"].value)

from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.threats import Poison, RowColumnCheck
from graphldp.threats.defenses.evidence import inconsistencies, listed_by, lists


def dense(reports: gl.Reports, graph: int) -> np.ndarray:
    one = reports.subset([graph])
    matrix = np.zeros((one.num_users, one.num_users), np.bool_)
    matrix[np.repeat(np.arange(one.num_users), one.degrees), one.indices] = True
    return matrix


def test_columns_against_dense_matrices(reports: gl.Reports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphldp.threats.defenses.evidence._BLOCK", 97)  # many blocks
    some = np.random.default_rng(1).random(reports.num_users) < 0.5
    count, odd = listed_by(reports, some), inconsistencies(reports, some)
    for graph in range(5):
        mine, matrix = reports.graph_of_user == graph, dense(reports, graph)
        inside = some[mine]
        assert np.array_equal(count[mine], matrix[inside].sum(axis=0))
        assert np.array_equal(odd[mine], (matrix != matrix.T)[:, inside].sum(axis=1))
    users = np.flatnonzero(reports.graph_of_user == 1)
    owner, member = np.repeat(users, len(users)), np.tile(users, len(users))
    assert np.array_equal(lists(reports, owner, member).reshape(len(users), -1), dense(reports, 1))


def test_false_positives_and_detection(stars: gl.GraphSet) -> None:
    reports = gl.RR(epsilon=1.0).randomize(stars, rng=1)
    verdict = RowColumnCheck(0.05).judge(reports)
    # 18,000 users, of whom two share each pair's coin; 6 standard deviations, false alarm below 1e-6
    assert verdict.rate(np.ones(reports.num_users, np.bool_)) <= 0.05 + 6 * np.sqrt(0.05 / 9000)
    attack = Poison.random(fraction=0.1)
    malicious, poisoned = attack.malicious(reports, rng=2), attack.apply(reports, rng=2)
    verdict = RowColumnCheck(0.05, fraction=0.1).judge(poisoned)
    assert verdict.rate(malicious) > 0.5
    assert verdict.rate(~malicious) <= 0.05
    ones = Poison.all_ones(fraction=0.1)
    # but for malicious hubs, whose columns bear them out
    assert RowColumnCheck(0.05, fraction=0.1).judge(ones.apply(reports, rng=2)).rate(malicious) > 0.99


def test_public_users(stars: gl.GraphSet) -> None:
    epsilon = gl.customized(stars, epsilon=1.0, public_fraction=0.3, rng=1)
    reports = gl.RR(epsilon=epsilon).randomize(stars, rng=1)
    verdict = RowColumnCheck(0.05).judge(reports)
    assert not verdict.flagged[reports.public].any()
    assert verdict.rate(~reports.public) <= 0.05 + 6 * np.sqrt(0.05 / 6000)


def test_refuses_what_it_was_not_derived_for(reports: gl.Reports, threads: gl.GraphSet) -> None:
    with pytest.raises(DataError, match="derived for reports drawn by RR"):
        RowColumnCheck().judge(reports)
    directed = gl.GraphSet.from_edges([0, 1], [1, 2], [3], directed=True)
    with pytest.raises(DataError, match="needs undirected graphs"):
        RowColumnCheck().judge(gl.RR(epsilon=1.0).randomize(directed, rng=1))
    several = np.where(np.arange(threads.num_users) % 2, 1.0, 2.0)
    with pytest.raises(DataError, match="one ε for all"):
        RowColumnCheck().judge(gl.RR(epsilon=several).randomize(threads, rng=1))
    with pytest.raises(ParameterError, match="'fraction' parameter of RowColumnCheck"):
        RowColumnCheck(fraction=2.0)

from __future__ import annotations

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.learn.tables.controls import BoundedControl, DegreeControl
from graphldp.threats import Verdict, roc
from graphldp.threats.treatments import treat


@pytest.fixture(scope="module")
def flagged(reports: gl.Reports) -> np.ndarray:
    chosen = np.random.default_rng(4).random(reports.num_users) < 0.3
    chosen[reports.graph_of_user == 2] = True  # a graph all of whose users are flagged
    return chosen


def test_remove(reports: gl.Reports, flagged: np.ndarray) -> None:
    left = treat(reports, flagged, "remove")
    left.changed(trusted=False)
    assert np.array_equal(some(left.missing), flagged)
    assert np.array_equal(left.degrees[~flagged], reports.degrees[~flagged])
    small = left.induced()
    assert small.num_graphs == reports.num_graphs
    assert small.sizes[2] == 0
    assert small.num_users == (~flagged).sum()


def test_empty(reports: gl.Reports, flagged: np.ndarray) -> None:
    left = treat(reports, flagged, "empty")
    assert left.missing is None
    assert not left.degrees[flagged].any()
    assert np.array_equal(left.degrees[~flagged], reports.degrees[~flagged])
    assert left.noisy_degree is not None
    assert not left.noisy_degree[flagged].any()


def test_redraw(reports: gl.Reports, flagged: np.ndarray) -> None:
    left = treat(reports, flagged, "redraw", rng=3)
    left.changed(trusted=False)
    assert np.array_equal(left.sizes, reports.sizes)
    assert not left.degrees[reports.graph_of_user == 2].any()  # nobody to draw from
    assert left.noisy_degree is not None
    assert reports.noisy_degree is not None
    for graph in (0, 1):
        mine = reports.graph_of_user == graph
        donors = set(reports.noisy_degree[mine & ~flagged])
        assert set(left.noisy_degree[mine & flagged]) <= donors
        assert np.array_equal(left.noisy_degree[mine & ~flagged], reports.noisy_degree[mine & ~flagged])
    same = treat(reports, flagged, "redraw", rng=3)
    assert np.array_equal(left.indices, same.indices)
    assert not np.array_equal(left.indptr, treat(reports, flagged, "redraw", rng=4).indptr)
    alone = treat(reports.subset([5]), flagged[reports.graph_of_user == 5], "redraw", rng=3)
    assert np.array_equal(alone.indices, left.subset([5]).indices)


def test_nobody_flagged_changes_nothing(mixed: gl.Reports) -> None:
    nobody = np.zeros(mixed.num_users, np.bool_)
    for treatment in ("remove", "empty", "redraw"):
        left = treat(mixed, nobody, treatment, rng=1)
        assert np.array_equal(left.indices, mixed.indices)
        assert np.array_equal(left.indptr, mixed.indptr)


def test_public_users_are_no_donors(mixed: gl.Reports) -> None:
    flagged = ~mixed.public
    assert not treat(mixed, flagged, "redraw", rng=1).degrees[flagged].any()


def test_verdict_rates_and_roc() -> None:
    score = np.array([0.0, 1.0, 2.0, 3.0])
    verdict = Verdict(score, np.array([2.0, 2.0, 2.0, np.inf]))
    assert verdict.flagged.tolist() == [False, False, True, False]
    malicious = np.array([False, False, True, True])
    assert verdict.rate(malicious) == 0.5
    assert np.isnan(verdict.rate(np.zeros(4, np.bool_)))
    assert roc(score, malicious, ~malicious).area == 1.0
    assert roc(-score, malicious, ~malicious).area == 0.0
    assert roc(np.ones(4), malicious, ~malicious).area == 0.5
    curve = roc(score, malicious, ~malicious)
    assert curve.false_positives[0] == curve.detected[0] == 0.0
    assert curve.false_positives[-1] == curve.detected[-1] == 1.0
    with pytest.raises(ParameterError, match="each of 4 users"):
        verdict.rate(np.ones(3, np.bool_))
    with pytest.raises(ParameterError, match="at least one malicious"):
        roc(score, np.zeros(4, np.bool_), malicious)


def test_models_can_learn_where_a_graph_is_empty(reports: gl.Reports, flagged: np.ndarray) -> None:
    """Nobody left, or empty lists only: a probability comes out all the same."""
    for treatment in ("remove", "empty"):
        left = treat(reports, flagged, treatment)
        gin = gl.GINClassifier(layers=3, hidden=4, max_epochs=2, min_epochs=1, seed=0, device="cpu")
        for model in (gin, DegreeControl(), BoundedControl()):
            chance = model.fit(left).predict_proba(left)
            assert np.isfinite(chance).all()
            assert np.allclose(chance.sum(axis=1), 1.0)

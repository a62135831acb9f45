from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.reports import Origin
from graphldp.threats import HubGuard, Poison, Verdict
from graphldp.threats.defenses.guard import Point, by_columns, by_number
from graphldp.threats.treatments import treat

POINTS: tuple[Point, ...] = ("accuracy", "guarantee")


def hubs_of(graphs: gl.GraphSet) -> np.ndarray:
    return graphs.degrees > np.repeat(graphs.sizes, graphs.sizes) / 4


def attacked(reports: gl.Reports, attack: Poison, point: Point) -> tuple[Verdict, np.ndarray]:
    return HubGuard(point).judge(attack.apply(reports, rng=2)), attack.malicious(reports, rng=2)


@pytest.mark.parametrize("theta", [0.05, 0.3])
@pytest.mark.parametrize("fraction", [0.0, 0.3])
def test_the_promise_is_kept_for_hubs(theta: float, fraction: float, stars: gl.GraphSet) -> None:
    """Ten draws of sixty hubs, at 4 standard deviations of a rate that is at most θ: false alarm below 1e-4."""
    flagged, count = 0, 0
    for seed in range(10):
        reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=seed)
        attack = Poison.random(fraction=fraction)
        honest = hubs_of(stars) & ~attack.malicious(reports, rng=seed)
        verdict = HubGuard("guarantee", theta=theta).judge(attack.apply(reports, rng=seed))
        flagged, count = flagged + int(verdict.flagged[honest].sum()), count + int(honest.sum())
    assert flagged <= theta * count + 4 * np.sqrt(theta * count)


def test_the_promise_has_power(stars: gl.GraphSet) -> None:
    """About a fifth of random attackers is found, more where lists are longer, and all-ones lists always."""
    reports = gl.DPRR(epsilon=1.0, n_max=3782).randomize(stars, rng=1)
    verdict, malicious = attacked(reports, Poison.random(fraction=0.1), "guarantee")
    assert verdict.rate(malicious) > 0.1
    verdict, malicious = attacked(reports, Poison.all_ones(fraction=0.3), "guarantee")
    assert verdict.rate(malicious) == 1.0


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("name", ["random", "all_ones"])
def test_the_accuracy_point_finds_nearly_all(name: str, fraction: float, stars: gl.GraphSet) -> None:
    reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=1)
    verdict, malicious = attacked(reports, getattr(Poison, name)(fraction=fraction), "accuracy")
    assert verdict.rate(malicious) >= 0.95
    assert verdict.rate(~malicious) <= 0.005


def test_without_an_attack_hubs_stay(stars: gl.GraphSet, threads: gl.GraphSet) -> None:
    for graphs in (stars, threads):
        for point in POINTS:
            verdict = HubGuard(point).judge(gl.DPRR(epsilon=1.0).randomize(graphs, rng=1))
            assert verdict.rate(hubs_of(graphs)) <= 0.05
            assert verdict.flagged.mean() <= 0.001


@pytest.mark.parametrize("point", POINTS)
def test_one_graph_is_judged_by_itself(point: Point, reports: gl.Reports) -> None:
    poisoned = Poison.random(fraction=0.2).apply(reports, rng=2)
    whole = HubGuard(point).judge(poisoned)
    for graph in (0, 2, 9):
        alone = HubGuard(point).judge(poisoned.subset([graph]))
        assert np.allclose(alone.score, whole.score[reports.graph_of_user == graph], rtol=1e-6, atol=1e-9)


def test_a_list_against_its_own_degree(stars: gl.GraphSet) -> None:
    """With the honest d* left in place, a fake list gives itself away, and no honest one does."""
    reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=1)
    for point in POINTS:
        verdict, malicious = attacked(reports, Poison.random(fraction=0.3, forge_degree=False), point)
        assert verdict.rate(malicious) > 0.98
    lists_only = replace(reports, noisy_degree=None)
    assert HubGuard().judge(lists_only).flagged.mean() <= 0.001


def test_public_users_vouch_for_hubs(stars: gl.GraphSet) -> None:
    """A tenth of public users is enough to tell every hub from every attacker."""
    epsilon = gl.customized(stars, epsilon=1.0, public_fraction=0.1, rng=1)
    reports = gl.DPRR(epsilon=epsilon).randomize(stars, rng=1)
    for point in POINTS:
        verdict, malicious = attacked(reports, Poison.random(fraction=0.3), point)
        assert not verdict.flagged[reports.public].any()
        private = ~reports.public
        assert verdict.rate(malicious) > 0.95
        assert verdict.rate(hubs_of(stars) & private & ~malicious) < 0.06


@pytest.mark.parametrize("mechanism", [gl.RR(epsilon=1.0), gl.LocalLap(epsilon=1.0)], ids=repr)
def test_rr_and_local_lap(mechanism: gl.Mechanism, stars: gl.GraphSet) -> None:
    reports = mechanism.randomize(stars, rng=1)
    for point in POINTS:
        assert HubGuard(point).judge(reports).flagged.mean() <= 0.005
        for attack in (Poison.random(fraction=0.3), Poison.all_ones(fraction=0.3)):
            verdict, malicious = attacked(reports, attack, point)
            assert verdict.rate(malicious) > 0.95
            assert verdict.rate(~malicious) < 0.01
            assert verdict.rate(hubs_of(stars) & ~malicious) < 0.06


def test_directed_graphs_are_judged_by_lengths(stars: gl.GraphSet) -> None:
    directed = replace(stars, directed=True)
    reports = gl.DPRR(epsilon=1.0).randomize(directed, rng=1)
    for point, found in zip(POINTS, (0.95, 0.0), strict=True):
        verdict, malicious = attacked(reports, Poison.random(fraction=0.3), point)
        assert verdict.rate(malicious) >= found
        verdict, malicious = attacked(reports, Poison.all_ones(fraction=0.3), point)
        assert verdict.rate(malicious) == 1.0


def test_flagged_users_are_gone_and_stay_so(reports: gl.Reports) -> None:
    attack = Poison.all_ones(fraction=0.3)
    kept, verdict = HubGuard(treatment="remove").apply(attack.apply(reports, rng=2))
    assert np.array_equal(some(kept.missing), verdict.flagged)
    again = HubGuard().judge(kept)
    assert not again.flagged[verdict.flagged].any()


def test_users_who_have_not_reported(stars: gl.GraphSet) -> None:
    """As the collector exports them: an empty list, no ε spent, d* = 0."""
    reports = gl.DPRR(epsilon=1.0, noise="discrete").randomize(stars, rng=1)
    away = np.random.default_rng(1).random(reports.num_users) < 0.2
    reports = treat(reports, away, "remove")
    reports = replace(
        reports,
        budget=gl.Budget(np.where(away, 0.0, reports.epsilon1), np.where(away, 0.0, reports.epsilon2)),
        origin=Origin("dprr"),
    )
    for point in POINTS:
        verdict, malicious = attacked(reports, Poison.all_ones(fraction=0.2), point)
        assert not malicious[away].any()
        assert not verdict.flagged[away].any()
        assert verdict.rate(malicious) == 1.0
        assert verdict.rate(~malicious) < 0.005


def test_odd_graphs() -> None:
    """No users, one user, two users, a graph whose users all send everything."""
    rows = [[1], [0], *[[j for j in range(10) if j != i] for i in range(10)]]
    indptr = np.concatenate(([0, 0], np.cumsum([len(row) for row in rows])))
    indices = np.concatenate([np.array(row, np.int32) for row in rows])
    size = len(indptr) - 1
    reports = gl.Reports(
        indptr,
        indices,
        np.array([0, 0, 1, 3, 13]),
        budget=gl.Budget(0.1, 0.9),
        origin=Origin("dprr"),
    )
    for point in POINTS:
        kept, verdict = HubGuard(point).apply(reports, rng=1)
        assert np.isfinite(verdict.score).all()
        assert kept.num_users == size
    nobody = reports.subset(np.zeros(0, np.int64))
    assert not len(HubGuard().judge(nobody).score)


def test_bad_input(threads: gl.GraphSet) -> None:
    with pytest.raises(ParameterError, match="one of guarantee, accuracy"):
        HubGuard(wrong("best"))
    with pytest.raises(ParameterError, match="'theta' parameter of HubGuard"):
        HubGuard(theta=1.5)
    with pytest.raises(DataError, match="derived for reports drawn by DPRR or RR or LocalLap"):
        HubGuard().judge(gl.NoisyDegrees(epsilon=1.0).randomize(threads, rng=1))
    with pytest.raises(DataError, match="estimator='clip'"):
        HubGuard().judge(gl.DPRR(epsilon=2.0, estimator="bayes").randomize(threads, rng=1))


def test_goals_on_reddit_binary(reddit_binary: gl.GraphSet) -> None:
    """Every fifth graph: detection and false positives as docs/evidence/poisoned-lists.md has them; 30,000 liars."""
    graphs = reddit_binary.subset(np.arange(0, reddit_binary.num_graphs, 5))
    reports, hubs = gl.DPRR(epsilon=1.0, n_max=3782).randomize(graphs, rng=1), hubs_of(graphs)
    for attack in (Poison.random(fraction=0.2), Poison.all_ones(fraction=0.2)):
        verdict, malicious = attacked(reports, attack, "accuracy")
        assert verdict.rate(malicious) >= 0.95
        assert verdict.rate(~malicious) <= 0.005
        verdict, malicious = attacked(reports, attack, "guarantee")
        assert verdict.rate(hubs & ~malicious) <= 0.05


def test_the_largest_fixed_point_has_a_formula() -> None:
    """Expectation–maximization comes down to it from above, where it is not at its slowest."""
    number = np.array([1, 2, 3, 8, 30, 200])
    for h in (0.01, 0.3, 3.0):
        cell = np.repeat(np.arange(len(number)), number)
        expected = np.full(len(cell), h)
        mu = by_number(cell, expected) * h / (1 - by_number(cell, expected))
        settled = mu > 0
        assert np.allclose(mu[settled], (number[cell] * mu / (mu + h) - 1)[settled])
        assert not settled[number[cell] <= 1 + h].any()
        assert np.allclose(by_columns(cell, expected, np.zeros(len(cell))), by_number(cell, expected), atol=1e-6)

from __future__ import annotations

import numpy as np
import pytest
from tests.values import wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.threats import DegreeThreshold, Poison

RNG = np.random.default_rng(20240)


def test_tau_of_the_paper() -> None:
    assert round(float(DegreeThreshold(0.05).tau(100, 0.9)), 1) == 92.5


def test_blind_up_to_62_users() -> None:
    n = np.arange(2, 4000)
    blind = DegreeThreshold(0.05).tau(n, 0.9) > n - 1
    assert np.array_equal(blind, n <= 62)


@pytest.mark.parametrize("theta", [0.01, 0.05, 0.3])
def test_the_guarantee_holds_at_the_worst_case(theta: float) -> None:
    """True degree n−1 and q = 1: the list is Bin(n−1, p). 5 standard deviations over 200,000 draws."""
    for n in (30, 62, 100, 1000):
        p = 1 / (1 + np.exp(-0.9))
        lengths = RNG.binomial(n - 1, p, size=200_000)
        flagged = (lengths >= DegreeThreshold(theta).tau(n, 0.9)).mean()
        assert flagged <= theta + 5 * np.sqrt(theta / 200_000)


def test_honest_users_are_hardly_ever_flagged(stars: gl.GraphSet, reports: gl.Reports) -> None:
    for honest in (reports, gl.DPRR(epsilon=1.0).randomize(stars, rng=1), gl.RR(epsilon=1.0).randomize(stars, rng=1)):
        assert not DegreeThreshold(0.05).judge(honest).flagged.any()


def test_finds_all_ones_and_not_random(stars: gl.GraphSet) -> None:
    reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=1)
    for attack, found in ((Poison.all_ones(fraction=0.3), 1.0), (Poison.random(fraction=0.3), 0.0)):
        kept, verdict = DegreeThreshold(0.05).apply(attack.apply(reports, rng=2))
        malicious = attack.malicious(reports, rng=2)
        assert verdict.rate(malicious) == found
        assert verdict.rate(~malicious) == 0.0
        assert kept.induced().num_users == reports.num_users - found * malicious.sum()


def test_public_users_are_never_flagged(stars: gl.GraphSet) -> None:
    one, two = np.nonzero(~np.eye(80, dtype=bool))
    graphs = gl.GraphSet.from_edges(one, two, [80])
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=1)
    reports = gl.DPRR(epsilon=epsilon, n_max=4000).randomize(graphs, rng=1)
    verdict = DegreeThreshold(0.05).judge(reports)
    assert (reports.degrees[reports.public] == 79).all()
    assert not verdict.flagged[reports.public].any()
    assert np.isinf(verdict.threshold[reports.public]).all()


def test_bad_input(threads: gl.GraphSet) -> None:
    for theta in (0.0, 1.0, -1, float("nan"), "x"):
        with pytest.raises(ParameterError, match="'theta' parameter of DegreeThreshold must be a number between"):
            DegreeThreshold(wrong(theta))
    with pytest.raises(ParameterError, match="one of remove, empty, redraw"):
        DegreeThreshold(treatment=wrong("forgive"))
    for mechanism in (gl.LocalLap(epsilon=1.0), gl.NoisyDegrees(epsilon=1.0)):
        with pytest.raises(DataError, match="derived for reports drawn by DPRR or RR or ARR"):
            DegreeThreshold().judge(mechanism.randomize(threads, rng=1))
    with pytest.raises(DataError, match="no longer than RR's; these come from arr"):
        DegreeThreshold().judge(gl.ARR(epsilon=1.0, sampling=0.5, sampled="zeros").randomize(threads, rng=1))
    with pytest.raises(ParameterError, match="must be Reports"):
        DegreeThreshold().judge(wrong(threads))

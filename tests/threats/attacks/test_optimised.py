"""Liars who search: they find no less than the simple attacks do, and touch nobody but themselves."""

from __future__ import annotations

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.mechanisms.degrees.support import unsupported
from graphldp.threats import DegreeAttack, DegreeShift, FakeHub, Optimised, SilentHubs
from graphldp.threats.attacks.optimised import Score

MECHANISMS = (gl.NoisyDegrees(1.0, noise="discrete"), gl.HubLists(2.0, times=0.5), gl.HubCounts(1.0, times=0.5))


@pytest.fixture(scope="module", params=MECHANISMS, ids=lambda each: type(each).__name__)
def drawn(request: pytest.FixtureRequest, threads: gl.GraphSet) -> gl.Reports:
    made: gl.Reports = request.param.randomize(threads.subset(range(12)), rng=7)
    return made


def away_from(shares: np.ndarray) -> Score:
    """How far the largest d* of each graph is from a share of the graph; any other d* below zero does not count."""

    def score(reports: gl.Reports) -> np.ndarray:
        top = np.maximum.reduceat(some(reports.noisy_degree), reports.graph_ptr[:-1])
        return np.asarray(np.abs(top / reports.sizes - shares[reports.graph_ids]))

    return score


@pytest.mark.parametrize("who", [{"liars": 1}, {"fraction": 0.2}], ids=str)
@pytest.mark.parametrize("busiest", [False, True])
def test_no_simple_attack_by_the_same_liars_is_better(who: dict[str, float], busiest: bool, drawn: gl.Reports) -> None:
    score = away_from(np.linspace(0, 2, drawn.num_graphs))
    options = {**who, "busiest": busiest}
    attack = Optimised(score=score, **wrong(options))
    found, liars = attack.apply(drawn, rng=3), attack.malicious(drawn, rng=3)
    found.changed(trusted=False)
    assert np.array_equal(some(found.noisy_degree)[~liars], some(drawn.noisy_degree)[~liars])
    simple: list[DegreeAttack] = [
        FakeHub(**wrong(options)),
        FakeHub(0.5, **wrong(options)),
        SilentHubs(**wrong(options)),
        DegreeShift(0, **wrong(options)),
    ]
    for other in simple:
        assert np.array_equal(other.malicious(drawn, rng=3), liars)
        assert (score(found) <= score(other.apply(drawn, rng=3)) + 1e-12).all()


def test_careful_liars_make_only_claims_that_fit(threads: gl.GraphSet) -> None:
    reports = MECHANISMS[0].randomize(threads.subset(range(12)), rng=7)
    score = away_from(np.ones(reports.num_graphs))
    bold, careful = (Optimised(fraction=0.2, score=score, careful=each).apply(reports, rng=3) for each in (False, True))
    assert (unsupported(bold, theta=1e-3) > 0).mean() > 0.5
    assert not unsupported(careful, theta=1e-3).any()


def test_a_lone_liar_finds_the_share_she_looks_for(drawn: gl.Reports) -> None:
    """Every graph has room for a larger d* than any: within a quarter of what is asked for, the ladder's step."""
    shares = np.linspace(1.0, 2.0, drawn.num_graphs)
    found = Optimised(liars=1, score=away_from(shares)).apply(drawn, rng=3)
    top = np.maximum.reduceat(some(found.noisy_degree), found.graph_ptr[:-1]) / found.sizes
    assert (np.abs(top / shares - 1) < 0.25).all()


def test_a_forged_hub_chooses_her_friends(threads: gl.GraphSet) -> None:
    """Where the score is the share of busy friends, she says that she has none; and the other way round."""
    reports = gl.HubCounts(1.0, times=0.5).randomize(threads.subset(range(12)), rng=7)
    liars = Optimised(liars=1, score=lambda told: np.zeros(told.num_graphs)).malicious(reports, rng=3)
    shares = []
    for sign in (1, -1):

        def score(told: gl.Reports, sign: int = sign) -> np.ndarray:
            busy = np.where(liars & some(told.asked), some(told.busy_friends), 0.0)
            return np.asarray(sign * np.add.reduceat(np.nan_to_num(busy), told.graph_ptr[:-1]))

        told = Optimised(liars=1, score=score).apply(reports, rng=3)
        shares.append(sign * score(told).sum())
    assert shares[0] == 0
    assert shares[1] > 0


def test_bad_parameters(drawn: gl.Reports) -> None:
    with pytest.raises(ParameterError, match="'score' parameter of Optimised must be given"):
        Optimised(liars=1).apply(drawn, rng=1)
    with pytest.raises(ParameterError, match="one number for each graph"):
        Optimised(liars=1, score=lambda _: np.zeros(1)).apply(drawn, rng=1)
    nobody = Optimised(liars=0, score=lambda told: np.zeros(told.num_graphs)).apply(drawn, rng=1)
    assert np.array_equal(some(nobody.noisy_degree), some(drawn.noisy_degree))

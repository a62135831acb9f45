"""What is read off a noisy degree has no bias: exactly, by summing over all that a device can send."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError
from graphldp.estimates.noise import NoisyNumbers, undone_smooth
from graphldp.mechanisms.degrees.coarsening import staying
from graphldp.privacy.utility import public_mean_degree
from graphldp.reports import HubAnswers, Origin

Floats = NDArray[np.float64]
N = 40
FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "degree": lambda d: d,
    "nobody": lambda d: np.asarray(d <= 0, float),
    "three": lambda d: np.asarray(d == 3, float),
    "3-stars": lambda d: d * (d - 1) * (d - 2) / 6,
}


def law(epsilon: float, reach: int) -> Floats:
    """Pr(N = −reach, …, reach)."""
    return np.asarray(np.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(np.arange(-reach, reach + 1))))


def everything_sent(mechanism: gl.Mechanism, degree: int) -> tuple[gl.Reports, Floats]:
    """One user's number of each value that it can have, and how likely each is, from the laws of the mechanism."""
    epsilon, reach = float(np.asarray(mechanism.epsilon)), 90
    fine = law(epsilon, reach)
    values = np.arange(-2 * reach, 2 * reach + 1) + degree
    below, above = np.zeros(len(values)), np.zeros(len(values))
    if isinstance(mechanism, gl.NoisyDegrees):
        below[reach : 3 * reach + 1] = fine
    else:
        assert isinstance(mechanism, gl.HubLists | gl.HubCounts)
        if isinstance(mechanism, gl.HubLists):
            coarse = mechanism.share * epsilon
            stays = float(staying(epsilon, coarse, "discrete"))
            step = (1 - stays) * law(coarse, reach)
            step[reach] += stays
        else:
            step = fine
        threshold = mechanism.times * public_mean_degree(N)
        sums = degree + np.arange(-reach, reach + 1)[:, None] + np.arange(-reach, reach + 1)
        hub = sums >= threshold
        both = fine[:, None] * step
        below[reach : 3 * reach + 1] = np.where(hub, 0.0, both).sum(axis=1)
        np.add.at(above, (sums - degree + 2 * reach)[hub], both[hub])
    graph = gl.GraphSet.from_edges([], [], [N])
    blank = mechanism.randomize(graph, rng=0)
    return blank, np.stack([values, below, above])


def numbers(blank: gl.Reports, sent: Floats, hub: bool) -> NoisyNumbers:
    """As of reports in which these numbers were sent, as hubs or not."""
    count, none = len(sent), np.full(len(sent), np.nan)
    lists = hub and blank.origin.name == "hub-lists"
    spent = float(blank.epsilon1[0]) * (blank.origin.parameters["share"] if lists else 1.0)
    answers = HubAnswers(np.full(count, hub), np.zeros(count, np.bool_), none, none)
    made = gl.Reports(
        np.zeros(count + 1, np.int64),
        np.zeros(0, np.int32),
        np.array([0, count]),
        noisy_degree=sent,
        budget=gl.Budget(spent, 1.0 if lists else 0.0),
        answers=None if blank.answers is None else answers,
        origin=blank.origin,
        noise="discrete",
    )
    return NoisyNumbers.of(made, np.arange(count), N)


@pytest.mark.parametrize(
    "mechanism",
    [
        gl.NoisyDegrees(1.0, noise="discrete"),
        gl.HubLists(2.0, times=1.0),
        gl.HubLists(2.0, times=2.0, share=0.5),
        gl.HubCounts(1.0, times=1.5),
    ],
    ids=["degrees", "hub lists", "hub lists, half", "hub counts"],
)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("degree", [0, 1, 3, 8])
def test_values_and_variances_are_unbiased(mechanism: gl.Mechanism, name: str, degree: int) -> None:
    blank, (values, below, above) = everything_sent(mechanism, degree)
    assert (below + above).sum() == pytest.approx(1.0)
    true = float(FUNCTIONS[name](np.array([float(degree)]))[0])
    mean = square = spread = 0.0
    for hub, chance in ((False, below), (True, above)):
        reached = chance > 0
        if reached.any():
            value, noise = numbers(blank, values[reached], hub).read(FUNCTIONS[name])
            mean += chance[reached] @ value
            square += chance[reached] @ value**2
            spread += chance[reached] @ noise
    assert mean == pytest.approx(true, abs=1e-6)
    assert spread == pytest.approx(square - true**2, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("degree", [0, 1, 4, 7])
def test_continuous_noise_is_undone(k: int, degree: int) -> None:
    """By quadrature between whole numbers, where the spline is smooth; an indicator too."""
    epsilon = 0.8
    nodes, weights = np.polynomial.legendre.leggauss(12)
    starts = np.arange(degree - 60, degree + 60)
    x = (starts[:, None] + (nodes + 1) / 2).ravel()
    chance = np.tile(weights / 2, len(starts)) * epsilon / 2 * np.exp(-epsilon * np.abs(x - degree))
    polynomial = undone_smooth(lambda d: np.prod([d - each for each in range(k)], axis=0) / comb(k, 1), epsilon)
    expected = float(np.prod([degree - each for each in range(k)]) / comb(k, 1))
    assert chance @ polynomial(x) == pytest.approx(expected, abs=1e-6)
    indicator = undone_smooth(lambda d: np.asarray(d <= k, float), epsilon)
    assert chance @ indicator(x) == pytest.approx(float(degree <= k), abs=1e-6)


def test_public_users_are_exact_and_unknown_laws_refused() -> None:
    graphs = gl.synthetic.barabasi_albert(50, 3, 1, seed=0)
    reports = gl.NoisyDegrees(np.full(50, np.inf), noise="discrete").randomize(graphs, rng=0)
    value, noise = NoisyNumbers.of(reports, np.arange(50), 50).read(lambda d: d)
    np.testing.assert_array_equal(value, graphs.degrees)
    assert not noise.any()
    mixed = reports.changed(origin=Origin("dprr+noisy-degrees"))
    with pytest.raises(DataError, match="noise of a known law"):
        NoisyNumbers.of(mixed, np.arange(50), 50)
    smooth = gl.HubLists(2.0, noise="laplace").randomize(graphs, rng=0)
    with pytest.raises(DataError, match="discrete noise alone"):
        gl.statistics(smooth)
    assert some(reports.noisy_degree) is not None


def test_hubs_are_no_doubt_of_an_edge_below_their_threshold() -> None:
    """Else a few hubs with much noise would widen every bar of a histogram."""
    graphs = gl.synthetic.barabasi_albert(400, 4, 1, seed=1)
    reports = gl.HubLists(2.0, times=2.0).randomize(graphs, rng=0)
    read = NoisyNumbers.of(reports, np.arange(400), 400)
    threshold = 2 * public_mean_degree(400)
    hubs = reports.epsilon2 > 0
    assert 0 < hubs.sum() < 400
    assert (read.near(0) == ~hubs).all()
    assert read.near(threshold).all()

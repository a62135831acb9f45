"""HubLists: ε of its exact law, what the sampler draws against that law, and who sends a list."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import graphldp as gl
from graphldp.errors import ParameterError

from ..counting import assert_binomial, assert_counts, copies, matrices
from ..exact import E1, E2, MORE2, Bits, Law, list_law, rates, worst_ratio

ALARM = 1e-6
E = E1 * E2  # of ε = ε₁ + ε₂
FINE, ROUGH = 1 / E, 1 / E1
MECHANISM = gl.HubLists(1.0)


def pmf(decay: Fraction, k: int) -> Fraction:
    """Pr(noise = k) of the discrete law with this e^(−ε)."""
    return (1 - decay) / (1 + decay) * decay ** abs(k)


def above(decay: Fraction, k: int) -> Fraction:
    """Pr(noise ≥ k)."""
    return decay**k / (1 + decay) if k > 0 else 1 - decay ** (1 - k) / (1 + decay)


def rough_above(fine: int, hub_from: int) -> Fraction:
    """Pr(d_rough ≥ hub_from) where d_fine is known."""
    stays = FINE / ROUGH * ((1 - ROUGH) / (1 - FINE)) ** 2
    return stays * (fine >= hub_from) + (1 - stays) * above(ROUGH, hub_from - fine)


def exact_law(hub_from: int, *, e2: Fraction = E2, reach: int = 6) -> Law:
    """The law of (d*, list): no list of those who send d_fine."""

    def of(bits: Bits) -> dict[Any, Fraction]:
        n, d = len(bits) + 1, sum(bits)
        found: dict[Any, Fraction] = {
            (x, None): pmf(FINE, x - d) * (1 - rough_above(x, hub_from)) for x in range(-reach, n + reach)
        }
        for x in range(hub_from, n + reach):
            for reported, chance in list_law(bits, *rates(MECHANISM, x, n, e2)):
                found[x, reported] = pmf(ROUGH, x - d) * chance
        return found

    return of


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("hub_from", [1, 2, 3])
def test_epsilon_is_attained_and_never_passed(n: int, hub_from: int) -> None:
    assert worst_ratio(exact_law(hub_from), n) == E


@pytest.mark.parametrize("bits", [(0, 0, 0), (1, 0, 1), (1, 1, 1)])
def test_the_law_adds_up_to_one(bits: Bits) -> None:
    """So the two marginal laws that it is made of fit together: what hubs send is what the others leave over."""
    law = exact_law(2, reach=60)(bits)
    assert sum(law.values()) == pytest.approx(1, abs=1e-10)
    hubs = sum(chance for (_, listed), chance in law.items() if listed is not None)
    assert hubs == pytest.approx(float(above(ROUGH, 2 - sum(bits))), abs=1e-10)


def sends_both(bits: Bits) -> dict[Any, Fraction]:
    """A hub who sends d_fine with her list."""
    n, d = len(bits) + 1, sum(bits)
    found: dict[Any, Fraction] = {}
    for x in range(-6, n + 6):
        hub = rough_above(x, 2)
        found[x, None] = pmf(FINE, x - d) * (1 - hub)
        for reported, chance in list_law(bits, *rates(MECHANISM, x, n, E2)):
            found[x, reported] = pmf(FINE, x - d) * hub * chance
    return found


def hubs_by_the_true_degree(bits: Bits) -> dict[Any, Fraction]:
    n, d = len(bits) + 1, sum(bits)
    found: dict[Any, Fraction] = {(x, None): pmf(FINE, x - d) * (d < 2) for x in range(-6, n + 6)}
    for x in range(-6, n + 6):
        for reported, chance in list_law(bits, *rates(MECHANISM, x, n, E2)):
            found[x, reported] = pmf(ROUGH, x - d) * (d >= 2) * chance
    return found


MUTANTS: dict[str, Callable[[Bits], dict[Any, Fraction]]] = {
    "ε₂ and 10 %": exact_law(2, e2=MORE2),
    "a hub sends both degrees": sends_both,
    "hubs by the true degree": hubs_by_the_true_degree,
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str) -> None:
    assert worst_ratio(MUTANTS[name], 4) > E


def test_the_sampler_draws_that_law() -> None:
    """d* of each kind of user, and each bit of a hub's list, by counting."""
    count, epsilon = 40_000, math.log(E)
    graph = gl.GraphSet.from_edges([0, 0, 0, 1], [1, 2, 3, 2], [6])
    share = math.log(E1) / epsilon
    mechanism = gl.HubLists(epsilon, share=share, times=1.0, least=0.0)
    hub_from = math.ceil(mechanism.threshold(np.array([6]))[0])
    assert hub_from == 3
    reports = mechanism.randomize(copies(graph, count), rng=5)
    assert reports.noisy_degree is not None
    hub = reports.epsilon2.reshape(count, 6) > 0
    noisy = reports.noisy_degree.reshape(count, 6).astype(np.int64)
    bits = matrices(reports)
    values = np.arange(-45, 55)
    for user, d in enumerate(graph.degrees.tolist()):
        low = [float(pmf(FINE, x - d) * (1 - rough_above(x, hub_from))) for x in values.tolist()]
        high = [float(pmf(ROUGH, x - d)) if x >= hub_from else 0.0 for x in values.tolist()]
        for sent, chances in ((~hub[:, user], low), (hub[:, user], high)):
            counts = np.bincount(noisy[sent, user] + 45, minlength=len(values))
            rest = 1 - sum(chances)
            assert_counts(np.append(counts, count - counts.sum()), np.append(chances, rest), ALARM / 12)
        listed = np.delete(bits[hub[:, user], user].sum(axis=0), user)
        true = np.delete(matrices(graph)[0, user], user)
        p = float(E2 / (E2 + 1))
        assert_binomial(listed, np.full(5, hub[:, user].sum()), np.where(true, p, 1 - p), ALARM / 6)
        assert not bits[~hub[:, user], user].any()


def test_the_laplace_sampler_draws_its_law() -> None:
    """Who sends what, and d* of each kind of user, against the densities that ε is proven from.

    With f of ε and g of ε₁ Laplace, and S = Pr(hub | d_fine) a function of d_fine alone:

        no hub    f(x − d)·(1 − S(x))        a hub    g(x − d) for x ≥ threshold, then the list with ε₂

    d is in f and g only, so one friend more changes the first by e^ε and the second by e^ε₁·e^ε₂ at most.
    """
    count, epsilon, share = 40_000, 1.5, 0.4
    graph = gl.GraphSet.from_edges([0, 0, 0, 1], [1, 2, 3, 2], [6])
    mechanism = gl.HubLists(epsilon, share=share, times=1.0, least=0.0, noise="laplace")
    threshold = float(mechanism.threshold(np.array([6]))[0])
    reports = mechanism.randomize(copies(graph, count), rng=8)
    assert reports.noisy_degree is not None
    hub, noisy = (reports.epsilon2 > 0).reshape(count, 6), reports.noisy_degree.reshape(count, 6)
    f, g = stats.laplace(scale=1 / epsilon), stats.laplace(scale=1 / (share * epsilon))
    grid = np.linspace(-25, 30, 200_001)
    leaves = share**2 * (grid >= threshold) + (1 - share**2) * g.sf(threshold - grid)
    p, bits, true = 1 / (1 + math.exp(-epsilon * (1 - share))), matrices(reports), matrices(graph)[0]
    for user, d in enumerate(graph.degrees.tolist()):
        sent = hub[:, user]
        assert_binomial(sent.sum(), count, g.sf(threshold - d), ALARM / 24)
        below = np.cumsum(f.pdf(grid - d) * (1 - leaves))
        cdf = below / below[-1]
        assert stats.kstest(noisy[~sent, user], partial(np.interp, xp=grid, fp=cdf)).pvalue > ALARM / 24
        # given that g's tail from the threshold on was drawn, its place there is uniform
        place = g.sf(noisy[sent, user] - d) / g.sf(threshold - d)
        assert stats.kstest(place, "uniform").pvalue > ALARM / 24
        listed, chances = bits[sent, user].sum(axis=0), np.where(true[user], p, 1 - p)
        others = np.arange(6) != user
        assert_binomial(listed[others], np.full(5, sent.sum()), chances[others], ALARM / 24)


def test_who_is_no_hub_sends_what_noisy_degrees_would() -> None:
    threads = gl.synthetic.threads(40, seed=1)
    reports = gl.HubLists(2.0, times=5.0).randomize(threads, rng=3)
    plain = gl.NoisyDegrees(2.0, noise="discrete").randomize(threads, rng=3)
    hub = reports.epsilon2 > 0
    assert 0 < hub.sum() < hub.size / 20
    assert reports.noisy_degree is not None
    assert plain.noisy_degree is not None
    np.testing.assert_array_equal(reports.noisy_degree[~hub], plain.noisy_degree[~hub])
    np.testing.assert_array_equal(reports.degrees[~hub], 0)
    np.testing.assert_allclose(reports.epsilon1[hub], 0.4)
    assert (reports.guarantee.epsilon <= 2.0).all()
    assert reports.guarantee.epsilon.min() == pytest.approx(2.0)


@pytest.mark.parametrize(("epsilon", "size"), [(2.0, 20), (1.0, 400), (0.5, 400)])
def test_no_lists_from_small_communities_or_at_a_small_epsilon(epsilon: float, size: int) -> None:
    star = gl.GraphSet.from_edges(np.zeros(size - 1, np.int64), np.arange(1, size), [size])
    reports = gl.HubLists(epsilon).randomize(copies(star, 50), rng=1)
    assert reports.num_entries == 0
    assert (reports.epsilon1 == epsilon).all()


def test_one_epsilon_per_user() -> None:
    star = gl.GraphSet.from_edges(np.zeros(399, np.int64), np.arange(1, 400), [400])
    epsilon = np.full(400, 0.5)
    for own in (4.0, np.inf):
        epsilon[0] = own
        reports = gl.HubLists(epsilon).randomize(star, rng=1)
        assert reports.guarantee.epsilon.tolist() == pytest.approx(epsilon.tolist())
        assert reports.degrees[0] > 300
        assert not reports.degrees[1:].any()
    assert reports.noisy_degree is not None
    assert reports.noisy_degree[0] == 399


def test_a_community_of_one_has_no_hub() -> None:
    alone = gl.GraphSet.from_edges([], [], [1] * 200)
    for times in (0.0, 15.0):
        reports = gl.HubLists(2.0, times=times).randomize(alone, rng=1)
        assert (reports.epsilon1 == 2.0).all()


@pytest.mark.parametrize("epsilon", [1e-17, 1e-9, 800.0, 1e16])
def test_extreme_epsilons(epsilon: float) -> None:
    star = gl.GraphSet.from_edges(np.zeros(399, np.int64), np.arange(1, 400), [400])
    reports = gl.HubLists(epsilon, times=1.0, least=0.0).randomize(star, rng=1)
    assert (reports.guarantee.epsilon <= epsilon).all()
    assert not reports.degrees[reports.epsilon2 == 0].any()


@pytest.mark.parametrize(
    "bad",
    [
        {"share": 0.0},
        {"share": 1.0},
        {"share": 1e-17},
        {"share": "a"},
        {"times": -1.0},
        {"times": None},
        {"least": np.inf},
        {"noise": "x"},
    ],
)
def test_bad_parameters(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter of HubLists must be"):
        gl.HubLists(1.0, **bad)

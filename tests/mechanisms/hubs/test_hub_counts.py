"""HubCounts: its exact law through the code that draws it, against servers that choose the second question."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.hubs.hub_counts import FirstRound, HubCounts, answers

from ..counting import assert_counts, copies
from ..exact import E1, Bits, neighbouring

ALARM = 1e-6
REACH = 7  # noises from −7 to 7; outcomes that need more are left out of both sides of a ratio
NOISES = list(product(range(-REACH, REACH + 1), repeat=2))
Busy = Callable[[int, int], int]  # n and r to a set of others, as bits: what the server says
Play = Callable[[gl.GraphSet, FirstRound, Busy], list[Any]]


def g(noise: int) -> Fraction:
    """Pr(N = noise) of the discrete law."""
    return (E1 - 1) / (E1 + 1) / E1 ** abs(noise)


def times_for(hub_from: int, n: int) -> float:
    """The ``times`` at which users from this r on are asked."""
    return (hub_from - 0.5) / (math.log(n - 0.5) + float(np.euler_gamma))


def one_user(bits: Bits) -> gl.GraphSet:
    """User 0 with this list, once for each pair of noises. The others' lists are empty: the graph is directed."""
    n, friends = len(bits) + 1, np.flatnonzero(bits) + 1
    graph = gl.GraphSet.from_edges(np.zeros(len(friends), np.int64), friends, [n], directed=True)
    return copies(graph, len(NOISES))


def first_round(graphs: gl.GraphSet, hub_from: int) -> FirstRound:
    n = graphs.n_max
    noise = np.zeros((2, len(NOISES), n))
    noise[:, :, 0] = np.array(NOISES).T
    mechanism = HubCounts(1.0, times=times_for(hub_from, n))
    return mechanism.told(UserRows.of(graphs), np.ones(graphs.num_users), noise[0].ravel(), noise[1].ravel())


def honest(graphs: gl.GraphSet, first: FirstRound, busy: Busy) -> list[Any]:
    """What user 0 sends in both rounds, for each pair of noises: through the mechanism's own code."""
    n = graphs.n_max
    degree, asked = first.noisy_degree[::n].astype(int), first.asked[::n]
    said = np.array([busy(n, r) for r in degree.tolist()])
    flags = np.zeros((len(NOISES), n), np.bool_)
    flags[:, 1:] = said[:, None] >> np.arange(n - 1) & 1
    one, two = (each[::n] for each in answers(graphs, first, flags.ravel()))
    return [
        ("asked", d, int(a), int(b)) if hub else ("done", d)
        for d, hub, a, b in zip(degree.tolist(), asked.tolist(), one, two, strict=True)
    ]


def law(bits: Bits, hub_from: int, busy: Busy, play: Play) -> dict[Any, tuple[Fraction, bool]]:
    """Each outcome's probability, and whether it is within reach of noises one farther."""
    graphs = one_user(bits)
    found: dict[Any, Fraction] = defaultdict(Fraction)
    inner: set[Any] = set()
    for outcome, noises in zip(play(graphs, first_round(graphs, hub_from), busy), NOISES, strict=True):
        found[outcome] += g(noises[0]) * g(noises[1])
        if max(map(abs, noises)) <= REACH - 3:
            inner.add(outcome)
    return {outcome: (chance, outcome in inner) for outcome, chance in found.items()}


def worst_ratio(n: int, hub_from: int, busy: Busy, play: Play = honest) -> Fraction | float:
    laws = {bits: law(bits, hub_from, busy, play) for bits in product((0, 1), repeat=n - 1)}
    worst: Fraction | float = Fraction(0)
    for one, two in neighbouring(n):
        for outcome, (chance, inner) in laws[one].items():
            if inner:
                other = laws[two].get(outcome, (Fraction(0), False))[0]
                worst = max(worst, chance / other if other else math.inf)
    return worst


def always(side: int, n: int, r: int) -> int:
    return side % (1 << (n - 1))


SERVERS: dict[str, Busy] = {
    **{f"always {each:b}": partial(always, each) for each in range(8)},
    "by r": lambda n, r: r % 2 ** (n - 1),
    "by the parity of r": lambda n, r: (2 ** (n - 1) - 1) * (r % 2),
}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(("n", "hub_from"), [(2, 1), (3, 1), (3, 2), (4, 2), (4, 3)])
def test_epsilon_is_attained_and_never_passed(n: int, hub_from: int, server: str) -> None:
    assert worst_ratio(n, hub_from, SERVERS[server]) == E1


def fresh_noise(graphs: gl.GraphSet, first: FirstRound, busy: Busy) -> list[Any]:
    """Round 2 with other noise than round 1's: here none at all on the first count."""
    return honest(graphs, first._replace(first=first.first * 0), busy)


def two_answers(graphs: gl.GraphSet, first: FirstRound, busy: Busy) -> list[Any]:
    """A second question, answered too."""
    one = honest(graphs, first, busy)
    two = honest(graphs, first, lambda n, r: (busy(n, r) + 1) % 2 ** (n - 1))
    return [(*a, *b) for a, b in zip(one, two, strict=True)]


def gate_by_the_degree(graphs: gl.GraphSet, first: FirstRound, busy: Busy) -> list[Any]:
    hub = np.zeros(graphs.num_users, np.bool_)
    hub[:: graphs.n_max] = graphs.degrees[:: graphs.n_max] >= 2
    degree = graphs.degrees + first.first + np.where(hub, first.second, 0)
    return honest(graphs, first._replace(asked=hub, noisy_degree=degree), busy)


def hub_sends_both(graphs: gl.GraphSet, first: FirstRound, busy: Busy) -> list[Any]:
    """A hub whose d* is d + N₁, beside two counts that add up to r."""
    return honest(graphs, first._replace(noisy_degree=graphs.degrees + first.first), busy)


MUTANTS = (fresh_noise, two_answers, gate_by_the_degree, hub_sends_both)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.__name__)
def test_mutants_are_caught(mutant: Play) -> None:
    assert worst_ratio(4, 2, SERVERS["by r"], mutant) > E1


def test_the_sampler_draws_that_noise() -> None:
    """d* of who is not asked and both counts of who is, by counting. False alarms: one in a million."""
    count, epsilon = 40_000, math.log(E1)
    graph = gl.GraphSet.from_edges([0, 0, 0, 1], [1, 2, 3, 2], [6])
    mechanism = HubCounts(epsilon, times=times_for(3, 6), busy=-1e9)  # everybody counts as busy
    reports = mechanism.randomize(copies(graph, count), rng=5)
    asked = some(reports.answers).asked.reshape(count, 6)
    quiet = some(reports.answers).quiet_friends.reshape(count, 6)
    values = np.arange(-45, 55)
    for user, d in enumerate(graph.degrees.tolist()):
        hub = asked[:, user]
        noise = quiet[hub, user].astype(int)  # u₁ = N₁ where nobody is quiet
        two = [float(sum((g(b) for b in range(3 - d - a, 60)), Fraction(0))) for a in range(-12, 13)]
        chances = np.array([float(g(a)) * b for a, b in zip(range(-12, 13), two, strict=True)])
        counts = np.bincount(noise[np.abs(noise) <= 12] + 12, minlength=25)
        assert_counts(np.append(counts, count - counts.sum()), np.append(chances, 1 - chances.sum()), ALARM / 12)
        degree = np.asarray(reports.noisy_degree).reshape(count, 6)[~hub, user].astype(int)
        likely = [float(g(x - d) * sum((g(b) for b in range(-60, 3 - x)), Fraction(0))) for x in values.tolist()]
        counts = np.bincount(degree + 45, minlength=len(values))
        assert_counts(np.append(counts, count - counts.sum()), np.append(likely, 1 - sum(likely)), ALARM / 12)


def test_who_is_not_asked_sends_what_noisy_degrees_would() -> None:
    threads = gl.synthetic.threads(40, seed=1)
    reports = HubCounts(2.0, times=5.0).randomize(threads, rng=3)
    plain = gl.NoisyDegrees(2.0, noise="discrete").randomize(threads, rng=3)
    assert reports.noisy_degree is not None
    assert plain.noisy_degree is not None
    asked = some(reports.answers).asked
    assert 0 < asked.sum() < asked.size / 20
    np.testing.assert_array_equal(reports.noisy_degree[~asked], plain.noisy_degree[~asked])
    assert (reports.guarantee.epsilon == 2.0).all()


def test_the_counts_are_of_true_friends_on_the_published_sides() -> None:
    """At a large ε the noise is 0, so the counts are exact."""
    star = gl.GraphSet.from_edges([0] * 30 + [1, 1, 1, 1], [*range(1, 31), 2, 3, 4, 5], [31])
    reports = HubCounts(60.0, times=3.0, busy=2.0).randomize(star, rng=1)
    told = some(reports.answers)
    assert np.flatnonzero(told.asked).tolist() == [0]
    assert (told.quiet_friends[0], told.busy_friends[0]) == (25.0, 5.0)
    assert np.flatnonzero(told.busy).tolist() == [0, 1, 2, 3, 4, 5]


def test_public_users_are_not_asked_and_small_communities_have_no_hub() -> None:
    star = gl.GraphSet.from_edges(np.zeros(399, np.int64), np.arange(1, 400), [400])
    epsilon = np.full(400, 1.0)
    epsilon[0] = np.inf
    reports = HubCounts(epsilon).randomize(star, rng=1)
    assert not some(reports.answers).asked.any()
    assert reports.degrees[0] == 399
    assert not reports.degrees[1:].any()
    small = gl.GraphSet.from_edges(np.zeros(19, np.int64), np.arange(1, 20), [20])
    assert not np.any(some(HubCounts(1.0).randomize(copies(small, 50), rng=1).answers).asked)
    alone = HubCounts(1.0, times=0.0).randomize(gl.GraphSet.from_edges([], [], [1] * 9), rng=1)
    assert not np.any(some(alone.answers).asked)


def test_who_stays_away_has_sent_a_valid_degree() -> None:
    threads = gl.synthetic.threads(60, seed=1)
    reports = HubCounts(1.0, times=4.0).randomize(threads, rng=3)
    part = HubCounts(1.0, times=4.0, away=0.5).randomize(threads, rng=3)
    left = np.isnan(some(part.answers).quiet_friends) & some(reports.answers).asked
    assert 0 < left.sum() < some(reports.answers).asked.sum()
    np.testing.assert_array_equal(some(part.answers).asked, some(reports.answers).asked)
    np.testing.assert_array_equal(part.noisy_degree, reports.noisy_degree)
    nobody = HubCounts(1.0, times=4.0, away=1.0).randomize(threads, rng=3)
    assert np.isnan(np.asarray(some(nobody.answers).busy_friends)).all()


@pytest.mark.parametrize(
    "bad", [{"times": -1.0}, {"times": np.inf}, {"busy": np.nan}, {"busy": "4"}, {"away": 1.5}, {"away": None}]
)
def test_bad_parameters(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter of HubCounts must be"):
        HubCounts(1.0, **bad)

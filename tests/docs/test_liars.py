"""The bounds of docs/concepts/liars.md: no lie goes further, and one goes so far."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from numpy.typing import NDArray

import graphldp as gl
from graphldp.learn.tables.profiles import degree_profile

Floats = NDArray[np.float64]

_LOW, _HIGH, _CUT = -6.0, 30.0, 4.0
_HONEST = np.array([-2.0, 0, 1, 1, 2, 3, 5, 9])
_CLAIMS = np.array([_LOW, -3, 0, 1, 2, 4, 8, _HIGH])


def _reached(statistic: Callable[[Floats], Floats], liars: int) -> Floats:
    """The statistic after every lie of so many users on a grid of claims with both ends, [lies, values]."""
    found = []
    for who in combinations(range(len(_HONEST)), liars):
        for claims in np.stack(np.meshgrid(*[_CLAIMS] * liars), axis=-1).reshape(-1, liars):
            lied = _HONEST.copy()
            lied[list(who)] = claims
            found.append(statistic(lied))
    return np.array(found)


@pytest.mark.parametrize("liars", [1, 2])
def test_sums_and_shares(liars: int) -> None:
    n = len(_HONEST)
    cases: list[tuple[Callable[[Floats], Floats], float]] = [
        (lambda d: np.asarray(d.sum() / n), liars * (_HIGH - _LOW) / n),
        (lambda d: np.asarray((d**2).sum() / n), liars * _HIGH**2 / n),
        (lambda d: np.asarray((d <= 1).mean()), liars / n),
        (lambda d: np.asarray(np.clip(d, -_CUT, _CUT).sum() / n), liars * 2 * _CUT / n),
    ]
    for statistic, bound in cases:
        assert np.abs(_reached(statistic, liars) - statistic(_HONEST)).max() <= bound + 1e-12
    moved = np.concatenate((np.full(liars, _HIGH), np.full(n - liars, _LOW)))  # from all-low, so many claim the top
    low = np.full(n, _LOW)
    for statistic, bound in (cases[0], cases[3]):
        assert statistic(moved) - statistic(low) == pytest.approx(bound)
    zero = np.where(moved == _HIGH, _HIGH, 0.0)
    assert cases[1][0](zero) - cases[1][0](np.zeros(n)) == pytest.approx(cases[1][1])
    assert cases[2][0](low) - cases[2][0](moved) == pytest.approx(cases[2][1])


@pytest.mark.parametrize("liars", [1, 2])
def test_the_largest_degrees_move_by_ranks(liars: int) -> None:
    ranked = np.sort(_HONEST)[::-1]
    after = _reached(lambda d: np.sort(d)[::-1], liars)
    for place in range(len(ranked)):
        top = _HIGH if place < liars else ranked[place - liars]
        bottom = ranked[place + liars] if place + liars < len(ranked) else _LOW
        assert after[:, place].max() == top
        assert after[:, place].min() == bottom


def test_one_liar_sets_what_the_recipe_reads_of_the_busiest_user() -> None:
    """The recipe's own table: its column of the largest d* over n is whatever one user claims."""
    threads = gl.synthetic.threads(1, seed=0)
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(threads, rng=0)
    table = degree_profile(reports)
    for claim in (500.0, 2.0**27 - 1):
        lied = np.asarray(reports.noisy_degree).copy()
        lied[0] = claim
        changed = degree_profile(replace(reports, noisy_degree=lied))
        assert claim in changed
        assert claim not in table


def test_liars_in_training_graphs_can_make_both_classes_alike() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, two = rng.dirichlet(np.ones(9), 2)
        distance = np.abs(one - two).sum() / 2
        share = distance / (1 + distance)
        of_one, of_two = np.maximum(two - one, 0) / distance, np.maximum(one - two, 0) / distance
        assert of_one.sum() == pytest.approx(1.0)
        np.testing.assert_allclose((1 - share) * one + share * of_one, (1 - share) * two + share * of_two)
        fewer = share * 0.99  # with fewer liars no choice of theirs does it: the honest parts differ by more
        assert (1 - fewer) * distance > fewer


def test_a_label_that_withstands_one_liar_is_given_by_any_others_but_two() -> None:
    """Theorem 2, by every classifier of three users at three levels."""
    graphs = list(combinations_with_replacement(range(3), 3))
    place: dict[tuple[int, ...], int] = {graph: at for at, graph in enumerate(graphs)}
    labels = (np.arange(1 << len(graphs))[:, None] >> np.arange(len(graphs))) & 1  # [classifiers, graphs]
    without = [[graph[:at] + graph[at + 1 :] for at in range(3)] for graph in graphs]
    lied = [sorted({place[tuple(sorted((*rest, claim)))] for rest in each for claim in range(3)}) for each in without]
    safe = np.stack([(labels[:, near] == labels[:, [at]]).all(axis=1) for at, near in enumerate(lied)], axis=1)
    given = np.zeros((2, 3, len(labels)), np.bool_)  # that a safe graph of this class has a user of this level
    for at, graph in enumerate(graphs):
        for level in set(graph):  # what is left without the other two
            for label in (0, 1):
                given[label, level] |= safe[:, at] & (labels[:, at] == label)
    assert not (given[0] & given[1]).any()
    assert (given[0].any(axis=0) & given[1].any(axis=0)).any()  # classifiers that give both labels for sure

    some, other = np.array([place[0, 0, 1], place[1, 1, 2]])
    assert not (safe[:, some] & safe[:, other] & (labels[:, some] != labels[:, other])).any()  # alike but for two users
    far = place[0, 0, 0], place[2, 2, 2]
    assert (safe[:, far[0]] & safe[:, far[1]] & (labels[:, far[0]] != labels[:, far[1]])).any()

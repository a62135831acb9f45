"""Sums over groups: a cut count is randomized response, the sums are unbiased, and nobody moves one by more than W."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.tables.witness_sums import FACTS, TOP, reach, witness_profile, witness_sums
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.reports import Origin

EPSILON = math.log(3)
E = 3  # e^ε, as a whole number


def sent(counts: Any, **parts: Any) -> gl.Reports:
    """One graph whose users sent these counts, drawn at ε = log 3."""
    table = np.asarray(counts, np.float64)
    users, groups = table.shape
    epsilon = np.broadcast_to(parts.pop("epsilon", EPSILON), users)
    return gl.Reports(
        np.zeros(users + 1, np.int64),
        np.zeros(0, np.int32),
        np.array([0, users]),
        None,
        budget=gl.Budget(epsilon, 0.0),
        friend_counts=table,
        attributes=Attributes(groups=np.arange(users) % groups, num_groups=groups),
        origin=Origin("friend-counts", {"dealt": groups, "least": float(epsilon.min())}),
        noise="discrete",
        **parts,
    )


def test_a_count_that_is_cut_at_one_friend_is_randomized_response() -> None:
    """Exactly: with e^ε = 3 the law of the noise is (1/2)·3^(−|k|), and p = 3/4."""
    scale, flip = Fraction(E - 1, E + 1), Fraction(1, E + 1)
    beyond = scale * Fraction(1, E) / (1 - Fraction(1, E))  # Pr(N ≥ 1), a geometric series
    assert beyond == flip
    assert scale + beyond == 1 - flip  # Pr(N ≥ 0)


def test_the_sums_are_unbiased() -> None:
    """What the code adds for b = 1 and for b = 0, weighed by the exact chances of both."""
    named = witness_sums(sent([[1, 1]] * 2))[0, 0] / 2
    unnamed = witness_sums(sent([[0, 0]] * 2))[0, 0] / 2
    p = E / (1 + E)
    assert math.isclose(p * named + (1 - p) * unnamed, 1.0)
    assert math.isclose((1 - p) * named + p * unnamed, 0.0, abs_tol=1e-12)


@pytest.mark.parametrize("before", [-40, 0, 1, 60, None])
def test_one_user_moves_each_sum_by_w_at_most(before: int | None) -> None:
    """Whatever she sent or did not, whatever she sends or does not: W = 1/(2p − 1) = 2 at e^ε = 3, and no less."""
    found = []
    for count in (before, -40, 0, 1, 60, None):
        table = np.zeros((6, 3))
        table[2] = 0 if count is None else count
        missing = np.arange(6) == 2 if count is None else np.zeros(6, np.bool_)
        found.append(witness_sums(sent(table, missing=missing, epsilon=np.where(missing, 0.0, EPSILON)))[0])
    moved = np.abs(np.stack(found) - found[0]).max()
    assert moved <= 2.0 + 1e-12
    spread = np.ptp(np.stack(found), axis=0).max()
    assert math.isclose(spread, 2.0)


def test_with_several_epsilons_the_smallest_on_offer_bounds_everybody() -> None:
    counts, epsilon = np.zeros((6, 3)), np.array([EPSILON, 2.0, 2.0, 2.0, 2.0, np.inf])
    rows = witness_profile(sent(counts, epsilon=epsilon))
    assert math.isclose(rows[0, 2], 2.0)
    kept = sent(counts, epsilon=epsilon)
    told = replace(kept, origin=Origin("friend-counts", {"dealt": 3, "least": 1.5}))
    with pytest.raises(DataError, match="below the smallest on offer"):
        witness_profile(told)


def test_busy_users_count_once_each() -> None:
    """Seven friends or more by her own counts, whoever says so and however many; the silent have none."""
    counts = np.array([[3, 4], [3, 3], [9000, 0], [20, -14], [50, 50]], float)
    rows = witness_profile(sent(counts, missing=np.arange(5) == 4))
    assert math.isclose(rows[0, -1], 2 / 5)
    assert math.isclose(reach(rows, 2)[0, -1], 2 / 5, rel_tol=1e-8)


def test_silent_users_stay_in_n() -> None:
    missing = np.arange(20) < 5
    rows = witness_profile(sent(np.ones((20, 3)), missing=missing))
    assert rows[0, 0] == 20


@pytest.mark.parametrize("groups", [2, 4, 5, 12])
def test_columns_move_no_further_than_their_reach(groups: int) -> None:
    """Random reports, and random other ones of k users: no column leaves its interval, and some get near its end."""
    rng, nearest = np.random.default_rng(3), 0.0
    for _ in range(200):
        table, k = rng.integers(-2, 3, (24, groups)).astype(float), int(rng.integers(1, 5))
        honest = witness_profile(sent(table))
        who = rng.permutation(24)[:k]
        table[who] = rng.choice([-9.0, 9.0]) if rng.random() < 0.5 else rng.integers(-2, 3, (k, groups))
        silent = np.isin(np.arange(24), who[: int(rng.integers(0, k + 1))])
        lied = witness_profile(sent(np.where(silent[:, None], 0, table), missing=silent))
        far, most = np.abs(lied - honest)[0, FACTS:], reach(honest, k)[0]
        assert (far <= most).all()
        nearest = max(nearest, float((far[:TOP] / most[:TOP]).max()))
    assert nearest > 0.5


def test_graphs_of_fewer_users_than_groups_tell_n_alone() -> None:
    rows = witness_profile(sent(np.ones((3, 5))))
    assert np.isnan(rows[0, FACTS:]).all()


def test_what_was_not_dealt_is_refused() -> None:
    """Counts by groups of one's own, groups whose sizes differ by two, another number of groups; and no counts."""
    dealt = sent(np.zeros((6, 3)))
    uneven = replace(dealt, attributes=Attributes(groups=np.array([0, 0, 0, 1, 1, 2]), num_groups=3))
    for wrong, words in (
        (replace(dealt, origin=Origin("friend-counts")), "groups that users were dealt into"),
        (uneven, "no deal"),
        (replace(dealt, origin=Origin("friend-counts", {"dealt": 4, "least": EPSILON})), "no deal"),
        (replace(dealt, origin=Origin("friend-counts", {"dealt": None, "least": EPSILON})), "no deal"),
        (gl.NoisyDegrees(1.0).randomize(gl.synthetic.threads(num_graphs=2, seed=0), rng=0), "groups that users"),
    ):
        with pytest.raises(DataError, match=words):
            witness_profile(wrong)


@pytest.mark.parametrize("least", [-1.0, 0.0, math.nan, "1", None])
def test_what_is_no_smallest_epsilon_is_refused(least: Any) -> None:
    """As a file may claim it: below 0 nobody would move anything."""
    dealt = sent(np.zeros((6, 3)))
    with pytest.raises(DataError, match="smallest ε on offer"):
        witness_profile(replace(dealt, origin=Origin("friend-counts", {"dealt": 3, "least": least})))

"""ClosedPairs: how far one friend moves an answer, for every published graph, and the law of what is drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import maximum_flow
from tests.values import some

import graphldp as gl
from graphldp.audit.pairs import OTHERS, Bits, Tell, every_publication, largest_change, pairs
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.closed_pairs import _published, counts
from graphldp.mechanisms.degrees.noise import noise_of
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Stream, key_from
from graphldp.privacy.caps import pair_caps
from graphldp.privacy.pairs import answer, capped, pair_cap, slack_of
from graphldp.reports import PairAnswers
from graphldp.threats.attacks.poison import Poison

from .counting import assert_binomial, assert_counts, copies, matrices, off_diagonal
from .exact import E1

ALARM = 1e-6


@pytest.mark.parametrize(("flip", "slack"), [(0.0, 1), (0.11, 1), (0.3, 2), (0.45, 1)])
def test_one_friend_moves_an_answer_by_no_more_than_the_noise_is_made_for_whatever_is_published(
    flip: float, slack: int
) -> None:
    """And as far as that: the noise is not larger than it must be."""
    assert len(every_publication()) == 66
    assert largest_change(flip, slack) == 1.0


def cap_by_the_true_degree(among: Bits, cap: int, flip: float) -> float:
    return answer(among.tolist(), pair_cap(len(among), OTHERS + 1, flip, 1))


def friend_by_friend(among: Bits, cap: int, flip: float) -> float:
    """Each friend's pairs are cut at the cap, one friend after the other."""
    return float(np.minimum(among.sum(axis=1), cap).sum() - cap * len(among))


def first_come(among: Bits, cap: int, flip: float) -> float:
    """The list is cut, which replaces a friend by another."""
    kept = among[: cap // 2, : cap // 2]
    return float(kept.sum() - cap * len(kept))


def uncut(among: Bits, cap: int, flip: float) -> float:
    return float(among.sum() - cap * len(among))


def nothing_subtracted(among: Bits, cap: int, flip: float) -> float:
    return float(capped(among.tolist(), cap))


def all_that_chance_publishes(among: Bits, cap: int, flip: float) -> float:
    return capped(among.tolist(), cap) - 2 * flip * len(among) * (len(among) - 1)


MUTANTS = (
    cap_by_the_true_degree,
    friend_by_friend,
    first_come,
    uncut,
    nothing_subtracted,
    all_that_chance_publishes,
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.__name__)
def test_mutants_are_caught(mutant: Tell) -> None:
    assert max(largest_change(flip, 1, mutant) for flip in (0.11, 0.45)) > 1.0


def test_the_audit_says_what_the_second_round_needs() -> None:
    found = pairs(gl.ClosedPairs(2.0, slack=0.5))
    assert found.holds
    assert (found.claimed, found.shown) == pytest.approx((0.7, 0.7))


def test_a_flow_is_the_most_that_fits_under_the_cap() -> None:
    """Against a linear program; half of an edge is 1, so the sum over both directions is whole."""
    rng = np.random.default_rng(3)
    for size in (3, 5, 8):
        bits = np.triu(rng.integers(0, 3, (size, size)), 1).astype(np.int32)
        among = bits + bits.T
        pairs = [(j, k) for j in range(size) for k in range(j) if among[j, k]]
        for cap in range(1, 2 * size):
            ends = np.array([[j in pair for pair in pairs] for j in range(size)], float)
            bounds = [(0.0, float(among[pair])) for pair in pairs]
            best = linprog(-np.ones(len(pairs)), ends, np.full(size, cap), bounds=bounds)
            assert capped(among.tolist(), cap) == pytest.approx(-2 * some(best.fun))


@pytest.mark.parametrize("kind", ["random", "a clique among others", "busy users", "a chain"])
def test_a_flow_of_many_friends_is_as_large_as_another_programs(kind: str) -> None:
    """A chain has ways that are as long as it is; SciPy's flow is the judge."""
    size, rng = 120, np.random.default_rng(4)
    bits = rng.integers(0, 3, (size, size)) if kind == "random" else np.zeros((size, size), np.int64)
    if kind == "a clique among others":
        bits[:] = rng.random((size, size)) < 0.3
        bits[:40, :40] = 2
    if kind == "busy users":
        bits[:12] = 2
    if kind == "a chain":
        bits[np.arange(size - 1), np.arange(1, size)] = 1
    among = np.triu(bits, 1) + np.triu(bits, 1).T
    for cap in (1, 2, 7, 40, 110, 200):
        network = np.zeros((2 * size + 2, 2 * size + 2), np.int32)
        network[0, 1 : size + 1] = network[size + 1 : -1, -1] = cap
        network[1 : size + 1, size + 1 : -1] = among
        assert capped(among.tolist(), cap) == maximum_flow(sparse.csr_array(network), 0, 2 * size + 1).flow_value


def test_the_answer_has_the_noise_that_the_cap_asks_for() -> None:
    """With all but the answer told exactly, by counting. False alarms: one in a million."""
    count, spent = 8_000, math.log(E1)
    clique = gl.GraphSet.from_edges([0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], [6])
    mechanism = gl.ClosedPairs(100 * spent, degree=0.49, answer=0.01)
    told = some(mechanism.randomize(copies(clique, count), rng=5).pair_answers).told.reshape(count, 6)
    true = {0: 12, 3: 12, 4: 0, 5: 0}  # bits of the pairs that she knows, from both ends
    for user, bits in true.items():
        d = int(clique.degrees[user])
        cap = min(2 * (d + 1), 10)
        noise = (told[:, user] - bits + cap * d).astype(int)
        within = np.arange(-6 * cap, 6 * cap + 1)
        rate = spent / cap
        chance = math.tanh(rate / 2) * np.exp(-rate * np.abs(within))
        counts = np.bincount(noise[np.abs(noise) <= 6 * cap] + 6 * cap, minlength=len(within))
        assert_counts(np.append(counts, count - counts.sum()), np.append(chance, 1 - chance.sum()), ALARM / 4)


def test_cap_and_noise_of_an_answer_follow_from_what_was_sent() -> None:
    """All but the count is computed anew from the reports; at this ε many noisy degrees are far from the true ones."""
    graphs, key = gl.synthetic.barabasi_albert(80, 6, 2, seed=1), key_from(4, "test")
    mechanism = gl.ClosedPairs(1.0)
    reports = mechanism.randomize(graphs, rng=4)
    answers = some(reports.pair_answers)
    caps = mechanism.caps(graphs, np.asarray(reports.noisy_degree), answers.flip, reports.epsilon1)
    rate = np.asarray(reports.budget.answer) / caps
    noise = noise_of(UserRows.of(graphs), rate, "discrete", Stream.ANSWER, key)
    np.testing.assert_array_equal(answers.told, counts(graphs, (reports.indptr, reports.indices), caps) + noise)


@pytest.mark.parametrize("worth", [-1.0, math.inf], ids=["compiled", "plain"])
def test_what_is_published_is_as_noisy_as_the_noisiest_list(worth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One list has few wrong bits, and another none: both are published with as many as they are said to have."""
    monkeypatch.setattr("graphldp.mechanisms.drawing.backend.WORTH", worth)
    monkeypatch.setattr("graphldp.mechanisms.drawing.backend._drawn", 0.0)
    graphs = copies(gl.GraphSet.from_edges([0] * 20, range(1, 21), [40], directed=True), 400)
    told = np.where(np.arange(graphs.num_users) % 2, 0.0, 0.1)
    noisy = gl.RR(np.where(told > 0, math.log(9.0), np.inf)).randomize(graphs, rng=1)
    flip = np.full(graphs.num_users, 0.3)
    indptr, names = _published(UserRows.of(noisy), told, flip, key_from(2, "test"))
    published = replace(graphs, indptr=indptr, indices=names, trusted=True)
    wrong = (matrices(published) != matrices(graphs))[:, off_diagonal(40)].reshape(400, 40, 39).sum(axis=(0, 2))
    assert_binomial(wrong, 400 * 39, 0.3, ALARM)
    same = _published(UserRows.of(noisy), flip, flip, key_from(2, "test"))
    assert same[1] is noisy.indices


def test_a_public_user_changes_nobodys_promise() -> None:
    graphs = gl.synthetic.barabasi_albert(60, 4, 1, seed=1)
    epsilon = np.where(np.arange(60) % 3, 1.0, np.inf)
    reports = gl.ClosedPairs(epsilon).randomize(graphs, rng=1)
    np.testing.assert_array_equal(reports.degrees[::3], graphs.degrees[::3])
    assert some(reports.pair_answers).flip == pytest.approx(1 / (1 + math.exp(0.4)))
    private = reports.guarantee.epsilon[1::3]
    assert (private <= 1.0 + 1e-15).all()
    assert private == pytest.approx(1.0)
    assert reports.guarantee.edge_ldp == np.inf
    half = gl.ClosedPairs(1.0).randomize(graphs, rng=1)
    assert half.guarantee.relationship_dp == pytest.approx(2.0)
    assert "for the answer" in half.budget._repr_html_()


def test_who_stays_away_has_sent_a_degree_and_a_list(tmp_path: Path) -> None:
    graphs = gl.synthetic.barabasi_albert(200, 4, 1, seed=1)
    whole = gl.ClosedPairs(1.0).randomize(graphs, rng=1)
    part = gl.ClosedPairs(1.0, away=0.3).randomize(graphs, rng=1)
    left = np.isnan(some(part.pair_answers).told)
    assert 30 < left.sum() < 90
    np.testing.assert_array_equal(part.noisy_degree, whole.noisy_degree)
    np.testing.assert_array_equal(some(part.pair_answers).told[~left], some(whole.pair_answers).told[~left])
    part.save(tmp_path / "part.npz")
    np.testing.assert_array_equal(
        some(gl.Reports.load(tmp_path / "part.npz").pair_answers).told, some(part.pair_answers).told
    )


def test_lists_that_were_answered_about_are_not_rewritten() -> None:
    reports = gl.ClosedPairs(1.0).randomize(gl.synthetic.barabasi_albert(20, 4, 1, seed=1), rng=1)
    with pytest.raises(DataError, match="answered about already"):
        Poison.random(fraction=0.2).apply(reports, rng=1)


def test_caps_are_whole_and_follow_the_noise() -> None:
    assert pair_caps([-5, 0, 3, 30], 20, 0.25, 4).tolist() == [6, 6, 11, 29]  # 1.5 times the most friends
    assert pair_caps([7], 1, 0.25, 4).tolist() == [1]
    assert [slack_of(each, 2.0, 50) for each in (0.5, 0.3, 1e-9, np.inf)] == [4, 7, 50, 1]


@pytest.mark.parametrize(
    "bad",
    [
        {"degree": 0.0},
        {"answer": 0.75},
        {"answer": -0.1},
        {"answer": "1"},
        {"slack": 0.0},
        {"away": 1.5},
        {"away": True},
    ],
)
def test_bad_parameters(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter of ClosedPairs must be"):
        gl.ClosedPairs(1.0, **bad)


@pytest.mark.parametrize("bad", [{"told": [np.inf, 0.0]}, {"flip": [0.1, 0.5]}, {"flip": [0.1]}])
def test_bad_answers(bad: dict[str, Any]) -> None:
    with pytest.raises(DataError):
        PairAnswers(**({"told": [0.0, np.nan], "flip": [0.1, 0.1]} | bad))

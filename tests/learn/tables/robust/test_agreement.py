"""Judges who agree as before are heard, and those who do not are noticed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.learn.tables.robust.agreement import FEWEST, Agreement, Agreements, Statements, Trust


def chances(lead: np.ndarray) -> np.ndarray:
    """Of two classes, by the log odds of the second."""
    second = 1 / (1 + np.exp(-lead))
    return np.stack((1 - second, second), axis=1)


def pair(rng: np.random.Generator, count: int, r: float) -> Agreement:
    """Two judges whose log odds correlate so much."""
    first = rng.standard_normal(count)
    second = r * first + np.sqrt(1 - r * r) * rng.standard_normal(count)
    return Agreement.of(chances(first), chances(second), first * second < 0)


def test_it_is_a_correlation() -> None:
    lead = np.linspace(-2, 2, 41)
    alike, opposite = (Agreement.of(chances(lead), chances(each), lead * each < 0) for each in (lead, -lead))
    assert alike.correlation == pytest.approx(1.0)
    assert opposite.correlation == pytest.approx(-1.0)
    assert (alike.overturned, opposite.overturned) == (0.0, 40 / 41)
    other = np.abs(lead)
    found = Agreement.of(chances(lead), chances(other), lead * other < 0).correlation
    assert found == pytest.approx(np.corrcoef(chances(lead)[:, 1], chances(other)[:, 1])[0, 1], abs=1e-12)


def test_its_spread_is_that_of_an_estimate() -> None:
    """Over 400 draws of 200 graphs. The spread of the estimate is known to 3.5 %, so 15 % is over four errors."""
    rng = np.random.default_rng(0)
    drawn = [pair(rng, 200, 0.6) for _ in range(400)]
    spread = np.std([each.correlation for each in drawn]) * np.sqrt(200)
    assert spread == pytest.approx(np.mean([each.spread for each in drawn]), rel=0.15)


def test_graphs_drawn_alike_raise_no_alarm() -> None:
    """Each of 1,000 pairs does so with a probability of about 6e-5, so one of them does in 6 % of all seeds."""
    rng = np.random.default_rng(1)
    assert not any(pair(rng, 400, 0.7).fell(pair(rng, 60, 0.7)) for _ in range(1000))


def test_a_lasting_difference_is_noticed() -> None:
    rng = np.random.default_rng(2)
    assert all(pair(rng, 400, 0.8).fell(pair(rng, 100, 0.0)) for _ in range(50))


def test_more_agreement_is_no_alarm() -> None:
    rng = np.random.default_rng(3)
    assert not any(pair(rng, 400, 0.2).fell(pair(rng, 100, 0.9)) for _ in range(50))


@given(st.integers(0, 100), st.integers(FEWEST, 400))
def test_labels_are_overturned_at_most_so_often(percent: int, graphs: int) -> None:
    """The border is where the formula puts it: four standard errors of the pooled share."""
    before = Agreement(0.9, 0.5, 0.1, 1000)
    after = Agreement(0.9, 0.5, percent / 100, graphs)
    share = (100 + graphs * percent / 100) / (1000 + graphs)
    limit = 4 * np.sqrt(share * (1 - share) * (1 / 1000 + 1 / graphs))
    assert before.fell(after) == (percent / 100 - 0.1 > limit + 1e-12)


def test_a_few_graphs_say_nothing() -> None:
    learned, new = Agreement(0.9, 0.1, 0.0, 1000), Agreement(-1.0, 0.1, 1.0, FEWEST)
    assert learned.fell(new)
    assert not learned.fell(replace(new, graphs=FEWEST - 1))
    assert not replace(learned, graphs=FEWEST - 1).fell(new)


@given(st.integers(0, 1 << 20), st.integers(2, 40), st.integers(2, 4), st.booleans())
def test_one_graph_takes_no_more_than_the_worst(seed: int, graphs: int, classes: int, fixed: bool) -> None:
    rng = np.random.default_rng(seed)
    first = rng.dirichlet(np.ones(classes), graphs)
    second = (first + rng.dirichlet(np.ones(classes), graphs)) / 2
    differ = first.argmax(axis=1) != second.argmax(axis=1)
    worst = Agreement.at_worst(first, second, differ, fixed=fixed)
    for sure in (0.01, 1.0):  # of one class, or of none
        each, draw = rng.integers(graphs), rng.dirichlet(np.full(classes, sure), 2)
        if not fixed:
            first[each] = draw[0]
        second[each], differ[each] = draw[1], True
        found = Agreement.of(first, second, differ)
        assert found.correlation >= worst.correlation - 1e-9
        assert found.overturned <= worst.overturned + 1e-9
        worst = Agreement.at_worst(first, second, differ, fixed=fixed)


def test_the_worst_is_attained() -> None:
    """One judge is sure of one class and the other of the other, and the means of all others are in the middle."""
    first = chances(np.array([1.0, -1.0] * 20 + [0.0]))
    worst = Agreement.at_worst(first, first, np.zeros(41, np.bool_), fixed=False)
    second = first.copy()
    first[40], second[40] = (1.0, 0.0), (0.0, 1.0)
    assert worst.correlation == pytest.approx(Agreement.of(first, second, np.zeros(41, np.bool_)).correlation, abs=0.01)


STEADY = Agreement(0.8, 0.5, 0.1, 1000)
FALLEN, GONE = replace(STEADY, correlation=0.5), replace(STEADY, correlation=0.3)


@pytest.mark.parametrize(
    ("votes", "profile", "trust", "without_size"),
    [
        (STEADY, STEADY, "profile", "profile"),
        (STEADY, FALLEN, "votes", "votes"),
        (STEADY, GONE, "size", "votes"),
        (FALLEN, STEADY, "size", "profile"),
        (FALLEN, GONE, "size", "votes"),
        (STEADY, replace(STEADY, overturned=0.3), "votes", "votes"),
        (replace(STEADY, overturned=0.3), STEADY, "size", "profile"),
    ],
)
def test_whom_to_hear(votes: Agreement, profile: Agreement, trust: Trust, without_size: Trust) -> None:
    learned, new = Agreements(STEADY, STEADY), Agreements(votes, profile)
    assert learned.trust(new, size_serves=True) == trust
    assert learned.trust(new, size_serves=False) == without_size


def test_statements_are_mixed_graph_by_graph() -> None:
    ours, theirs = (Statements(*(np.full((3, 2), float(each)) for each in range(at, at + 4))) for at in (0, 10))
    mixed = ours.where(np.array([True, False, True]), theirs)
    for own, other, found in zip(ours, theirs, mixed, strict=True):
        np.testing.assert_array_equal(found[[0, 2]], own[[0, 2]])
        np.testing.assert_array_equal(found[1], other[1])

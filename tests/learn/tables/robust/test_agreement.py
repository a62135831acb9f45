"""Judges who agree as before are heard, and those who do not are noticed."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.learn.tables.robust.agreement import (
    FEWEST,
    MANY,
    PROFILE,
    SIZE,
    Agreement,
    Agreements,
    Statements,
    Trust,
)


def chances(lead: np.ndarray) -> np.ndarray:
    """Of two classes, by the log odds of the second."""
    second = 1 / (1 + np.exp(-lead))
    return np.stack((1 - second, second), axis=1)


STEADY = Agreement(0.2, 0.29, 0.1, 0.8, 1000)
FARTHER, OVERTURNED = replace(STEADY, distance=0.4, squares=0.41), replace(STEADY, overturned=0.3)
GONE = replace(FARTHER, correlation=0.3)


def pair(rng: np.random.Generator, count: int, r: float) -> Agreement:
    """Two judges whose log odds correlate so much."""
    first = rng.standard_normal(count)
    second = r * first + np.sqrt(1 - r * r) * rng.standard_normal(count)
    return Agreement.of(chances(first), chances(second), first * second < 0)


def test_it_is_a_mean_square_and_a_share() -> None:
    lead = np.linspace(-2, 2, 41)
    alike, opposite = (Agreement.of(chances(lead), chances(each), lead * each < 0) for each in (lead, -lead))
    assert (alike.distance, alike.overturned) == (0.0, 0.0)
    assert (alike.correlation, opposite.correlation) == pytest.approx((1.0, -1.0))
    other = np.abs(lead)
    found = Agreement.of(chances(lead), chances(other), lead * other < 0).correlation
    assert found == pytest.approx(np.corrcoef(chances(lead)[:, 1], chances(other)[:, 1])[0, 1], abs=1e-12)
    assert opposite.distance == pytest.approx(2 * (np.tanh(lead / 2) ** 2).mean())  # p − q = tanh(lead / 2)
    assert opposite.overturned == 40 / 41


def test_its_spread_is_that_of_an_estimate() -> None:
    """Over 400 draws of 200 graphs. The spread of the estimate is known to 3.5 %, so 15 % is over four errors."""
    rng = np.random.default_rng(0)
    drawn = [pair(rng, 200, 0.6) for _ in range(400)]
    spread = np.std([float(each.distance) for each in drawn]) * np.sqrt(200)
    assert spread == pytest.approx(np.mean([np.sqrt(each.squares - each.distance**2) for each in drawn]), rel=0.15)


def test_graphs_drawn_alike_raise_no_alarm() -> None:
    """Each of 1,000 pairs does so with a probability of 7e-4 (27 of 40,000 did): five or more in 0.07 % of seeds."""
    rng = np.random.default_rng(1)
    assert sum(bool(pair(rng, 400, 0.7).fell(pair(rng, 60, 0.7))) for _ in range(1000)) < 5


def test_a_lasting_difference_is_noticed() -> None:
    rng = np.random.default_rng(2)
    assert all(pair(rng, 400, 0.8).fell(pair(rng, 100, 0.0)) for _ in range(50))


def test_more_agreement_is_no_alarm() -> None:
    rng = np.random.default_rng(3)
    assert not any(pair(rng, 400, 0.2).fell(pair(rng, 100, 0.9)) for _ in range(50))


@given(st.integers(0, 100), st.integers(FEWEST, 400))
def test_labels_are_overturned_at_most_so_often(percent: int, graphs: int) -> None:
    """The border is where the formula puts it: four standard errors of the pooled share."""
    before, after = STEADY, replace(STEADY, overturned=percent / 100, graphs=graphs)
    share = (100 + graphs * percent / 100) / (1000 + graphs)
    limit = 4 * np.sqrt(share * (1 - share) * (1 / 1000 + 1 / graphs))
    assert before.fell(after) == (percent / 100 - 0.1 > limit + 1e-12)


@given(st.integers(0, 100), st.integers(FEWEST, 400))
def test_judges_move_apart_at_most_so_far(percent: int, graphs: int) -> None:
    """Four standard errors of a mean, by the spread among all graphs."""
    d = percent / 100
    after = replace(STEADY, distance=d, squares=d * d + 0.25, graphs=graphs)
    mean = (0.2 * 1000 + d * graphs) / (1000 + graphs)
    spread = np.sqrt((0.29 * 1000 + (d * d + 0.25) * graphs) / (1000 + graphs) - mean**2)
    assert STEADY.fell(after) == (d - 0.2 > 4 * spread * np.sqrt(1 / 1000 + 1 / graphs) + 1e-12)


def test_a_few_graphs_say_nothing() -> None:
    learned, new = replace(STEADY, overturned=0.0), replace(STEADY, overturned=1.0, graphs=FEWEST)
    assert learned.fell(new)
    assert not learned.fell(replace(new, graphs=FEWEST - 1))
    assert not replace(learned, graphs=FEWEST - 1).fell(new)


def test_each_graph_is_left_out_in_turn() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.dirichlet(np.ones(3), (2, 30))
    differ = first.argmax(axis=1) != second.argmax(axis=1)
    found = Agreement.of_others(first, second, differ)
    for each in range(30):
        others = np.arange(30) != each
        alone = Agreement.of(first[others], second[others], differ[others])
        for name in ("distance", "squares", "overturned", "correlation"):
            assert getattr(found, name)[each] == pytest.approx(getattr(alone, name))
    assert found.graphs == 29


@pytest.mark.parametrize(
    ("many", "profile", "trust", "without_size"),
    [
        ((STEADY, STEADY), (STEADY, STEADY), PROFILE, PROFILE),
        ((STEADY, STEADY), (FARTHER, STEADY), MANY, MANY),
        ((STEADY, STEADY), (STEADY, FARTHER), MANY, MANY),
        ((STEADY, STEADY), (STEADY, OVERTURNED), MANY, MANY),
        ((STEADY, STEADY), (STEADY, GONE), SIZE, MANY),
        ((STEADY, STEADY), (GONE, STEADY), MANY, MANY),
        ((STEADY, STEADY), (STEADY, replace(STEADY, correlation=0.3)), PROFILE, PROFILE),
        ((FARTHER, STEADY), (STEADY, STEADY), SIZE, PROFILE),
        ((STEADY, FARTHER), (STEADY, STEADY), SIZE, PROFILE),
        ((STEADY, OVERTURNED), (FARTHER, STEADY), SIZE, MANY),
    ],
)
def test_whom_to_hear(
    many: tuple[Agreement, ...], profile: tuple[Agreement, ...], trust: int, without_size: int
) -> None:
    """One witness is enough."""
    learned, new = Agreements((STEADY, STEADY), (STEADY, STEADY)), Agreements(many, profile)
    assert learned.trust(new, size_serves=True) == trust
    assert learned.trust(new, size_serves=False) == without_size
    assert [get_args(Trust)[each] for each in (SIZE, MANY, PROFILE)] == ["size", "many", "profile"]


@pytest.mark.parametrize(
    ("judge", "changes"),
    [("size", (1, 0, 0, 0)), ("quiet", (0, 1, 0, 0)), ("votes", (0, 0, 1, 0)), ("many", (1, 1, 0, 1))],
)
def test_who_is_whose_witness(judge: str, changes: tuple[int, ...]) -> None:
    """n and the quiet for the many, the votes and the many for the profile."""
    rng = np.random.default_rng(5)
    said = Statements(*rng.dirichlet(np.ones(2), (6, 40)))
    other = said._replace(**{judge: rng.dirichlet(np.ones(2), 40)})
    pairs = zip(*(sum(Agreements.of(each), ()) for each in (said, other)), strict=True)
    assert tuple(int(one.distance != two.distance) for one, two in pairs) == changes


@pytest.mark.parametrize("which", ["distance", "overturned"])
def test_room_is_what_may_rise_before_somebody_doubts(which: str) -> None:
    """Within it nothing is said to have fallen; the spread of both sets together is a little larger than of one."""
    room = STEADY.room(300)[which == "overturned"]
    for share, fell in ((0.9, False), (1.3, True)):
        new = {which: getattr(STEADY, which) + share * room}
        if which == "distance":
            new["squares"] = STEADY.squares - STEADY.distance**2 + new["distance"] ** 2
        assert STEADY.fell(replace(STEADY, graphs=300, **new)) == fell
    assert STEADY.room(FEWEST - 1) == (np.inf, np.inf)

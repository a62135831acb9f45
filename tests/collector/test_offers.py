"""What a community offers, from what its operator asks for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphldp as gl
from graphldp.collector.offers import PUBLIC, Split, offers
from graphldp.errors import BudgetError, ParameterError
from graphldp.privacy import allocate
from graphldp.privacy.hubs import LINKS_FROM, LIST_SHARE, LISTS_ABOVE
from graphldp.wire import MILLION, PRIVATE_MECHANISMS, WITH_COUNTS, Choice, to_millionths

LARGE = Split(n_max=3782)
EPSILONS = st.integers(2, 16_000_000).map(lambda units: units / MILLION) | st.floats(1e-5, 16)


def one(epsilon: float, mechanism: str | None = None, n: int = 1000, split: Split | None = None) -> Choice:
    (choice,) = offers([epsilon], mechanism, n, split or Split(), groups=mechanism in WITH_COUNTS)[1]
    return choice


@given(epsilon=EPSILONS, mechanism=st.sampled_from(PRIVATE_MECHANISMS))
def test_all_of_epsilon_and_never_more_is_offered_in_millionths(epsilon: float, mechanism: str) -> None:
    split = Split("fixed") if mechanism == "dprr" else Split()
    try:
        choice = one(epsilon, mechanism, split=split)
        choice.check(mechanism)
    except ParameterError:
        assert mechanism == "dprr"
        return
    except gl.errors.WireError:  # a share of it is no millionth
        assert mechanism in {"dprr", "closed-pairs"} and epsilon < 1e-4  # noqa: PT018
        return
    assert choice.cost is not None
    assert choice.cost <= Fraction(epsilon) * MILLION + Fraction(1, 10**6)
    assert Fraction(epsilon) * MILLION < choice.cost + 1 + Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("mechanism", "spent"),
    [("rr", (0.0, 2.0)), ("noisy-degrees", (2.0, 0.0)), ("hub-counts", (2.0, 0.0)), ("hub-lists", (0.4, 1.6))],
)
def test_each_mechanism_spends_it_in_its_own_way(mechanism: str, spent: tuple[float, float]) -> None:
    assert one(2.0, mechanism).epsilons == spent
    assert one(2.0, mechanism).name == "epsilon-2"


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.000001, 1.5, 3.0])
def test_hub_lists_are_offered_as_the_lab_splits_them(epsilon: float) -> None:
    """A hub's ε₁ and ε₂ within a millionth, and no list up to where the lab has none."""
    choice, lab = one(epsilon, "hub-lists"), gl.HubLists(epsilon)
    assert (lab.share, lab.least) == (LIST_SHARE, LISTS_ABOVE)
    if epsilon <= lab.least:
        assert choice.epsilons == (epsilon, 0.0)
        return
    split = allocate(epsilon, "fixed", alpha=1 - lab.share, n_max=2, owner="the lab")
    assert choice.epsilon1 == pytest.approx(split.degree, abs=1.1 / MILLION)
    assert choice.epsilon2 == pytest.approx(split.edges, abs=2.1 / MILLION)


@pytest.mark.parametrize("epsilons", [[0.2], [1.0], [1.0, 1.1], [2.0], [0.5, 1.0]])
def test_without_a_mechanism_it_is_the_recommended_one(epsilons: list[float]) -> None:
    name, choices = offers(epsilons, None, 1000, Split())
    assert name == gl.recommended(epsilons).mechanism.origin.name
    assert [choice.cost for choice in choices] == [to_millionths(each) for each in epsilons]


@pytest.mark.parametrize("split", [Split("fixed"), Split(alpha=0.5), LARGE])
@pytest.mark.parametrize("mechanism", [None, "rr", "hub-lists"])
def test_a_split_that_nothing_would_read_is_refused(mechanism: str | None, split: Split) -> None:
    with pytest.raises(ParameterError, match="for dprr alone"):
        offers([2.0], mechanism, 1000, split)


@pytest.mark.parametrize(
    ("mechanism", "n", "groups", "split"),
    [
        (None, 9, True, Split()),
        ("friend-counts", 9, False, Split()),
        ("rr", 9, False, Split("fixed")),
        ("dprr", 2, False, Split()),
    ],
)
def test_what_is_wrong_is_said_in_words_for_the_dashboard_too(
    mechanism: str | None, n: int, groups: bool, split: Split
) -> None:
    """The same sentence is on the page, in the API's answer and in the terminal: it names no option of a command."""
    with pytest.raises(ParameterError) as caught:
        offers([LINKS_FROM if groups else 0.5], mechanism, n, split, groups=groups)
    assert "--" not in str(caught.value)


def test_what_dprr_is_told_about_its_split_is_done() -> None:
    assert one(1.0, "dprr", split=LARGE).epsilons == (0.1, 0.9)
    assert one(1.0, "dprr", split=Split(alpha=0.5, n_max=3782)).epsilons == (0.5, 0.5)
    assert one(1.0, "dprr", n=3, split=Split("fixed")).epsilons == (0.1, 0.9)
    assert one(1.0, "dprr", n=100).epsilon1 == math.floor(math.sqrt(8 / 99) * MILLION) / MILLION
    assert one(1.0, "dprr", n=100) == one(1.0, "dprr", split=Split(n_max=100))
    by_utility = one(2.0, "dprr", split=Split("utility"))
    assert by_utility.epsilon1 == pytest.approx(
        float(allocate(2.0, "utility", alpha=0.9, n_max=1000, owner="here").degree), abs=1.1 / MILLION
    )


def test_a_split_that_a_small_community_cannot_meet_is_explained() -> None:
    with pytest.raises(BudgetError, match=r"With 9 users that is 1, which leaves nothing of ε = 0\.5") as caught:
        one(0.5, "dprr", n=9)
    for way_out in ("larger ε", "the allocation fixed or utility", "choose no mechanism"):
        assert way_out in str(caught.value)
    assert one(1.1, "dprr", n=9).epsilon1 == 1.0
    assert one(0.5, "dprr", n=9, split=Split("fixed")).cost == 500_000
    assert one(0.5, n=2).cost == 500_000


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 16.8, 1e308, math.inf, math.nan])
def test_an_epsilon_that_cannot_be_spent_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="'epsilon' parameter of a community must be above 0 and at most 16"):
        one(epsilon)


@pytest.mark.parametrize(
    ("name", "value"), [("allocation", "magic"), ("alpha", 0.0), ("alpha", 1.0), ("alpha", math.nan), ("n_max", 1)]
)
def test_a_split_that_is_none_is_refused(name: str, value: float | str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' parameter of a community"):
        Split(**{name: value})  # type: ignore[arg-type]


def test_a_public_list_has_no_cost() -> None:
    assert PUBLIC.cost is None
    PUBLIC.check("hub-lists")

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tests.values import some

from graphldp.audit import exact
from graphldp.client.explain import conclude, in_words, level
from graphldp.wire import Report, decode


def report(
    epsilon1: float = 0.5,
    epsilon2: float = 0.5,
    mechanism: str = "dprr",
    degree: int | None = 3,
    listed: Sequence[int] = (1, 2),
) -> Report:
    return Report(mechanism, 40, 7, epsilon1, epsilon2, degree, np.array(listed, np.int32))


def test_ten_that_stand_or_fall_together_reach_ten_times_epsilon() -> None:
    # Randomized response at ε₂: ten listed names, all friends or none. The likelihood ratio is that of ten bits.
    told = conclude(report(0.0, 1.0, "rr", None, tuple(range(10, 20))))
    assert some(told.listed_factor) ** 10 == pytest.approx(told.group_factor(10), rel=1e-9)
    assert told.group_factor(10) == pytest.approx(math.e**10)
    assert told.group_factor(1) == told.odds_factor


@pytest.mark.parametrize("mechanism", ["dprr", "hub-lists"])
def test_the_list_is_not_all_that_changes_the_odds_of_one_person(mechanism: str) -> None:
    # Somebody who knows of user 0 asks for user 2. All reports are enumerated: d* speaks of the friendship too.
    without, with_her = (exact.law_of(mechanism, 3, friends, 1.0, 0.9) for friends in ((0,), (0, 2)))
    beyond = 0
    for body, likely in with_her.chances.items():
        if min(likely, without.chances.get(body, 0)) < 1000 * without.rest:
            continue
        ratio, seen = float(likely / without.chances[body]), decode(body, n=3)
        told = conclude(seen)
        if not seen.epsilon2:  # of hub-lists, who is no hub
            assert 0.999 / told.odds_factor <= ratio <= told.odds_factor * 1.001
            assert (told.epsilon, told.listed_factor) == (1.9, None)
            continue
        factor = told.listed_factor if 2 in seen.neighbours else told.unlisted_factor
        assert factor is not None
        assert factor / told.degree_factor * 0.999 <= ratio <= factor * told.degree_factor * 1.001
        beyond += ratio > factor * 2
        assert f"by a factor of up to {math.e:.4g}, up or down" in "\n".join(in_words(seen, len(body)))
    assert beyond


def test_a_hub_is_told_that_her_list_goes_along() -> None:
    hub, other = report(0.4, 1.6, "hub-lists", 81), report(2.0, 0.0, "hub-lists", 3, ())
    assert any("look like a hub" in line for line in in_words(hub, 30))
    assert any("They list 2 people" in line for line in in_words(hub, 30))
    assert not any("hub" in line or "They list" in line for line in in_words(other, 30))
    assert conclude(hub).odds_factor == conclude(other).odds_factor == pytest.approx(math.e**2)
    assert conclude(hub).listed_factor == pytest.approx(math.exp(1.6))


def test_the_condition_and_the_group_stand_wherever_the_factor_does() -> None:
    for each in (report(), report(1.0, 0.0, "noisy-degrees", 3, ()), report(0.0, 2.0, "rr", None)):
        text = "\n".join(in_words(each, 20))
        assert "change by a factor of" in text
        assert "do not hang on this one, or who knows the others already" in text
        assert f"e^(10ε) = {math.exp(10 * (each.epsilon1 + each.epsilon2)):.4g}" in text


@pytest.mark.parametrize(("epsilon", "sure"), [(0.5, False), (1.0, False), (2.1, False), (2.2, True), (8.0, True)])
def test_no_comfort_where_somebody_can_conclude(epsilon: float, sure: bool) -> None:
    text = "\n".join(in_words(report(0.0, epsilon, "rr", None), 20))
    assert ("nearly sure" in text) is sure
    assert "Nobody can conclude" not in text


@pytest.mark.parametrize("mechanism", ["dprr", "public"])
def test_what_is_not_protected_is_said(mechanism: str) -> None:
    given = report() if mechanism == "dprr" else report(math.inf, math.inf, "public", None)
    last = in_words(given, 20)[-1]
    assert last.startswith("Not protected: that you take part, which choice of ε you took")


def test_an_epsilon_is_in_words_first() -> None:
    found = [level(each) for each in (0.25, 0.26, 1.0, 2.0, 16.0)]
    assert found == ["very private", "private", "fairly private", "tells much", "tells nearly everything"]

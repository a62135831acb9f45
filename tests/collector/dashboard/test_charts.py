"""Pictures of counts, which show nobody alone."""

from __future__ import annotations

import math
from datetime import date, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphldp.collector.communities.disclosure import LEAST_PER_BAR
from graphldp.collector.dashboard.charts import Histogram, arrivals_chart, histogram


@given(st.dictionaries(st.dates(date(2026, 1, 1), date(2027, 6, 1)), st.integers(1, 500), min_size=1, max_size=40))
def test_arrivals_are_all_in_the_picture(counts: dict[date, int]) -> None:
    made = arrivals_chart(counts)
    assert made is not None
    assert (made.bars[0].first, made.bars[-1].last) == (min(counts), max(counts))
    assert made.bars[-1].so_far == sum(bar.count for bar in made.bars) == sum(counts.values())
    for bar, following in pairwise(made.bars):
        assert following.first - bar.last == timedelta(days=1)
    for bar in made.bars:
        assert bar.count == sum(count for day, count in counts.items() if bar.first <= day <= bar.last)
    assert len(made.bars) <= 61
    assert arrivals_chart({}) is None


VALUES = st.lists(st.integers(-200, 2000) | st.integers(0, 9), min_size=6, max_size=200)


def counts_of(made: Histogram | None) -> dict[str, int]:
    assert made is not None
    return {bar.span: bar.count for bar in made.bars}


@given(VALUES)
def test_a_histogram_counts_every_value_once_and_nobody_alone(values: list[int]) -> None:
    made = histogram(values)
    assert made is not None
    assert sum(bar.count for bar in made.bars) == len(values)
    assert all(bar.count == 0 or bar.count >= LEAST_PER_BAR for bar in made.bars)
    assert len(made.bars) <= 26
    lows = [-math.inf if bar.low is None else bar.low for bar in made.bars]
    highs = [math.inf if bar.high is None else bar.high for bar in made.bars]
    assert lows[1:] == [high + 1 for high in highs[:-1]]
    assert (lows[0], highs[-1]) == (-math.inf, math.inf)
    for low, high, bar in zip(lows, highs, made.bars, strict=True):
        assert bar.count == sum(low <= value <= high for value in values)


@given(VALUES, st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_end_of_a_histogram_shows_where_one_user_is(values: list[int], up: int, down: int) -> None:
    ordered = sorted(values)
    moved = [ordered[0] - down, *ordered[1:-1], ordered[-1] + up]
    assert counts_of(histogram(moved)) == counts_of(histogram(values))


def test_too_few_values_make_no_histogram() -> None:
    assert histogram([3] * 5) is None
    assert counts_of(histogram([3] * 6)) == {"any": 6}

"""Pictures of counts and of estimates."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.values import some

from graphldp.collector.dashboard.charts import HEIGHT, WIDTH, arrivals_chart, histogram, matrix
from graphldp.estimates.rows import Estimate, estimate
from graphldp.estimates.samples import Doubt


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


SHARES = st.lists(st.tuples(st.floats(-0.2, 1.2), st.floats(0.0, 0.3)), min_size=1, max_size=40)


def share(place: int, value: float, error: float) -> Estimate:
    return estimate("share with degree", value, Doubt(error**2), "", within=(0.0, 1.0), of=f"{place} to {place + 1}")


@given(SHARES)
def test_bars_and_their_intervals_are_inside_the_picture(shares: list[tuple[float, float]]) -> None:
    rows = [share(place, value, error) for place, (value, error) in enumerate(shares)]
    made = some(histogram(rows))
    assert [bar.row for bar in made.bars] == rows
    for bar in made.bars:
        assert -0.1 <= bar.x <= bar.x + bar.width <= WIDTH + 0.1
        assert -0.1 <= bar.high <= bar.low <= HEIGHT
        assert bar.y + bar.height == pytest.approx(HEIGHT)
        assert bar.y >= -0.1  # a share above 1 is shown as 1
    assert len(made.ticks) <= 9
    assert histogram([]) is None


@pytest.mark.parametrize("count", [1, 3, 20])
def test_a_matrix_has_every_pair_both_ways(count: int) -> None:
    names = [f"a group with the number {number}" for number in range(count)]
    pairs = [(one, two) for place, one in enumerate(names) for two in names[place:]]
    rows = [
        estimate("friendships between", float(place + 1), Doubt(4.0), "", of=one, to=two)
        for place, (one, two) in enumerate(pairs)
    ]
    made = some(matrix(rows, rows))
    shown = min(count, 12)
    assert (len(made.cells), len(made.names), made.left_out) == (shown**2, shown, count - shown)
    assert len({(cell.x, cell.y) for cell in made.cells}) == shown**2
    assert all(0 <= cell.x < made.size and 0 <= cell.y < made.size and 0 <= cell.dark <= 0.7 for cell in made.cells)
    assert [name for _, name in made.names] == names[:shown]
    assert matrix([], []) is None

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from graphldp.intervals import share_bounds


@given(st.integers(1, 60), st.data())
def test_no_share_outside_would_give_such_a_count(of: int, data: st.DataObject) -> None:
    """At the lower bound so many hits or more have just the chance of the doubt, at the upper bound so few or fewer."""
    hits = data.draw(st.integers(0, of))
    low, high = share_bounds(hits, of)
    assert 0.0 <= low <= hits / of <= high <= 1.0
    assert low == 0.0 if hits == 0 else binom.sf(hits - 1, of, low) == pytest.approx(0.025)
    assert high == 1.0 if hits == of else binom.cdf(hits, of, high) == pytest.approx(0.025)


def test_many_at_once_and_none_at_all() -> None:
    low, high = share_bounds(np.array([0, 3]), np.array([0, 3]))
    assert (low[0], high[0]) == (0.0, 1.0)
    assert low[1] == pytest.approx(0.025 ** (1 / 3))

from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.datasets import synthetic
from graphldp.errors import ParameterError
from graphldp.learn.tables.controls import SizeControl
from graphldp.learn.tables.robust.bounded import BoundedControl
from graphldp.threats import Poison


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.DPRR(epsilon=1.0).randomize(synthetic.threads(num_graphs=120, seed=2), rng=1)


def test_a_fraction_of_lists_moves_the_score_by_a_bounded_amount(reports: gl.Reports) -> None:
    clf = BoundedControl(bound=0.7, seed=1).fit(reports)
    honest = np.log(clf.predict_proba(reports))
    for attack in (Poison.all_ones(fraction=0.2), Poison.random(fraction=0.2), Poison.all_zeros(fraction=0.2)):
        moved = np.log(clf.predict_proba(attack.apply(reports, rng=1))) - honest
        contrast = moved[:, 1] - moved[:, 0]  # the normalization cancels
        assert np.abs(contrast).max() <= 2 * 2 * 0.7 * 0.2 + 1e-9


def test_a_bound_of_zero_leaves_n_alone(reports: gl.Reports) -> None:
    clf = BoundedControl(bound=0.0, seed=1).fit(reports)
    assert np.array_equal(clf.predict(reports), SizeControl(seed=1).fit(reports).predict(reports))


def test_seeded_and_better_than_chance(reports: gl.Reports) -> None:
    one, two = (BoundedControl(seed=3).fit(reports) for _ in range(2))
    assert np.array_equal(one.predict_proba(reports), two.predict_proba(reports))
    assert one.score(reports) > 0.6


def test_bad_bound(reports: gl.Reports) -> None:
    with pytest.raises(ParameterError, match="'bound' parameter of BoundedControl"):
        BoundedControl(bound=-1.0).fit(reports)

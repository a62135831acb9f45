from __future__ import annotations

import re

import pytest

from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.sections.calibration import calibration_section, pooled, reliability_line

PLAN = ExperimentPlan("calibration", "tiny", "smoke", 2, "", ())


def seed(count: int, sure: float, right: int) -> dict[str, object]:
    """One seed whose graphs are all in the bin from 0.9 on; before calibration it was certain of all."""
    before = {"count": [0] * 9 + [count], "sure": [0.0] * 9 + [float(count)], "right": [0] * 9 + [right]}
    after = {"count": [0] * 9 + [count], "sure": [0.0] * 9 + [sure], "right": [0] * 9 + [right]}
    return {"uncalibrated": before, "calibrated": after, "temperature": 2.0, "held_out": 9, "accuracy": right / count}


def test_seeds_are_pooled_and_both_errors_shown() -> None:
    point = Point("", "recipe", 1.0, (seed(20, 19.0, 20), seed(20, 19.0, 17)), (), 2, 2, ())
    assert pooled(point, "calibrated").error == abs(37 - 38) / 40
    assert pooled(point, "uncalibrated").error == 3 / 40
    made = calibration_section(EXPERIMENTS["calibration"], PLAN, [point])
    assert [name for name, _, _ in made.charts] == ["calibration-ε1"]
    cells = re.findall("<td>(.*?)</td>", made.body)
    assert cells == ["the recipe", "1", "40", "0.925", "0.950", "0.075", "0.025", "2.00 to 2.00"]


@pytest.mark.parametrize(("ratios", "half"), [(None, 0.0833), ([0.75, 0.10, 0.15], 0.0986)])
def test_bars_know_that_splits_overlap(ratios: list[float] | None, half: float) -> None:
    """37 of 40 are right: 2·√(0.925·0.075/40), times √(1 + 2·0.15/0.75) where two splits share graphs."""
    chosen = () if ratios is None else ({"ratios": ratios},) * 2
    point = Point("", "recipe", 1.0, (seed(20, 19.0, 20), seed(20, 19.0, 17)), chosen, 2, 2, ())
    ((_, share, found),) = reliability_line(point)
    assert share == 0.925
    assert found == pytest.approx((0.925 - half, 0.925 + half), abs=1e-4)


def test_few_graphs_are_no_picture() -> None:
    point = Point("", "recipe", 1.0, (seed(9, 8.5, 9),), (), 1, 1, ())
    made = calibration_section(EXPERIMENTS["calibration"], PLAN, [point])
    assert made.charts == []
    assert "<td>9</td>" in made.body

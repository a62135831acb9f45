from __future__ import annotations

import pytest
from tests.experiments.conftest import MakePlan

from graphldp.experiments.cells import Cell
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context


@pytest.mark.parametrize("series", ["recipe", "dprr"])
def test_a_cell_is_its_trial_with_its_confidences(series: str, plan_of: MakePlan, context: Context) -> None:
    """What is right before and after is the trial's accuracy, and no confidence is above what was held out."""
    cell = next(entry.cell for entry in plan_of("calibration").entries if entry.series == series and entry.x == 1.0)
    trial = Cell.of("control" if series == "recipe" else "accuracy", **cell.params)
    rows = {row.cell.kind: row for row in compute([cell, trial], context)}
    found, plain = rows["calibration"].numbers, rows[trial.kind].numbers
    graphs = sum(map(sum, plain["confusion"]))
    for name in ("uncalibrated", "calibrated"):
        assert sum(found[name]["count"]) == graphs
        assert sum(found[name]["right"]) == round(plain["accuracy"] * graphs)
    most = (found["held_out"] + 1) / (found["held_out"] + 2)
    assert sum(found["calibrated"]["sure"]) <= graphs * most
    assert found["accuracy"] == plain["accuracy"]


def test_what_cannot_be_run_is_said(context: Context, plan_of: MakePlan) -> None:
    cell = next(entry.cell for entry in plan_of("calibration").entries if entry.series == "dprr")
    other = Cell.of("calibration", **{**cell.params, "draw": {**cell.params["draw"], "budget": None, "epsilon": 0.1}})
    (row,) = compute([other], context)
    assert row.status == "impossible"
    assert row.note

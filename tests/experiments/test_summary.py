from __future__ import annotations

from dataclasses import replace

import pytest

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import points_of

from .conftest import MakePlan


def rows_of(plan: ExperimentPlan) -> dict[str, Row]:
    """Deeper models validate better and test worse, so that a choice by the test would show."""
    rows = {}
    for entry in plan.entries:
        layers = entry.cell.params.get("model", {"layers": 0})["layers"]
        numbers = {"accuracy": 1.0 - layers / 10 - entry.seed / 100, "val_accuracy": layers / 10, "val_loss": 0.5}
        rows[entry.cell.id] = Row(entry.cell, "done", numbers)
    return rows


def test_validation_chooses_and_the_test_speaks(plan_of: MakePlan) -> None:
    plan = plan_of("accuracy-epsilon", seeds=3)
    points = {(point.series, point.x): point for point in points_of(plan, rows_of(plan))}
    rr = points["rr", 1.0]
    assert [params["model"]["layers"] for params in rr.chosen] == [3, 3, 3]
    summary = rr.summary("accuracy")
    assert summary is not None
    assert summary.count == 3
    assert summary.mean == pytest.approx(0.69)
    assert summary.std == pytest.approx(0.01)
    assert (rr.planned, rr.finished) == (6, 6)


def test_a_seed_with_half_a_grid_does_not_count(plan_of: MakePlan) -> None:
    plan = plan_of("accuracy-epsilon", seeds=2)
    rows = rows_of(plan)
    gone = next(e for e in plan.entries if e.series == "rr" and e.x == 2.0 and e.cell.params["model"]["layers"] == 2)
    rows[gone.cell.id] = replace(rows[gone.cell.id], status="too-large", note="needs 9 GB")
    point = next(each for each in points_of(plan, rows) if each.series == "rr" and each.x == 2.0)
    assert len(point.numbers) == 1
    assert point.finished == point.planned - 1
    assert point.notes == ("too-large: needs 9 GB",)


def test_nothing_computed_is_no_number(plan_of: MakePlan) -> None:
    for point in points_of(plan_of("accuracy-lambda"), {}):
        assert point.summary("accuracy") is None
        assert point.finished == 0

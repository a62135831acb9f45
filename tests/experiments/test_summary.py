from __future__ import annotations

from dataclasses import replace

import pytest

from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import ExperimentPlan, make_plan
from graphldp.experiments.summary import Point, accuracies, paired, points_of

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


@pytest.mark.parametrize(("right", "clear"), [(8, False), (3, True)])
def test_equal_gaps_over_few_graphs_are_no_exact_difference(right: int, clear: bool) -> None:
    """One graph of nine in each of three seeds says little; six of nine say something."""
    lines = []
    for series, hits in (("ours", 9), ("theirs", right)):
        numbers = tuple({"accuracy": hits / 9, "confusion": [[hits, 9 - hits]]} for _ in range(3))
        lines.append(Point("", series, 1.0, numbers, tuple({"seed": seed} for seed in range(3)), 3, 3, ()))
    gap = paired(lines[0], lines[1])
    assert gap is not None
    assert gap.clear is clear
    assert gap.summary.low < gap.summary.mean < gap.summary.high


def test_nothing_computed_is_no_number(plan_of: MakePlan) -> None:
    for point in points_of(plan_of("accuracy-lambda"), {}):
        assert point.summary("accuracy") is None
        assert point.finished == 0


def test_one_table_for_each_panel(plan_of: MakePlan) -> None:
    plan = plan_of("allocation")
    rows = {
        entry.cell.id: Row(entry.cell, "done", {"accuracy": 0.5, "val_accuracy": 0.5})
        for entry in plan.entries
        if entry.series != "dprr"
    }
    found = accuracies(plan, rows)
    assert list(found) == ["λ = 0", "λ = 0.5"]
    lines = {line[""]: line for line in found["λ = 0"]}
    assert lines["control: n only"]["α = 0.9"] == lines["control: n only"]["α = 0.5"] == "0.500"
    assert lines["DPRR"]["α = 0.9"] is None  # not computed yet


def test_other_figures_have_none(plan_of: MakePlan) -> None:
    assert accuracies(plan_of("degrees"), {}) == {}


def test_a_plan_about_users_has_one_table_along_epsilon() -> None:
    plan = make_plan("nodes-side-by-side", "synthetic:communities", Context(), effort="demo")
    rows = {entry.cell.id: Row(entry.cell, "done", {"accuracy": 0.25}) for entry in plan.entries if entry.x != 4.0}
    lines = {line[""]: line for line in accuracies(plan, rows)[""]}
    assert lines["FriendCounts"]["ε = 1"] == lines["features alone"]["ε = 4"] == "0.250 ± 0.000"
    assert lines["FriendCounts"]["ε = 4"] is None

from __future__ import annotations

from tests.experiments.conftest import MakePlan

from graphldp.experiments.accuracies import accuracies
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import make_plan


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

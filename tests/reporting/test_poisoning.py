from __future__ import annotations

from typing import Any

import pytest

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context
from graphldp.experiments.plan import make_plan
from graphldp.reporting.sections import section_of


def numbers(cell: Cell) -> dict[str, Any]:
    if cell.kind == "detection-curve":
        curve = {"area": 0.875, "false_positives": [0, 0.5, 1], "detected": [0, 0.9, 1]}
        return {"all": curve, "hubs": curve}
    rates = {} if cell.params["defense"] == "none" else {"detected": 0.9771, "hub_false_positives": 0.2512}
    return {"accuracy": 0.75, "auc": 0.8, "val_accuracy": 0.7, "val_loss": 0.5} | rates


@pytest.mark.parametrize("name", ["poisoning", "poisoning-beyond"])
def test_accuracy_rates_and_curves_are_shown(name: str) -> None:
    plan = make_plan(name, "synthetic:threads", Context(), effort="smoke", seeds=1)
    rows = {entry.cell.id: Row(entry.cell, "done", numbers(entry.cell)) for entry in plan.entries}
    section = section_of(plan, rows)
    names = [chart[0] for chart in section.charts]
    assert len(names) == len(set(names))
    assert "random: accuracy" in section.body
    assert "0.750" in section.body
    assert "0.9771" in section.body
    assert "random: honest hubs flagged" in section.body
    curves = [svg for chart, _, svg in section.charts if chart.endswith("-detection")]
    assert len(curves) == (3 if name == "poisoning-beyond" else 0)
    assert all("area 0.875" in svg for svg in curves)


def test_a_plan_without_rows() -> None:
    plan = make_plan("poisoning", "synthetic:threads", Context(), effort="smoke", seeds=1)
    assert "β = 0.5" in section_of(plan, {}).body

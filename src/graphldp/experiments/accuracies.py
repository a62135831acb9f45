"""What a figure about accuracy says, as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.kinds import AccuracySweep, NodeSweep
from graphldp.experiments.plans.methods import method_label
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point, points_of

SYMBOLS = {"public_fraction": "λ", "epsilon": "ε", "alpha": "α"}
"""The symbol of the parameter on a figure's x axis."""


def accuracies(plan: ExperimentPlan, rows: Mapping[str, Row]) -> dict[str, list[dict[str, Any]]]:
    """A table for each panel, with a row for each method; no tables where the plan is not about accuracy."""
    spec = EXPERIMENTS.get(plan.experiment)
    if not isinstance(spec, AccuracySweep | NodeSweep):
        return {}
    panels: dict[str, list[Point]] = {}
    for point in points_of(plan, rows):
        panels.setdefault(point.panel, []).append(point)
    along = SYMBOLS["epsilon" if isinstance(spec, NodeSweep) else spec.along]
    return {panel: _table(points, along) for panel, points in panels.items()}


def _table(points: list[Point], symbol: str) -> list[dict[str, Any]]:
    columns = sorted({point.x for point in points if point.x is not None})
    lines: dict[str, dict[str, Any]] = {}
    for point in points:
        empty = {f"{symbol} = {x:g}": None for x in columns}
        row = lines.setdefault(point.series, {"": method_label(point.series)} | empty)
        found = point.summary("accuracy")
        spread = "" if found is None or math.isnan(found.std) else f" ± {found.std:.3f}"
        for x in columns if point.x is None else (point.x,):
            row[f"{symbol} = {x:g}"] = None if found is None else f"{found.mean:.3f}{spread}"
    return list(lines.values())

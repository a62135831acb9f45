"""The section about a comparison: pictures, and the same numbers as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.learn.metrics import Summary
from graphldp.pages.comparison import MEASURES, Comparison, as_interval
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.sections.section import Section
from graphldp.pages.tables import table


def comparison_section(plan: ExperimentPlan, points: Sequence[Point]) -> Section:
    """A comparison's part of a page: pictures, and the same numbers as tables."""
    found = Comparison.of(plan, points)
    charts, parts = [], []
    for measure, label in MEASURES.items():
        lines = []
        for method in found.methods:
            own = [(x, point) for x in found.epsilons if (point := found.point(method, x)).numbers]
            values = [(x, s.mean, _half(s)) for x, point in own if (s := point.summary(measure)) is not None]
            across = bool(own) and own[0][1].x is None
            lines += [Series(method, method, values, across=across)] if values else []
        if lines:
            axes = Axis("budget ε", "places", found.epsilons), Axis(label)
            charts.append(
                (f"{plan.experiment}-{measure}", label.capitalize(), chart(lines, *axes, f"{label} against ε"))
            )
        cells = found.ranked(measure)
        best = {(row, place + 1) for row, (_, own) in enumerate(cells) for place, (_, bold) in enumerate(own) if bold}
        rows: list[list[str | None]] = [
            [method, *(as_interval(summary) for summary, _ in own)] for method, own in cells
        ]
        heads = [f"ε = {x:g}" for x in found.epsilons] or [label]
        parts.append(table([f"{label}, 95 % interval", *heads], rows, best=best))
    return Section(charts, "".join(parts))


def _half(found: Summary) -> float | None:
    return None if math.isnan(found.std) else found.std

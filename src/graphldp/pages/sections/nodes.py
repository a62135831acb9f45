"""The section about single users: how many are labelled rightly against ε, and what is known without any friend."""

from __future__ import annotations

import math

from graphldp.experiments.plans.kinds import Experiment, NodeSweep
from graphldp.experiments.plans.methods import method_label
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.sections.section import Section
from graphldp.pages.tables import table


def nodes_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """One picture and one table of accuracy."""
    assert isinstance(spec, NodeSweep)  # noqa: S101
    found = {(point.series, point.x): point for point in points}
    lines, rows = [], []
    for method in spec.methods:
        across = (method, None) in found
        places = [found.get((method, None if across else epsilon)) for epsilon in spec.epsilon]
        known = [(x, p.summary("accuracy")) for x, p in zip(spec.epsilon, places, strict=True) if p is not None]
        values = [(x, s.mean, None if math.isnan(s.std) else s.std) for x, s in known if s is not None]
        if values:
            lines.append(Series(method, method_label(method), values, across=across))
        rows.append([method_label(method), *(_shown(place) for place in places)])
    caption = "Accuracy"
    axes = Axis("budget ε", "places", spec.epsilon), Axis("accuracy")
    charts = [(plan.experiment, caption, chart(lines, *axes, f"{spec.title}: {caption}"))] if lines else []
    head = ["mean ± standard deviation", *(f"ε = {epsilon:g}" for epsilon in spec.epsilon)]
    return Section(charts, _intro(points) + table(head, rows))


def _intro(points: list[Point]) -> str:
    users = next((point.graphs for point in points if point.graphs is not None), None)
    held_out = "" if users is None else f" Each split holds {users:,} test users out to measure by."
    return (
        "<p>The server knows what users say of themselves, and the classes of some. The classes of the others follow "
        "from that alone (dashed), or from noisy reports about friends beside it. NonPriv-Full shows all friendships: "
        f"no method can do much better.{held_out}</p>"
    )


def _shown(point: Point | None) -> str | None:
    found = None if point is None else point.summary("accuracy")
    if found is None:
        return None if point is None else "not yet" if not point.notes else point.notes[0].split(":")[0]
    return f"{found.mean:.3f}" + ("" if math.isnan(found.std) else f" ± {found.std:.3f}")

"""The section of a page about malicious users: accuracy against β, what was recovered, who was flagged, detection."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

from graphldp.experiments.plans.adversaries import Line, Panel, Poisoning, line_name
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.summary import Point
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.style import LINES
from graphldp.pages.tables import Section, ends, table
from graphldp.threats.named import defense_label

LEARNERS = {"gin": "GIN", "degrees": "degrees", "bounded": "bounded influence"}
ENDS = {"none": "no defense", "perfect": "perfect detector"}
"""What a defense is measured against."""
RATES = {
    "detected": "malicious users flagged",
    "detected_long": "of these, senders of lists longer than n/4",
    "false_positives": "honest users flagged",
    "hub_false_positives": "honest hubs flagged",
}
_COST = 0.02  # of an attack; the share of less than that which is recovered says nothing


def poisoning_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """Charts of accuracy, tables of accuracy and of rates, and the detection curves that there are."""
    assert isinstance(spec, Poisoning)  # noqa: S101
    charts, parts = [], []
    for panel in spec.panels:
        own = [point for point in points if point.panel == panel.name]
        file = "-".join((plan.experiment, re.sub("[^a-z]+", "-", panel.name.lower()).strip("-")))
        axes = Axis("share β of malicious users", "places", panel.fractions), Axis("accuracy")
        title = f"{spec.title}: {panel.name}"
        charts.append((file, f"Attack: {panel.name}", chart(_lines(panel, own), *axes, title)))
        heads = ["", *(f"β = {fraction:g}" for fraction in panel.fractions)]
        for label, rows in panel_tables(panel, own):
            parts.append(f"<div><h3>{escape(f'{panel.name}: {label}')}</h3>{table(heads, rows)}</div>")
        curves = [point for point in own if point.x is None and point.numbers]
        if curves:
            axes = Axis("honest users flagged", low=0.0), Axis("malicious users flagged", low=0.0)
            caption = f"Detection: {panel.name}, β = {panel.curve:g}"
            charts.append((f"{file}-detection", caption, chart(_curves(curves), *axes, caption)))
    note = (
        f"<p>Recovered: the share of what the attack costs that comes back, where it costs {_COST:g} or more. Rates "
        "are of users in training graphs; a hub has more than n/4 true neighbours. The perfect detector is told who "
        "lies.</p>"
    )
    return Section(charts, f"{note}<div class=tables>{''.join(parts)}</div>")


def panel_tables(panel: Panel, points: Sequence[Point]) -> list[tuple[str, list[list[str | None]]]]:
    """(what is shown, a row for each line and a column for each β): accuracy, then what says something."""
    found = {(point.series, point.x): point for point in points}
    made: list[tuple[str, list[list[str | None]]]] = [("accuracy", [])]
    for line in panel.lines:
        cells = [_mean(found.get((line_name(*line), x)), "accuracy") for x in panel.fractions]
        made[0][1].append([line_label(line), *cells])
    for label, name in (("recovered", ""), *((label, name) for name, label in RATES.items())):
        rows: list[list[str | None]] = []
        for line in panel.lines:
            if name:
                cells = [_mean(found.get((line_name(*line), x)), name) for x in panel.fractions]
            else:
                shares = [recovered(found, line, x) for x in panel.fractions]
                cells = [None if share is None else f"{share:.2f}" for share in shares]
            if any(cell is not None for cell in cells):
                rows.append([line_label(line), *cells])
        if rows:
            made.append((label, rows))
    return made


def recovered(found: dict[tuple[str, float | None], Point], line: Line, fraction: float) -> float | None:
    """The share of what an attack costs a learner that a defense, or a robust learner, gives back.

    Over the seeds that are done with and without attack and defense, and None where the attack costs hardly anything.

    Args:
        found: the points of a panel by line and β.
        line: which line.
        fraction: β.
    """
    learner = "degrees" if line[0] == "bounded" else line[0]
    if not fraction or line == (learner, "none", ""):
        return None
    places = ((learner, "none", ""), 0.0), ((learner, "none", ""), fraction), (line, fraction)
    points = [found.get((line_name(*each), x)) for each, x in places]
    scores = [
        {} if point is None else {c["seed"]: n["accuracy"] for c, n in zip(point.chosen, point.numbers, strict=True)}
        for point in points
    ]
    seeds = set(scores[0]) & set(scores[1]) & set(scores[2])
    cost = sum(scores[0][seed] - scores[1][seed] for seed in seeds)
    gain = sum(scores[2][seed] - scores[1][seed] for seed in seeds)
    return gain / cost if cost > _COST * len(seeds) else None


def line_label(line: Line) -> str:
    """The label of a line, for people."""
    learner, defense, treatment = line
    treated = f", {treatment}" if treatment else ""
    return f"{LEARNERS[learner]}: {defense_name(defense)}{treated}"


def defense_name(name: str) -> str:
    """The label of a defense, for people."""
    return ENDS.get(name) or defense_label(name)


def _mean(point: Point | None, name: str) -> str | None:
    found = None if point is None else point.summary(name)
    if found is None:
        return None
    if name != "accuracy":
        return f"{found.mean:.4f}"
    return f"{found.mean:.3f}" + ("" if math.isnan(found.std) else f" ± {found.std:.3f}")


def _lines(panel: Panel, points: Sequence[Point]) -> list[Series]:
    lines = []
    for colour, line in zip(LINES, panel.lines, strict=False):
        values = []
        for point in points:
            found = point.summary("accuracy") if point.series == line_name(*line) else None
            if found is not None and point.x is not None:
                values.append((point.x, found.mean, ends(found)))
        if values:
            lines.append(Series(colour, line_label(line), values))
    return lines


def _curves(points: Sequence[Point]) -> list[Series]:
    lines = []
    for place, point in enumerate(points):
        for shift, (among, label) in enumerate((("all", "all users"), ("hubs", "hubs"))):
            found = point.numbers[0][among]
            values = [(x, y, None) for x, y in zip(found["false_positives"], found["detected"], strict=True)]
            text = f"{defense_name(point.series)}, {label}: area {found['area']:.3f}"
            lines.append(Series(LINES[2 * place + shift], text, values, marked=False))
    return lines

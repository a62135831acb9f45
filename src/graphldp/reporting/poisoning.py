"""The section of a page about malicious users: accuracy against β, who was flagged, and detection curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import groupby

from graphldp.experiments.figures import Experiment, Poisoning
from graphldp.experiments.plan import Plan
from graphldp.experiments.poisoning import line_name
from graphldp.experiments.summary import Point
from graphldp.reporting.plots import Axis, Series, chart
from graphldp.reporting.section import Section
from graphldp.reporting.tables import table

_LEARNERS = {"gin": "GIN", "degrees": "degrees", "bounded": "bounded influence"}
_DEFENSES = {
    "none": "no defense",
    "threshold": "the paper's defense",
    "row-column": "row against column",
    "guard-accuracy": "HubGuard, accuracy",
    "guard-guarantee": "HubGuard, guarantee",
}
_COLOURS = ("rr", "dprr", "local-lap", "nonpriv-part", "degree-control", "dprr-fixed", "nonpriv-full", "size-control")
_RATES = {
    "detected": "malicious users flagged",
    "false_positives": "honest users flagged",
    "hub_false_positives": "honest hubs flagged",
}


def poisoning_section(spec: Experiment, plan: Plan, points: list[Point]) -> Section:
    """Charts of accuracy, tables of accuracy and of rates, and the detection curves that there are."""
    assert isinstance(spec, Poisoning)  # noqa: S101
    charts, parts = [], []
    for attack, group in groupby(points, key=lambda point: point.panel):
        members = list(group)
        swept = [point for point in members if point.x is not None]
        file = attack.replace(", ", "-").replace(" ", "-").replace("*", "")
        axes = Axis("share β of malicious users", "places", spec.fractions), Axis("accuracy")
        title = f"{spec.title}: {attack}"
        charts.append((f"{plan.experiment}-{file}", f"Attack: {attack}", chart(_lines(spec, swept), *axes, title)))
        heads = [f"β = {fraction:g}" for fraction in spec.fractions]
        tables = [f"<h3>{escape(attack)}: accuracy</h3>{table(['', *heads], _rows(spec, swept, 'accuracy'))}"]
        for name, label in _RATES.items():
            rows = _rows(spec, swept, name)
            if any(cell is not None for row in rows for cell in row[1:]):
                tables.append(f"<h3>{escape(f'{attack}: {label}')}</h3>{table(['', *heads], rows)}")
        parts.append("".join(f"<div>{each}</div>" for each in tables))
        curves = [point for point in members if point.x is None and point.numbers]
        if curves:
            axes = Axis("honest users flagged", low=0.0), Axis("malicious users flagged", low=0.0)
            drawn = chart(_curves(curves), *axes, f"Detection, {attack}")
            charts.append((f"{plan.experiment}-{file}-detection", f"Detection: {attack}", drawn))
    return Section(charts, f"<div class=tables>{''.join(parts)}</div>")


def _label(learner: str, defense: str, treatment: str) -> str:
    treated = f", {treatment}" if treatment else ""
    return f"{_LEARNERS[learner]}: {_DEFENSES[defense]}{treated}"


def _lines(spec: Poisoning, points: Sequence[Point]) -> list[Series]:
    lines = []
    for place, line in enumerate(spec.lines):
        values = []
        for point in points:
            found = point.summary("accuracy") if point.series == line_name(*line) else None
            if found is not None and point.x is not None:
                values.append((point.x, found.mean, None if math.isnan(found.std) else found.std))
        if values:
            lines.append(Series(_COLOURS[place], _label(*line), values))
    return lines


def _rows(spec: Poisoning, points: Sequence[Point], name: str) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    for line in spec.lines:
        own = {point.x: point for point in points if point.series == line_name(*line)}
        row: list[str | None] = [_label(*line)]
        for fraction in spec.fractions:
            found = own[fraction].summary(name) if fraction in own else None
            spread = "" if found is None or math.isnan(found.std) else f" ± {found.std:.3f}"
            digits = 3 if name == "accuracy" else 4
            row.append(None if found is None else f"{found.mean:.{digits}f}{spread if name == 'accuracy' else ''}")
        if name == "accuracy" or any(cell is not None for cell in row[1:]):
            rows.append(row)
    return rows


def _curves(points: Sequence[Point]) -> list[Series]:
    lines = []
    for place, point in enumerate(points):
        for shift, (among, label) in enumerate((("all", "all users"), ("hubs", "hubs"))):
            found = point.numbers[0][among]
            values = [(x, y, None) for x, y in zip(found["false_positives"], found["detected"], strict=True)]
            text = f"{_DEFENSES[point.series]}, {label}: area {found['area']:.3f}"
            lines.append(Series(_COLOURS[2 * place + shift], text, values, marked=False))
    return lines

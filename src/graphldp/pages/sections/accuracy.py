"""Accuracy against what was varied: a line for each method, the best in bold, and what was chosen on validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import groupby

from graphldp.experiments.accuracies import SYMBOLS
from graphldp.experiments.plans.kinds import (
    AccuracySweep,
    Experiment,
)
from graphldp.experiments.plans.methods import CONTROLS, NOT_PRIVATE, method_label
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.sections.section import Section
from graphldp.pages.tables import table

_AXES = {"public_fraction": "share λ of public users", "epsilon": "budget ε", "alpha": "share α of ε for edges"}


def accuracy_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """Charts and tables of each score, where a control does as well as DPRR, and what validation chose."""
    assert isinstance(spec, AccuracySweep)  # noqa: S101
    charts, tables, verdicts = [], [], []
    measures = (("accuracy", "accuracy"), ("auc", "AUC"))
    for panel, group in groupby(points, key=lambda point: point.panel):
        members = list(group)
        for name, label in measures:
            caption = ", ".join(each for each in (label.capitalize() if label == "accuracy" else label, panel) if each)
            axes = Axis(_AXES[spec.along], "places", spec.values), Axis(label)
            file = "-".join(each for each in (plan.experiment, name, panel.replace(" = ", "")) if each)
            charts.append((file, caption, chart(_lines(members, name, spec), *axes, f"{spec.title}: {caption}")))
            tables.append(f"<div><h3>{escape(caption)}</h3>{_accuracy_table(members, name, spec)}</div>")
        verdicts.append(_verdict(members, spec, panel))
    body = f"{_held_out(points)}<div class=tables>{''.join(tables)}</div>{''.join(verdicts)}{_choices(points)}"
    return Section(charts, body)


def _held_out(points: Sequence[Point]) -> str:
    """How many graphs a number rests on."""
    count = next((point.graphs for point in points if point.graphs is not None), None)
    return "" if count is None else f"<p>Each seed holds {count:,} test graphs out to measure by.</p>"


def _lines(points: Sequence[Point], name: str, spec: AccuracySweep) -> list[Series]:
    lines = []
    for method in (*spec.methods, *CONTROLS):
        own = [(point, point.summary(name)) for point in points if point.series == method]
        across = bool(own) and own[0][0].x is None
        values = [
            (spec.values[0] if point.x is None else point.x, s.mean, None if math.isnan(s.std) else s.std)
            for point, s in own
            if s is not None
        ]
        if values:
            lines.append(Series(method, method_label(method), values, across=across))
    return lines


def _accuracy_table(points: Sequence[Point], name: str, spec: AccuracySweep) -> str:
    rows: list[list[str | None]] = []
    for method in (*spec.methods, *CONTROLS):
        own = {point.x: point for point in points if point.series == method}
        line: list[str | None] = [method_label(method)]
        for value in spec.values:
            point = own.get(value, own.get(None))
            line.append(None if point is None else _mean(point, name))
        rows.append(line)
    heads = [f"{SYMBOLS[spec.along]} = {value:g}" for value in spec.values]
    return table(["mean ± standard deviation", *heads], rows, best=_best(points, name, spec))


def _best(points: Sequence[Point], name: str, spec: AccuracySweep) -> set[tuple[int, int]]:
    """The highest mean of each column, by row and column, among methods that keep friendships private."""
    found = {(p.series, p.x): s.mean for p in points if (s := p.summary(name)) is not None}
    rows = [(place, each) for place, each in enumerate((*spec.methods, *CONTROLS)) if each not in NOT_PRIVATE]
    best = set()
    for column, x in enumerate(spec.values, 1):
        means = {place: found[key] for place, each in rows for key in ((each, x), (each, None)) if key in found}
        best |= {(place, column) for place, mean in means.items() if mean == max(means.values())}
    return best


def _mean(point: Point, name: str) -> str | None:
    found = point.summary(name)
    if found is None:
        return "not yet" if not point.notes else point.notes[0].split(":")[0]
    spread = "" if math.isnan(found.std) else f" ± {found.std:.3f}"
    return f"{found.mean:.3f}{spread}"


def _verdict(points: Sequence[Point], spec: AccuracySweep, panel: str) -> str:
    """Where a control does at least as well as DPRR: what spends ε on edges has to earn it."""
    table_: dict[tuple[str, float | None], float] = {}
    for point in points:
        found = point.summary("accuracy")
        if found is not None:
            table_[point.series, point.x] = found.mean
    lines = []
    for control in CONTROLS:
        better = [
            value
            for value in spec.values
            if ("dprr", value) in table_
            and table_.get((control, value), table_.get((control, None), -1.0)) >= table_["dprr", value]
        ]
        if better:
            where = ", ".join(f"{value:g}" for value in better)
            least = f"{method_label(control)} is at least as accurate as DPRR"
            lines.append(f"{least} at {SYMBOLS[spec.along]} = {where}.")
    where = f"{panel}: " if panel else ""
    return f'<p class="note">{escape(where)}{"<br>".join(escape(each) for each in lines)}</p>' if lines else ""


def _choices(points: Sequence[Point]) -> str:
    """Which hyper-parameters validation chose, where there was a choice."""
    counts: dict[str, dict[str, int]] = {}
    for point in points:
        for params in point.chosen:
            if "model" in params:
                model = params["model"] | {"lr": params["training"]["lr"]}
                text = ", ".join(f"{key} {model[key]:g}" for key in ("layers", "hidden", "lr", "dropout"))
                own = counts.setdefault(point.series, {})
                own[text] = own.get(text, 0) + 1
    if len({text for own in counts.values() for text in own}) < 2:
        return ""
    rows = []
    for method, own in counts.items():
        text, times = max(own.items(), key=lambda item: item[1])
        rows.append([method_label(method), text, f"{times} of {sum(own.values())}"])
    head = ["method", "chosen most often on validation graphs", "seeds"]
    return f"<h3>Hyper-parameters</h3>{table(head, rows, text=(1,))}"

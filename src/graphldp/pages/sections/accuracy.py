"""Accuracy against what was varied: a line for each method, in bold what nothing beats, and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from graphldp.experiments.plans.accuracy import AccuracySweep, NodeSweep
from graphldp.experiments.plans.methods import CONTROLS, NOT_PRIVATE, method_of
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.plans.search import BEFORE, TESTED
from graphldp.experiments.summary import SYMBOLS, Point, not_beaten
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.tables import INTERVAL, Section, cell, ends, table

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
            (spec.values[0] if point.x is None else point.x, s.mean, ends(s)) for point, s in own if s is not None
        ]
        if values:
            lines.append(Series(method, method_of(method).label, values, across=across))
    return lines


def _accuracy_table(points: Sequence[Point], name: str, spec: AccuracySweep) -> str:
    rows: list[list[str | None]] = []
    for method in (*spec.methods, *CONTROLS):
        own = {point.x: point for point in points if point.series == method}
        line: list[str | None] = [method_of(method).label]
        for value in spec.values:
            point = own.get(value, own.get(None))
            line.append(cell(point, name))
        rows.append(line)
    heads = [f"{SYMBOLS[spec.along]} = {value:g}" for value in spec.values]
    return table([INTERVAL, *heads], rows, best=_best(points, name, spec))


def _best(points: Sequence[Point], name: str, spec: AccuracySweep) -> set[tuple[int, int]]:
    """The cells that nothing beats clearly in their column, among methods that keep friendships private."""
    found = {(point.series, point.x): point for point in points}
    rows = [(place, each) for place, each in enumerate((*spec.methods, *CONTROLS)) if each not in NOT_PRIVATE]
    best = set()
    for column, x in enumerate(spec.values, 1):
        there = {place: found[key] for place, each in rows for key in ((each, x), (each, None)) if key in found}
        best |= {(place, column) for place in not_beaten(there, name)}
    return best


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
            least = f"{method_of(control).label} is at least as accurate as DPRR"
            lines.append(f"{least} at {SYMBOLS[spec.along]} = {where}.")
    where = f"{panel}: " if panel else ""
    return f'<p class="note">{escape(where)}{"<br>".join(escape(each) for each in lines)}</p>' if lines else ""


def _choices(points: Sequence[Point]) -> str:
    """Which hyper-parameters validation chose, where there was a choice."""
    counts: dict[str, dict[str, int]] = {}
    for point in points:
        for params in point.chosen:
            if "model" in params:
                text = words(params)
                own = counts.setdefault(point.series, {})
                own[text] = own.get(text, 0) + 1
    if len({text for own in counts.values() for text in own}) < 2:
        return ""
    rows = []
    for method, own in counts.items():
        text, times = max(own.items(), key=lambda item: item[1])
        rows.append([method_of(method).label, text, f"{times} of {sum(own.values())}"])
    head = ["method", "chosen most often on validation graphs", "seeds"]
    return f"<h3>Hyper-parameters</h3>{table(head, rows, text=(1,))}"


def nodes_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """One picture and one table of accuracy."""
    assert isinstance(spec, NodeSweep)  # noqa: S101
    found = {(point.series, point.x): point for point in points}
    lines, rows = [], []
    for method in spec.methods:
        across = (method, None) in found
        places = [found.get((method, None if across else epsilon)) for epsilon in spec.epsilon]
        known = [(x, p.summary("accuracy")) for x, p in zip(spec.epsilon, places, strict=True) if p is not None]
        values = [(x, s.mean, ends(s)) for x, s in known if s is not None]
        if values:
            lines.append(Series(method, method_of(method).label, values, across=across))
        rows.append([method_of(method).label, *(cell(place) for place in places)])
    caption = "Accuracy"
    axes = Axis("budget ε", "places", spec.epsilon), Axis("accuracy")
    charts = [(plan.experiment, caption, chart(lines, *axes, f"{spec.title}: {caption}"))] if lines else []
    head = [INTERVAL, *(f"ε = {epsilon:g}" for epsilon in spec.epsilon)]
    return Section(charts, _intro(points) + table(head, rows))


def _intro(points: list[Point]) -> str:
    users = next((point.graphs for point in points if point.graphs is not None), None)
    held_out = "" if users is None else f" Each split holds {users:,} test users out to measure by."
    return (
        "<p>The server knows what users say of themselves, and the classes of some. The classes of the others follow "
        "from that alone (dashed), or from noisy reports about friends beside it. NonPriv-Full shows all friendships: "
        f"no method can do much better.{held_out}</p>"
    )


COLUMNS = ("method", "λ", "its own point", "accuracy there", "accuracy as before", "trainings of the search")
_INTRO = (
    "<p>Each point of the grid is trained briefly; the best of each learning rate are trained to the end; the best of "
    "those, by mean validation accuracy, is tested with every seed, beside the point that all methods shared.</p>"
)


def search_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """One row for each method and λ."""
    del spec, plan
    found = {(point.panel, point.series, point.x): point for point in points}
    rows = []
    for panel, method, x in found:
        if panel != BEFORE:
            continue
        own, before = found.get((TESTED, method, x)), found[panel, method, x]
        tried = sum(p.finished for p in points if (p.series, p.x) == (method, x) and p.panel not in (BEFORE, TESTED))
        rows.append(
            [
                *(method_of(method).label, None if x is None else f"{x:g}"),
                *(None if own is None or not own.chosen else words(own.chosen[0]), _accuracy(own), _accuracy(before)),
                f"{tried:,}",
            ]
        )
    return Section([], _INTRO + table(COLUMNS, rows, text=(2,)))


def words(params: Mapping[str, Any]) -> str:
    """A point of the grid as people read it."""
    point = params["model"] | {"lr": params["training"]["lr"]}
    return ", ".join(f"{name} {point[name]:g}" for name in ("layers", "hidden", "lr", "dropout"))


def _accuracy(point: Point | None) -> str | None:
    summary = None if point is None else point.summary("accuracy")
    return None if summary is None else f"{summary.mean:.3f} ± {summary.std:.3f}"

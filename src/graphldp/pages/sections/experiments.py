"""One section of the page for each experiment: its charts, and the same numbers as tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.accuracy import (
    AccuracySweep,
    CalibrationStudy,
    DatasetTable,
    DegreeStudy,
    NodeSweep,
    with_methods,
)
from graphldp.experiments.plans.adversaries import DegreeForgery, Poisoning
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.methods import method_of
from graphldp.experiments.plans.plan import COMPARISON, RUNS, ExperimentPlan
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.plans.search import GridSearch
from graphldp.experiments.plans.timings import ComplexityTable, NodesRuntime, SamplingRuntime
from graphldp.experiments.summary import Point, points_of
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.sections.accuracy import accuracy_section, nodes_section, search_section
from graphldp.pages.sections.calibration import calibration_section
from graphldp.pages.sections.forgery import forgery_section
from graphldp.pages.sections.poisoning import poisoning_section
from graphldp.pages.sections.training import comparison_section, training_section
from graphldp.pages.tables import Section, number, seconds, size, table

_STATISTICS = {
    "graphs": "graphs",
    "classes": "classes",
    "nodes_max": "nodes, max",
    "nodes_mean": "nodes, mean",
    "degree_max": "degree, max",
    "degree_mean": "degree, mean",
    "users": "users",
    "edges": "edges",
}


def section_of(plan: ExperimentPlan, rows: Mapping[str, Row]) -> Section:
    """The charts and tables of a plan."""
    if plan.experiment == COMPARISON:
        return comparison_section(plan, points_of(plan, rows))
    if plan.experiment in RUNS:
        return training_section(plan, points_of(plan, rows))
    series = (entry.series for entry in plan.entries if entry.series != "distribution")
    spec = with_methods(EXPERIMENTS[plan.experiment], series)
    return _MAKERS[type(spec)](spec, plan, points_of(plan, rows))


def _degrees(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    assert isinstance(spec, DegreeStudy)  # noqa: S101
    charts: list[tuple[str, str, str]] = []
    found = {point.series: point.numbers[0] for point in points if point.numbers}
    noisy = {method: found[method] for method in spec.methods if method in found}
    top = max((bin_["true"] for numbers in noisy.values() for bin_ in numbers["bins"]), default=1.0)
    for method, numbers in noisy.items():
        bins = numbers["bins"]
        lines = [
            Series(
                method,
                "mean, deciles 1 to 9, some users",
                [(b["true"], b["noisy"], None) for b in bins],
                band=[(b["true"], b["p10"], b["p90"]) for b in bins],
                dots=[(a, b) for a, b in numbers["points"]],
            ),
            Series("nonpriv-full", "d̃ = d", [(v, v, None) for v in (0.0, top)], marked=False),
        ]
        axes = Axis("true degree d", "log1p"), Axis("length d̃ of the noisy list", "log1p")
        label, file = method_of(method).label, re.sub("[^a-z0-9]+", "-", method.lower())
        charts.append((f"degrees-{file}", label, chart(lines, *axes, f"{spec.title}: {label}")))
    parts = []
    if "distribution" in found:
        numbers = found["distribution"]
        lines = [
            Series(
                f"class-{place % 5}",
                f"class {label}",
                [(low, share, None) for low, share in zip(numbers["from"], shares, strict=True) if share],
            )
            for place, (label, shares) in enumerate(numbers["share"].items())
        ]
        axes = Axis("true degree d", "log1p"), Axis("share of users", "log")
        charts.append(("degrees-by-class", "Degrees by class", chart(lines, *axes, "Degrees by class")))
    head = ["method", "mean d", "mean d̃", "mean |d̃ − d|", "empty lists"]
    rows = [
        [
            method_of(method).label,
            *(number(n[name]) for name in ("mean_true", "mean_noisy", "mean_absolute_error")),
            f"{n['empty_lists']:.1%}",
        ]
        for method, n in noisy.items()
    ]
    parts.append(table(head, rows))
    return Section(charts, "".join(parts))


def _datasets(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    rows = [[point.series, *(number(each[name]) for name in _STATISTICS)] for point in points for each in point.numbers]
    return Section([], table(["dataset", *_STATISTICS.values()], rows))


def _curves(
    points: Sequence[Point], columns: Mapping[str, tuple[str, Callable[[float], str]]], x: Axis, y_kind: str, name: str
) -> Section:
    """Charts and tables of measured numbers against x, one chart for each panel and column."""
    charts, parts = [], []
    for panel, group in groupby(points, key=lambda point: point.panel):
        members = list(group)
        methods = list(dict.fromkeys(point.series for point in members))
        places = list(dict.fromkeys(point.x for point in members))
        for column, (label, show) in columns.items():
            caption = ", ".join(each for each in (label, panel) if each)
            lines, rows = [], []
            for method in methods:
                own = {p.x: p.numbers[0][column] for p in members if p.series == method and p.numbers}
                notes = {p.x: p.notes[0] for p in members if p.series == method and p.notes}
                values = [(float(at), float(v), None) for at, v in own.items() if at is not None]
                if values:
                    lines.append(Series(method, method_of(method).label, values))
                cells = [show(own[at]) if at in own else notes.get(at, "not yet").split(":")[0] for at in places]
                rows.append([method_of(method).label, *cells, _exponent(values)])
            file = "-".join(each for each in (name, column.replace("_", "-"), panel.replace(" = ", "")) if each)
            if lines:
                charts.append((file, caption, chart(lines, x, Axis(label, y_kind), caption)))
            head = ["method", *(f"{at:g}" for at in places if at is not None), "exponent"]
            parts.append(f"<div><h3>{escape(caption)}</h3>{table(head, rows)}</div>")
    return Section(charts, f"<div class=tables>{''.join(parts)}</div>")


def _exponent(values: Sequence[tuple[float, float, Any]]) -> str | None:
    """The slope of the log of y against the log of x, by least squares: 1 is linear, 2 is quadratic."""
    if len(values) < 2:
        return None
    a = [math.log(v[0]) for v in values]
    b = [math.log(max(v[1], 1e-12)) for v in values]
    x, y = sum(a) / len(a), sum(b) / len(b)
    spread = sum((v - x) ** 2 for v in a)
    return f"{sum((p - x) * (q - y) for p, q in zip(a, b, strict=True)) / spread:.2f}" if spread else None


def _complexity(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    columns = {
        "user_seconds": ("time of one user, seconds", seconds),
        "user_bytes": ("a user's noisy list, bytes", size),
        "server_seconds": ("time of the server, seconds", seconds),
        "server_bytes": ("noisy lists on the server, bytes", size),
    }
    nodes = sorted({point.x for point in points if point.x is not None})
    made = _curves(points, columns, Axis("nodes n", "log", nodes), "log", plan.experiment)
    assert isinstance(spec, ComplexityTable)  # noqa: S101
    intro = (
        f"<p>One Barabási–Albert graph with m = {spec.edges_per_node}, ε = {spec.epsilon:g}. User: drawing one report. "
        "Server: packing all reports and one pass of a small GIN over them. The last column is the slope in log–log: "
        "1 is linear in n, 2 quadratic.</p>"
    )
    return Section(made.charts, intro + made.body)


def _runtime(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    columns = {
        "train_seconds": ("training, seconds", seconds),
        "classify_seconds": ("classification, seconds", seconds),
    }
    label = "sampling rate γ" if isinstance(spec, SamplingRuntime) else "nodes n"
    made = _curves(points, columns, Axis(label), "log", plan.experiment)
    done = [each for point in points for each in point.numbers]
    intro = ""
    if done:
        first = done[0]
        intro = (
            f"<p>{first['epochs']:,} epochs of training on {first['train_graphs']:,} graphs, classification of "
            f"{first['test_graphs']:,} graphs, as measured.</p>"
        )
    return Section(made.charts, intro + made.body)


_MAKERS: dict[type[Experiment], Callable[[Experiment, ExperimentPlan, list[Point]], Section]] = {
    AccuracySweep: accuracy_section,
    CalibrationStudy: calibration_section,
    ComplexityTable: _complexity,
    DatasetTable: _datasets,
    DegreeForgery: forgery_section,
    DegreeStudy: _degrees,
    GridSearch: search_section,
    NodesRuntime: _runtime,
    NodeSweep: nodes_section,
    Poisoning: poisoning_section,
    SamplingRuntime: _runtime,
}

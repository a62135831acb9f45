"""The section of a training run: its classifier beside the controls, and which graphs were mistaken for which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from graphldp.experiments.plans.plan import COMPARISON, EVALUATION, ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.mechanisms.named import label_of
from graphldp.pages.comparison import MEASURES, Comparison
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.tables import Section, as_interval, ends, table

LABELS = {
    "gin": "GIN",
    "gcn": "GCN",
    "sage": "GraphSAGE",
    "recommended": "recommended",
    "degrees": "degrees only",
    "size": "n only",
    "node-classifier": "NodeClassifier",
    "features": "features alone",
    "similarity": "similarity graph",
    "features-all": "all that features say",
}
"""How tables write the contestants of a training run."""


def run_title(plan: ExperimentPlan) -> str:
    """A run in a few words; all of its settings stand below its title."""
    if not plan.entries:
        return plan.effort
    first = plan.entries[0]
    if plan.experiment == EVALUATION:
        return f"the model {first.series}"
    if plan.experiment == COMPARISON:
        return f"{', '.join(dict.fromkeys(entry.series for entry in plan.entries))} compared"
    params = first.cell.params
    draw = params["draw"]
    words = [label_of(draw["mechanism"])]
    words += [] if draw["epsilon"] is None else [f"ε = {draw['epsilon']:g}"]
    words += [LABELS.get(first.series, first.series)] if first.series != draw["mechanism"] else []
    words += [f"attack {label_of(params['attack'])}"] if params.get("attack") else []
    words += [f"defense {label_of(params['defense'])}"] if params.get("defense", "none") != "none" else []
    return ", ".join(words)


def about_what(plan: ExperimentPlan) -> str:
    """The units that a plan's classifiers label: graphs, or users."""
    return "users" if any(entry.cell.kind == "nodes" for entry in plan.entries) else "graphs"


def training_section(plan: ExperimentPlan, points: Sequence[Point]) -> Section:
    """The table of a run, and the confusion of its classifier over all seeds."""
    lines: list[list[str | None]] = []
    for point in points:
        accuracy, auc = point.summary("accuracy"), point.summary("auc")
        interval = None
        if accuracy is not None and not math.isnan(accuracy.low):
            interval = f"{accuracy.low:.3f} to {accuracy.high:.3f}"
        lines.append(
            [
                LABELS.get(point.series, point.series),
                None if accuracy is None else f"{accuracy.mean:.3f}",
                None if accuracy is None or math.isnan(accuracy.std) else f"{accuracy.std:.3f}",
                interval,
                None if auc is None else f"{auc.mean:.3f}",
                f"{len(point.numbers)} of {plan.seeds}",
                None if point.graphs is None else f"{point.graphs:,}",
            ]
        )
    head = ["classifier", "accuracy", "± std", "95 % interval", "AUC", "seeds", f"{about_what(plan)} held out"]
    found = points[0] if points and points[0].numbers else None
    return Section(
        [], table(head, lines) + ("" if found is None else _flagged(found) + _confusion(found, about_what(plan)))
    )


def _flagged(point: Point) -> str:
    """The line about whom the defense flagged in the training graphs; none where there was no defense."""
    detected, wrong = point.summary("detected"), point.summary("false_positives")
    liars = [] if detected is None else [f"{detected.mean:.1%} of the liars"]
    honest = [] if wrong is None else [f"{wrong.mean:.2%} of honest users"]
    return f"<p>In training graphs the defense flagged {' and '.join(liars + honest)}.</p>" if liars + honest else ""


def _confusion(point: Point, what: str) -> str:
    classes = [str(each) for each in point.numbers[0]["classes"]]
    total = np.sum([each["confusion"] for each in point.numbers], axis=0).tolist()
    rows: list[list[str | None]] = [[name, *map(str, row)] for name, row in zip(classes, total, strict=True)]
    head = ["true \\ predicted", *classes]
    return f"<h3>Test {what} by true and predicted class</h3>{table(head, rows)}"


def comparison_section(plan: ExperimentPlan, points: Sequence[Point]) -> Section:
    """A comparison's part of a page: pictures, and the same numbers as tables."""
    found = Comparison.of(plan, points)
    charts, parts = [], []
    for measure, label in MEASURES.items():
        lines = []
        for method in found.methods:
            own = [(x, point) for x in found.epsilons if (point := found.point(method, x)).numbers]
            values = [(x, s.mean, ends(s)) for x, point in own if (s := point.summary(measure)) is not None]
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
    return Section(charts, f"{''.join(parts)}<p>{escape(found.about)}</p>")

"""The section of a page about forged degrees: what attacks leave of the recipe's accuracy, and what is certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from graphldp.experiments.plans.kinds import DegreeForgery, Experiment
from graphldp.experiments.plans.methods import method_label
from graphldp.experiments.plans.panels import NOBODY, Forged
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.sections.section import Section
from graphldp.pages.style import LINES
from graphldp.pages.tables import table
from graphldp.threats.named import ATTACKS

LEARNERS = {"recipe-2": "undefended", "recipe-robust-5": "defended"}
PLACES = {"test": "liars in test graphs", "train": "liars in training graphs", "both": "liars in both"}
SIZES = (50, 100, 200, 400, 800)
"""Where classes of graphs by their size end."""

Rows = list[list[str | None]]
Found = dict[tuple[str, float | None], Point]
_INTRO = (
    "<p>Undefended is the recipe's own classifier, defended the one that <code>gl.recommended</code> names as its "
    "defense. One liar: one user of each attacked graph lies, whom the attack chooses. Liars who search know the "
    "classifier and its defense.</p>"
)


def forgery_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """For each setting: the worst of all attacks against β, a table for each place, and the certificates."""
    assert isinstance(spec, DegreeForgery)  # noqa: S101
    charts, parts = [], []
    for method, epsilon, panels in spec.settings:
        title = f"{method_label(method)}, ε = {epsilon:g}"
        found = points_at(points, method, epsilon)
        lines = _lines(spec, panels, found)
        if lines:
            shares = sorted({x for panel in panels for x in panel.fractions} | {0.0})
            axes = Axis("share β of liars", "places", shares), Axis("accuracy, worst of all attacks")
            file = f"{plan.experiment}-{method}-{epsilon:g}"
            charts.append((file, f"The worst of all attacks: {title}", chart(lines, *axes, f"{spec.title}: {title}")))
        for where in PLACES:
            head, rows = accuracies(spec, panels, found, where)
            if rows:
                parts.append(f"<div><h3>{escape(f'{title}, {PLACES[where]}')}</h3>{table(head, rows)}</div>")
        head, rows = certificates(found)
        if rows:
            parts.append(f"<div><h3>{escape(f'{title}, certificates')}</h3>{table(head, rows)}</div>")
    return Section(charts, f"{_INTRO}<div class=tables>{''.join(parts)}</div>")


def points_at(points: Sequence[Point], method: str, epsilon: float) -> Found:
    """The points of one setting by line and β."""
    return {(each.series, each.x): each for each in points if each.panel == f"{method}, ε = {epsilon:g}"}


def accuracies(spec: DegreeForgery, panels: Sequence[Forged], found: Found, where: str) -> tuple[list[str], Rows]:
    """A row for each attack in one place, a column for each crew and learner; the last row is the worst of all."""
    own = [panel for panel in panels if panel.where == where]
    crews: list[float | None] = [None] if any(panel.lone for panel in own) else []
    crews += sorted({x for panel in own for x in panel.fractions})
    columns = [(crew, learner) for crew in crews for learner in spec.learners]
    head = ["attack", *(f"{_crew(crew)}: {LEARNERS[learner]}" for crew, learner in columns)]
    attacks = list(dict.fromkeys(attack for panel in own for attack in panel.attacks))
    rows: Rows = [["nobody lies", *(_mean(found.get((f"{learner} {NOBODY}", 0.0))) for _, learner in columns)]]
    for attack in attacks:
        cells = [_mean(found.get((f"{learner} {where} {attack}", crew))) for crew, learner in columns]
        if any(cells):
            rows.append([f"{attack}: {ATTACKS[attack].label}", *cells])
    worst = [worst_of(attacks, found, where, crew, learner) for crew, learner in columns]
    rows.append(["the worst of these", *(None if each is None else f"{each:.3f}" for each in worst)])
    return head, rows if len(rows) > 2 else []


def worst_of(attacks: Sequence[str], found: Found, where: str, crew: float | None, learner: str) -> float | None:
    """The smallest mean accuracy that one of these attacks leaves."""
    points = [found.get((f"{learner} {where} {attack}", crew)) for attack in attacks]
    means = [each.mean for each in (p.summary("accuracy") for p in points if p is not None) if each is not None]
    return min(means) if means else None


def certificates(found: Found) -> tuple[list[str], Rows]:
    """By size of graph: how many test graphs are certified against one liar, and against how many."""
    point = found.get((f"recipe-robust-5 {NOBODY}", 0.0))
    numbers = [] if point is None else [each["certified"] for each in point.numbers if "certified" in each]
    head = ["users", "test graphs, all seeds", "certified against one", "… and labelled right", "median k", "largest k"]
    if not numbers:
        return head, []
    n, k, right = np.concatenate([np.asarray(each).reshape(-1, 3) for each in numbers]).T
    rows: Rows = []
    for low, high in zip((0, *SIZES, 0), (*SIZES, math.inf, math.inf), strict=True):
        some = (n > low) & (n <= high)
        name = "all" if not low and high == math.inf else f"{low + 1} to {high}" if high < math.inf else f"above {low}"
        if some.any():
            safe = k[some] >= 1
            shares = f"{safe.mean():.3f}", f"{(safe & (right[some] > 0)).mean():.3f}"
            rows.append([name, f"{some.sum():,}", *shares, f"{np.median(k[some]):g}", f"{k[some].max():g}"])
    return head, rows


def _lines(spec: DegreeForgery, panels: Sequence[Forged], found: Found) -> list[Series]:
    lines = []
    for place, (where, learner) in enumerate((w, each) for w in ("test", "train") for each in spec.learners):
        own = [panel for panel in panels if panel.where == where]
        clean = found.get((f"{learner} {NOBODY}", 0.0))
        start = None if clean is None else clean.summary("accuracy")
        values: list[tuple[float, float, float | None]] = [] if start is None else [(0.0, start.mean, None)]
        for x in sorted({x for panel in own for x in panel.fractions}):
            attacks = [attack for panel in own if x in panel.fractions for attack in panel.attacks]
            worst = worst_of(attacks, found, where, x, learner)
            values += [] if worst is None else [(x, worst, None)]
        if len(values) > 1:
            lines.append(Series(LINES[place], f"{LEARNERS[learner]}, {PLACES[where]}", values))
    return lines


def _crew(crew: float | None) -> str:
    return "one liar" if crew is None else f"β = {crew:g}"


def _mean(point: Point | None) -> str | None:
    found = None if point is None else point.summary("accuracy")
    return None if found is None else f"{found.mean:.3f}"

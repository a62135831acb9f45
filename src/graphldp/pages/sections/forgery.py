"""The section of a page about forged degrees: what attacks leave of the recipe's accuracy, and what is certified."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from graphldp.experiments.plans.adversaries import NOBODY, TRUSTED, DegreeForgery, Forged
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.summary import Point
from graphldp.experiments.trial import RECIPE, ROBUST
from graphldp.pages.tables import Section, table
from graphldp.threats.named import ATTACKS

LEARNERS = {RECIPE: "undefended", ROBUST: "defended"}
PLACES = {"test": "liars in test graphs", "train": "liars in training graphs"}

Rows = list[list[str | None]]
PointsByLine = dict[tuple[str, float | None], Point]
_INTRO = (
    "<p>Undefended is the recipe's own classifier, defended the one that <code>gl.recommended</code> names as its "
    "defense. One liar: one user of each attacked graph lies, whom the attack chooses. Certified: the label stands "
    "whatever one user of its graph sends.</p>"
)


def forgery_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """For each ε a table for each place."""
    assert isinstance(spec, DegreeForgery)  # noqa: S101
    parts = []
    for epsilon, panels in spec.settings:
        found = points_at(points, epsilon)
        for where, words in PLACES.items():
            head, rows = accuracies(panels, found, where)
            if rows:
                parts.append(f"<div><h3>{escape(f'ε = {epsilon:g}, {words}')}</h3>{table(head, rows)}</div>")
    head, rows = by_trust(spec, points)
    if rows:
        parts.append(f"<div><h3>Learned from trusted graphs alone</h3>{table(head, rows)}</div>")
    return Section([], f"{_INTRO}<div class=tables>{''.join(parts)}</div>")


def points_at(points: Sequence[Point], epsilon: float) -> PointsByLine:
    """The points of one ε by line and β."""
    return {(each.series, each.x): each for each in points if each.panel == f"ε = {epsilon:g}"}


def accuracies(panels: Sequence[Forged], found: PointsByLine, where: str) -> tuple[list[str], Rows]:
    """The table of accuracies in one place: a row for each attack, a column for each number of liars and learner."""
    own = [panel for panel in panels if panel.where == where]
    columns = [(x, learner) for panel in own for x in (panel.fractions or (None,)) for learner in panel.learners]
    head = ["attack", *(f"{_liars(share)}: {LEARNERS[learner]}" for share, learner in columns)]
    rows: Rows = []
    for attack in dict.fromkeys(attack for panel in own for attack in panel.attacks):
        cells = [_mean(found.get((f"{learner} {where} {attack}", share))) for share, learner in columns]
        if any(cells):
            rows.append([f"{attack}: {ATTACKS[attack].label}", *cells])
    honest: Rows = [["nobody lies", *(_mean(found.get((f"{learner} {NOBODY}", 0.0))) for _, learner in columns)]]
    if where == "test":
        for name, share in (("certified", certified(found)), ("… and right", certified(found, right=True))):
            honest.append([name, *(share if learner == ROBUST else None for _, learner in columns)])
    return head, [*honest, *rows] if rows else []


def by_trust(spec: DegreeForgery, points: Sequence[Point]) -> tuple[list[str], Rows]:
    """A row for each ε, a column for each share of trusted training graphs, and one for all graphs."""
    lines = [(f"{RECIPE} {TRUSTED}", share) for share in spec.trusted] + [(f"{RECIPE} {NOBODY}", 0.0)]
    table = {epsilon: [_mean(points_at(points, epsilon).get(line)) for line in lines] for epsilon, _ in spec.settings}
    rows: Rows = [[f"ε = {epsilon:g}", *cells] for epsilon, cells in table.items() if any(cells)]
    return ["trusted training graphs", *(f"{share:.0%}" for share in spec.trusted), "all, and nobody lies"], rows


def certified(found: PointsByLine, *, right: bool = False) -> str | None:
    """The share of test graphs whose label is certified against one liar where nobody lies; or certified and right."""
    point = found.get((f"{ROBUST} {NOBODY}", 0.0))
    numbers = [] if point is None else [each["certified"] for each in point.numbers if "certified" in each]
    if not numbers:
        return None
    _, k, correct = np.concatenate([np.asarray(each).reshape(-1, 3) for each in numbers]).T
    return f"{((k >= 1) & ((correct > 0) | (not right))).mean():.3f}"


def _liars(share: float | None) -> str:
    return "one liar" if share is None else f"β = {share:g}"


def _mean(point: Point | None) -> str | None:
    found = None if point is None else point.summary("accuracy")
    return None if found is None else f"{found.mean:.3f}"

"""The section about the search: what each method's own point is, and what it is worth against the one they shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphldp.experiments.plans.kinds import Experiment
from graphldp.experiments.plans.methods import method_label
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.search import BEFORE, TESTED
from graphldp.experiments.summary import Point
from graphldp.pages.sections.section import Section
from graphldp.pages.tables import table

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
                *(method_label(method), None if x is None else f"{x:g}"),
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

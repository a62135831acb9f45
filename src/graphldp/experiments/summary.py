"""The summary of a plan's rows: parameters chosen on validation graphs, then mean and deviation over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.accuracy import AccuracySweep, NodeSweep
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.methods import method_of
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.learn.grid import preference
from graphldp.learn.metrics import Summary, summarize

SYMBOLS = {"public_fraction": "λ", "epsilon": "ε", "alpha": "α"}
"""The symbol of the parameter on a figure's x axis."""

_SHARES = ("accuracy", "auc", "val_accuracy", "detected", "false_positives")
_ANYTHING = (-math.inf, math.inf)
_LEVEL = 1e-9  # a smaller difference is rounding


@dataclass(frozen=True)
class Point:
    """A point: one place in a figure.

    Args:
        panel: which panel.
        series: which line.
        x: where on the x axis.
        numbers: the numbers of each finished seed: of the point of the grid with the best validation accuracy.
        chosen: that point's parameters, one for each seed.
        planned: how many cells were asked for.
        finished: how many of them are done.
        notes: why others are not, each reason once.
    """

    panel: str
    series: str
    x: float | None
    numbers: tuple[Mapping[str, Any], ...]
    chosen: tuple[Mapping[str, Any], ...]
    planned: int
    finished: int
    notes: tuple[str, ...]

    def summary(self, name: str) -> Summary | None:
        """Mean and deviation of a number over the seeds, None where no seed is finished."""
        values = [float(each[name]) for each in self.numbers if each.get(name) is not None]
        if not values:
            return None
        within = (0.0, 1.0) if name in _SHARES else _ANYTHING
        return summarize(values, overlap=self.overlap, within=within, of=self.graphs if name == "accuracy" else None)

    @property
    def graphs(self) -> int | None:
        """The number of graphs held out to measure by, in each seed; None where rows do not say."""
        counts = [sum(map(sum, each["confusion"])) for each in self.numbers if "confusion" in each]
        return counts[0] if counts else None

    @property
    def overlap(self) -> float:
        """Test graphs per training graph, where seeds split one dataset."""
        ratios = self.chosen[0].get("ratios") if self.chosen else None
        return float(ratios[2] / ratios[0]) if ratios else 0.0


@dataclass(frozen=True, repr=False)
class Paired:
    """One line minus another, seed by seed: both have the same test graphs.

    Args:
        one: the first line.
        two: the one that it is compared with.
        measure: what is compared.
        summary: mean, deviation and interval of the differences; the interval knows that splits overlap.
        higher: in how many seeds the first is higher.
    """

    one: str
    two: str
    measure: str
    summary: Summary
    higher: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.summary.low > 0 or self.summary.high < 0

    def __repr__(self) -> str:
        found, which = self.summary, "above" if self.summary.mean >= 0 else "below"
        seeds = f"in {self.higher} of {found.count} seeds" if found.count > 1 else "in one seed"
        gap = f"{self.one} is {abs(found.mean):.3f} {which} {self.two} in {self.measure}, and higher {seeds}"
        if math.isnan(found.low):
            return f"{gap}; more seeds would say how sure that is."
        sure = "" if self.clear else ", so neither is clearly better"
        return f"{gap}; the 95 % interval of the difference is {found.low:.3f} to {found.high:.3f}{sure}."


def paired(one: Point, two: Point, name: str = "accuracy") -> Paired | None:
    """The difference of two lines, None where they have no seed in common."""
    first, second = (
        {cell["seed"]: each[name] for cell, each in zip(point.chosen, point.numbers, strict=True)}
        for point in (one, two)
    )
    common = sorted(seed for seed in first.keys() & second.keys() if None not in (first[seed], second[seed]))
    gaps = [first[seed] - second[seed] for seed in common]
    if not gaps:
        return None
    grain = 1.0 / one.graphs if name == "accuracy" and one.graphs else 0.0
    found = summarize(gaps, overlap=one.overlap, within=(-1.0, 1.0), grain=grain)
    return Paired(one.series, two.series, name, found, sum(gap > _LEVEL for gap in gaps))


def not_beaten(points: Mapping[Any, Point], name: str) -> set[Any]:
    """The places whose points nothing beats clearly: the difference to the highest mean has 0 in its interval."""
    means = {place: found.mean for place, point in points.items() if (found := point.summary(name)) is not None}
    if not means:
        return set()
    best = points[max(means, key=lambda place: means[place])]
    gaps = {place: paired(best, points[place], name) for place in means}
    return {place for place, gap in gaps.items() if points[place] is best or (gap is not None and not gap.clear)}


def points_of(plan: ExperimentPlan, rows: Mapping[str, Row]) -> list[Point]:
    """The places of a plan's figure, in its order.

    A seed counts once every point of its grid is done: a choice among some of them would not be the choice asked for.
    """
    places: dict[tuple[str, str, float | None], dict[int, list[PlannedCell]]] = {}
    for entry in plan.entries:
        places.setdefault((entry.panel, entry.series, entry.x), {}).setdefault(entry.seed, []).append(entry)
    points = []
    for (panel, series, x), seeds in places.items():
        best = [_choose(entries, rows) for entries in seeds.values()]
        own = [rows.get(entry.cell.id) for entries in seeds.values() for entry in entries]
        notes = dict.fromkeys(f"{row.status}: {row.note}" for row in own if row is not None and row.status != "done")
        points.append(
            Point(
                *(panel, series, x),
                tuple(row.numbers for row in best if row is not None),
                tuple(row.cell.params for row in best if row is not None),
                len(own),
                sum(row is not None and row.status == "done" for row in own),
                tuple(notes),
            )
        )
    return points


def _choose(entries: list[PlannedCell], rows: Mapping[str, Row]) -> Row | None:
    """The best by validation accuracy, then validation loss; test numbers are not looked at."""
    found = [rows[entry.cell.id] for entry in entries if entry.cell.id in rows]
    done = [row for row in found if row.status == "done"]
    if len(done) < len(entries) or not done:
        return None
    return min(done, key=lambda row: preference(row.numbers.get("val_accuracy", 0.0), row.numbers.get("val_loss", 0.0)))


def accuracies(plan: ExperimentPlan, rows: Mapping[str, Row]) -> dict[str, list[dict[str, Any]]]:
    """A table for each panel, with a row for each method; no tables where the plan is not about accuracy."""
    spec = EXPERIMENTS.get(plan.experiment)
    if not isinstance(spec, AccuracySweep | NodeSweep):
        return {}
    panels: dict[str, list[Point]] = {}
    for point in points_of(plan, rows):
        panels.setdefault(point.panel, []).append(point)
    along = SYMBOLS["epsilon" if isinstance(spec, NodeSweep) else spec.along]
    return {panel: _table(points, along) for panel, points in panels.items()}


def _table(points: list[Point], symbol: str) -> list[dict[str, Any]]:
    columns = sorted({point.x for point in points if point.x is not None})
    lines: dict[str, dict[str, Any]] = {}
    for point in points:
        empty = {f"{symbol} = {x:g}": None for x in columns}
        row = lines.setdefault(point.series, {"": method_of(point.series).label} | empty)
        found = point.summary("accuracy")
        spread = "" if found is None or math.isnan(found.std) else f" ± {found.std:.3f}"
        for x in columns if point.x is None else (point.x,):
            row[f"{symbol} = {x:g}"] = None if found is None else f"{found.mean:.3f}{spread}"
    return list(lines.values())

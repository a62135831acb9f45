"""The summary of a plan's rows: parameters chosen on validation graphs, then mean and deviation over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.learn.grid import preference
from graphldp.learn.metrics import Summary, summarize

_SHARES = ("accuracy", "auc", "val_accuracy", "detected", "false_positives")
_ANYTHING = (-math.inf, math.inf)
_LEVEL = 1e-9  # a smaller difference is rounding


@dataclass(frozen=True)
class Point:
    """One place in a figure.

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
        """How many graphs were held out to measure by, in each seed; None where rows do not say."""
        counts = [sum(map(sum, each["confusion"])) for each in self.numbers if "confusion" in each]
        return counts[0] if counts else None

    @property
    def overlap(self) -> float:
        """Test graphs per training graph, where seeds split one dataset."""
        ratios = self.chosen[0].get("ratios") if self.chosen else None
        return float(ratios[2] / ratios[0]) if ratios else 0.0


@dataclass(frozen=True)
class Paired:
    """One line minus another, seed by seed: both have the same test graphs.

    Args:
        summary: mean, deviation and interval of the differences; the interval knows that splits overlap.
        higher: in how many seeds the first is higher.
    """

    summary: Summary
    higher: int


def paired(one: Point, two: Point, name: str = "accuracy") -> Paired | None:
    """How much higher the first is, None where they have no seed in common."""
    first, second = (
        {cell["seed"]: each[name] for cell, each in zip(point.chosen, point.numbers, strict=True)}
        for point in (one, two)
    )
    common = sorted(seed for seed in first.keys() & second.keys() if None not in (first[seed], second[seed]))
    gaps = [first[seed] - second[seed] for seed in common]
    if not gaps:
        return None
    return Paired(summarize(gaps, overlap=one.overlap, within=(-1.0, 1.0)), sum(gap > _LEVEL for gap in gaps))


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

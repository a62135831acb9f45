"""The section about confidence: how often labels are right, by how sure the classifier was, over all seeds together."""

from __future__ import annotations

import numpy as np

from graphldp.experiments.plans.methods import method_of
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.plans.scope import Experiment
from graphldp.experiments.summary import Point
from graphldp.learn.calibration import Reliability
from graphldp.pages.plots import Axis, Ends, Series, chart
from graphldp.pages.tables import Section, table

COLUMNS = ("classifier", "ε", "test graphs", "accuracy", "mean confidence", "error before", "error after", "T")
"""Of the table: the errors are the expected calibration errors without and with calibration."""

_FEWEST = 10  # test graphs, below which a bin is no point of the picture
_INTRO = (
    "<p>Test graphs by how sure the classifier was of their label. Of those of which it is 80 % sure, 80 % should be "
    "right: the line should lie on the diagonal. The expected calibration error is the mean distance from it. Bars "
    f"are two standard errors, corrected for splits that overlap. Bins of fewer than {_FEWEST} graphs are in the "
    "error, and not in the picture.</p>"
)


def calibration_section(spec: Experiment, plan: ExperimentPlan, points: list[Point]) -> Section:
    """One picture for each ε, and one table."""
    charts, rows = [], []
    for x in dict.fromkeys(point.x for point in points):
        own = [point for point in points if point.x == x and point.numbers]
        lines = [Series(each.series, method_of(each.series).label, reliability_line(each)) for each in own]
        diagonal = Series("nonpriv-full", "means what it says", [(v, v, None) for v in (0.5, 1.0)], marked=False)
        axes = Axis("how sure it is", low=0.5), Axis("share that is right", low=0.5)
        caption = f"ε = {x:g}"
        if any(line.points for line in lines):
            picture = chart([*lines, diagonal], *axes, f"{spec.title}: {caption}")
            charts.append((f"{plan.experiment}-ε{x:g}", caption, picture))
        rows += [row_of(each) for each in own]
    return Section(charts, _INTRO + table(COLUMNS, rows))


def pooled(point: Point, name: str) -> Reliability:
    """The table of all seeds together; ``"uncalibrated"`` or ``"calibrated"``."""
    count, sure, right = (
        np.sum([each[name][column] for each in point.numbers], axis=0) for column in ("count", "sure", "right")
    )
    return Reliability(count, sure, right)


def reliability_line(point: Point) -> list[tuple[float, float, Ends]]:
    """How sure labels are, the share that is right and two of its standard errors around, by bins of several graphs."""
    found = pooled(point, "calibrated")
    there = found.count >= _FEWEST
    of, sure, right = found.count[there], found.sure[there], found.right[there]
    wider = 1 + point.overlap * len(point.numbers)  # k splits overlap: (1/k + overlap) in place of 1/k
    shares = right / of
    reach = 2 * np.sqrt(wider * shares * (1 - shares) / of)
    bars = zip((shares - reach).tolist(), (shares + reach).tolist(), strict=True)
    return list(zip((sure / of).tolist(), shares.tolist(), bars, strict=True))


def row_of(point: Point) -> list[str | None]:
    """A place of the study as a row of :data:`COLUMNS`."""
    before, after = pooled(point, "uncalibrated"), pooled(point, "calibrated")
    graphs = int(after.count.sum())
    warmth = [each["temperature"] for each in point.numbers]
    return [
        method_of(point.series).label,
        None if point.x is None else f"{point.x:g}",
        f"{graphs:,}",
        f"{after.right.sum() / graphs:.3f}",
        f"{after.sure.sum() / graphs:.3f}",
        f"{before.error:.3f}",
        f"{after.error:.3f}",
        f"{min(warmth):.2f} to {max(warmth):.2f}",
    ]

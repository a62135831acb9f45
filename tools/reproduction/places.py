"""The places of the figures that are in docs/results, and the tables that any figure can have."""

from tools.fill import DOCS, markdown

from graphldp.experiments.plans.methods import METHODS
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, paired, points_of

HERE = DOCS / "results"
with ResultsFile(HERE / "reddit-binary.sqlite", create=False) as _results:
    ROWS = _results.rows()
    PLANS = {plan.experiment: points_of(plan, ROWS) for plan in _results.plans()}
with ResultsFile(HERE / "elsewhere.sqlite", create=False) as _results:
    _rows = _results.rows()
    PLANS |= {
        plan.dataset if plan.experiment == "elsewhere" else f"{plan.experiment} {plan.dataset}": points_of(plan, _rows)
        for plan in _results.plans()
    }
DIFFERENCE = ["", "difference", "accuracy", "higher in", "AUC", "higher in"]


def point_at(experiment: str, series: str, x: float, panel: str = "") -> Point | None:
    """A place of a figure; a line across the figure is at every x."""
    places = {(p.panel, p.series, p.x): p for p in PLANS[experiment]}
    return places.get((panel, series, x)) or places.get((panel, series, None))


def sweep(experiment: str, name: str, symbol: str, panel: str = "") -> str:
    """Mean ± standard deviation of every line at every x."""
    points = [p for p in PLANS[experiment] if p.panel == panel]
    values = list(dict.fromkeys(p.x for p in points if p.x is not None))
    rows = []
    for series in (each for each in METHODS if any(p.series == each for p in points)):
        cells = [METHODS[series].label]
        for x in values:
            point = point_at(experiment, series, x, panel)
            summary = point.summary(name) if point else None
            cells.append(f"{summary.mean:.3f} ± {summary.std:.3f}" if summary else _lacking(point))
        rows.append(cells)
    return markdown([name if name == "accuracy" else "AUC", *(f"{symbol} = {x:g}" for x in values)], rows)


def _lacking(point: Point | None) -> str:
    """Why a place has no number."""
    if point is None:
        return "–"
    return "impossible" if any(note.startswith("impossible: ") for note in point.notes) else "not run"


def difference(where: str, label: str, one: Point, two: Point) -> list[str]:
    """The difference of two lines, seed by seed: both have the same test graphs. Intervals know that splits overlap."""
    cells = [where, label]
    for name in ("accuracy", "auc"):
        gap = paired(one, two, name)
        if gap is None:
            cells += ["–", "–"]
            continue
        s = gap.summary
        shown = f"{s.mean:+.3f} [{s.low:+.3f}, {s.high:+.3f}]".replace("-", "−")
        clear = "" if s.low <= 0 <= s.high else "**"
        cells += [f"{clear}{shown}{clear}", f"{gap.higher} of {s.count}"]
    return cells

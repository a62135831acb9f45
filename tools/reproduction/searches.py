"""The tables of docs/evidence/reproduction.md about the grid and about time, from docs/results/grid.sqlite."""

from tools.fill import DOCS, markdown

from graphldp.experiments.plans.methods import METHODS
from graphldp.experiments.plans.search import BEFORE, TESTED
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, paired, points_of
from graphldp.pages.sections.accuracy import words
from graphldp.pages.tables import seconds

with ResultsFile(DOCS / "results" / "grid.sqlite", create=False) as _results:
    ROWS = _results.rows()
    PLANS = {plan.experiment: points_of(plan, ROWS) for plan in _results.plans()}
_EPOCHS, _GRAPHS = 100, 1000  # of the paper's trainings, to which seconds are scaled
_PAPER = {("m = 5", 4000.0, "dprr"): "about 1,500 s", ("m = 5", 4000.0, "rr"): "about 19,000 s"}  # what its text says


def _places() -> list[tuple[str, float | None]]:
    return [(p.series, p.x) for p in PLANS["grid"] if p.panel == BEFORE]


def _at(panel: str, series: str, x: float | None) -> Point | None:
    return {(p.panel, p.series, p.x): p for p in PLANS["grid"]}.get((panel, series, x))


def grid() -> str:
    """Each method's own point, and what it is worth against the one that all shared, seed by seed."""
    rows = []
    for series, x in _places():
        own, before = _at(TESTED, series, x), _at(BEFORE, series, x)
        cells = [METHODS[series].label, "–" if x is None else f"{x:g}"]
        cells.append(words(own.chosen[0]) if own and own.chosen else "not decided")
        for name in ("accuracy", "auc"):
            for point in (before, own):
                summary = point.summary(name) if point and point.numbers else None
                cells.append(f"{summary.mean:.3f} ± {summary.std:.3f}" if summary else "–")
            gap = paired(own, before, name) if own and before and own.numbers else None
            s = gap.summary if gap else None
            cells.append(f"{s.mean:+.3f} [{s.low:+.3f}, {s.high:+.3f}]".replace("-", "−") if s else "–")
        rows.append(cells)
    head = ["", "λ", "its own point", "accuracy, as before", "accuracy, its own", "difference"]
    return markdown([*head, "AUC, as before", "AUC, its own", "difference"], rows)


def finalists() -> str:
    """The points that were trained to the end, by mean validation accuracy over the first three seeds."""
    rows = []
    for series, x in _places():
        point = _at("whole", series, x)
        if point is None:
            continue
        kept: dict[str, list[float]] = {}
        for row in ROWS.values():
            params = row.cell.params
            same = row.cell.kind == "accuracy" and params["seed"] < 3 and params["training"]["max_epochs"] == 500
            if same and _drawn(params["draw"]) == _drawn(point.chosen[0]["draw"]):
                kept.setdefault(words(params), []).append(row.numbers["val_accuracy"])
        ranked = sorted(kept.items(), key=lambda item: -sum(item[1]) / len(item[1]))
        shown = [f"{name}: {sum(values) / len(values):.3f}" for name, values in ranked if len(values) == 3]
        rows.append([METHODS[series].label, "–" if x is None else f"{x:g}", "; ".join(shown)])
    return markdown(["", "λ", "points and their validation accuracy"], rows)


def _drawn(draw: dict[str, object]) -> tuple[object, ...]:
    return tuple(draw[name] for name in ("mechanism", "epsilon", "public_fraction"))


def _scaled(point: Point) -> float:
    numbers = point.numbers[0]
    graphs = _GRAPHS / numbers["train_graphs"] if point.panel else 1.0
    return float(numbers["train_seconds"] / numbers["epochs"] * _EPOCHS * graphs)


def _timed(point: Point | None, panel: str, x: float) -> str:
    if point is None:
        return "–"
    theirs = _PAPER.get((panel, x, point.series))
    return seconds(_scaled(point)) + (f" (the paper: {theirs})" if theirs else "")


def _times(points: list[Point], symbol: str) -> str:
    """Seconds of a training of a hundred epochs, by method, and what the paper gives in words."""
    rows = []
    for panel, x in sorted({(p.panel, p.x) for p in points if p.x is not None}):
        own = {p.series: p for p in points if (p.panel, p.x) == (panel, x) and p.numbers}
        if not own:
            continue
        cells = [", ".join(each for each in (panel, f"{symbol} = {x:g}") if each)]
        cells += [_timed(own.get(name), panel, x) for name in ("dprr", "local-lap", "rr")]
        both = "dprr" in own and "rr" in own
        cells.append(f"{_scaled(own['rr']) / _scaled(own['dprr']):.1f}" if both else "–")
        rows.append(cells)
    return markdown(["training, 100 epochs", "DPRR", "LocalLap", "RR", "RR / DPRR"], rows)


def nodes() -> str:
    """Figure 9: Barabási–Albert graphs, scaled to the paper's 1,000 training graphs."""
    return _times(PLANS["runtime-nodes"], "n")


def sampling() -> str:
    """Figure 8: subgraphs of REDDIT-BINARY."""
    return _times(PLANS["runtime-sampling"], "γ")


TABLES = {"grid": grid, "finalists": finalists, "runtime-nodes": nodes, "runtime-sampling": sampling}

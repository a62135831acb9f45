"""The tables of docs/guides/surveys.md, from what was measured and computed: python -m tools.surveys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from statistics import mean
from typing import Any

from scipy.stats import binom
from tools import counts
from tools.fill import DOCS, fill, markdown

PAGES = (DOCS / "guides" / "surveys.md",)
_RESULTS = DOCS.parent / "benchmarks" / "results" / "surveys"
_GRAPHS = {"caltech36": "Caltech36", "reed98": "Reed98", "isolates": "a tenth without a friend"}
_DRAWS, _LOW, _HIGH = 400, 0.925, 0.975
_FIRST = (
    "friendships",
    "mean degree",
    "share without a friend",
    "E–I index",
    "assortativity",
    "triangles",
    "clustering",
)


def _measured(graph: str) -> list[dict[str, Any]]:
    """The rows of a graph, but those that fewer than nine surveys in ten had."""
    rows = json.loads((_RESULTS / f"cover-{graph}.json").read_text("utf-8"))
    return [row for row in rows if row["draws"] >= 0.9 * _DRAWS]


def _outside(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not _LOW <= row["covered"] <= _HIGH]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def coverage() -> str:
    """How many rows have an interval that held the truth too seldom or too often."""
    tables = {graph: _measured(graph) for graph in _GRAPHS}
    kinds = dict.fromkeys((row["survey"], row["rate"]) for row in tables["isolates"])
    lines = []
    for survey, rate in kinds:
        some = [[row for row in rows if (row["survey"], row["rate"]) == (survey, rate)] for rows in tables.values()]
        lines.append([f"{survey}, {rate:.0%} report", *(f"{len(_outside(rows))} of {len(rows)}" for rows in some)])
    # a share of 400 draws is a whole number of them: 370 to 390 are inside
    chance = 1 - (binom.cdf(_HIGH * _DRAWS, _DRAWS, 0.95) - binom.cdf(_LOW * _DRAWS - 1, _DRAWS, 0.95))
    lines.append(["all", *(f"{len(_outside(rows))} of {len(rows)}" for rows in tables.values())])
    lines.append(
        ["if every interval held in 95 % of surveys", *(f"{chance * len(rows):.0f}" for rows in tables.values())]
    )
    lowest = [
        min((r for r in rows if r["row"] in _FIRST), key=lambda r: float(r["covered"])) for rows in tables.values()
    ]
    lines.append(["lowest of the first rows", *(f"{r['covered']:.1%}: {r['row']}, {r['survey']}" for r in lowest)])
    return markdown(["rows outside 92.5 to 97.5 %", *_GRAPHS.values()], lines)


def errors() -> str:
    """How large errors are where all report, at ε = 1 for each survey."""
    lines = []
    wanted: dict[str, tuple[str, ...]] = {
        "degrees": ("friendships", "share without a friend", "inequality of degrees"),
        "friend counts": ("friendships between", "E–I index", "assortativity"),
        "lists": ("triangles", "clustering"),
    }
    tables = {graph: _measured(graph) for graph in _GRAPHS}
    for survey, names in wanted.items():
        for name in names:
            cells = []
            for rows in tables.values():
                of = [r for r in rows if (r["survey"], r["rate"]) == (survey, 1.0) and r["row"].startswith(name)]
                worst = max(of, key=lambda row: float(row["error"]))
                share = f" ({worst['error'] / worst['truth']:.1%})" if worst["truth"] >= 1 else ""
                cells.append(f"{_number(worst['error'])} of {_number(worst['truth'])}{share}")
            lines.append([f"{name}{', the worst cell' if name.endswith('between') else ''}, by {survey}", *cells])
    return markdown(["error (root mean square), at ε = 1", *_GRAPHS.values()], lines)


_MEASURES = ("degrees", "clustering", "paths", "communities")


def synthesis() -> str:
    """How far drawn graphs are from the true ones; what no other is nearer than is bold."""
    lines = []
    for graph in ("Caltech36", "Reed98"):
        rows = json.loads((_RESULTS / f"synthesis-{graph.lower()}.json").read_text("utf-8"))
        found = {
            generator: [mean(row[name] for row in rows if row["generator"] == generator) for name in _MEASURES]
            for generator in dict.fromkeys(row["generator"] for row in rows)
        }
        best = [min(each) for each in zip(*found.values(), strict=True)]
        for generator, each in found.items():
            cells = (f"**{x:.3f}**" if x == least else f"{x:.3f}" for x, least in zip(each, best, strict=True))
            lines.append([graph, generator, *cells])
    return markdown(["graph", "generator, ε = 1", *_MEASURES], lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "survey-coverage": coverage,
    "survey-errors": errors,
    "synthesis": synthesis,
    **counts.TABLES,
}


if __name__ == "__main__":
    fill(PAGES[0], TABLES)

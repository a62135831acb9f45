"""Pictures of the speed benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphldp.errors import MissingExtraError


def plot_randomize(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Seconds against entries written, both logarithmic, with the straight line of slope 1 through the largest."""
    ladder = [(row["entries_out"], row["seconds"]) for row in rows if row["what"].startswith("one graph")]
    words = {"xlabel": "reported neighbours", "title": "Time is a straight line in what is written"}
    _plot(ladder, path, "DPRR, ε = 1, one graph", words)


def plot_recipe(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Seconds of a fit against graphs, in the same way."""
    ladder = [(row["learned_from"], row["fit_seconds"]) for row in rows]
    words = {"xlabel": "graphs to learn from", "title": "The recipe's fit grows no faster than its graphs"}
    _plot(ladder, path, "the recipe, ε = 1, graphs of 25 users", words)


def _plot(ladder: Sequence[tuple[float, float]], path: Path, label: str, words: Mapping[str, str]) -> None:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise MissingExtraError("A picture", "plots") from None
    sizes, seconds = zip(*sorted(ladder), strict=True)
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    axes.loglog(sizes, [each * seconds[-1] / sizes[-1] for each in sizes], "--", color="0.6", label="slope 1")
    axes.loglog(sizes, seconds, "o-", color="#2a6f97", label=label)
    axes.set(ylabel="seconds", **words)
    axes.grid(which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)

"""The picture of a measurement at growing sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure


def plotted(ladder: Sequence[tuple[float, float]], path: Path, label: str, words: Mapping[str, str]) -> None:
    """Seconds against size, both logarithmic, with the straight line of slope 1 through the largest."""
    sizes, seconds = zip(*sorted(ladder), strict=True)
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    axes.loglog(sizes, [each * seconds[-1] / sizes[-1] for each in sizes], "--", color="0.6", label="slope 1")
    axes.loglog(sizes, seconds, "o-", color="#2a6f97", label=label)
    axes.set(ylabel="seconds", **words)
    axes.grid(which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)

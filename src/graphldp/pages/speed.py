"""Pictures of the speed benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphldp.errors import MissingExtraError


def plot_randomize(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Seconds against entries written, both logarithmic, with the straight line of slope 1 through the largest."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise MissingExtraError("A picture", "plots") from None
    ladder = sorted((row["entries_out"], row["seconds"]) for row in rows if row["what"].startswith("one graph"))
    entries, seconds = [e for e, _ in ladder], [s for _, s in ladder]
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    axes.loglog(entries, [e * seconds[-1] / entries[-1] for e in entries], "--", color="0.6", label="slope 1")
    axes.loglog(entries, seconds, "o-", color="#2a6f97", label="DPRR, ε = 1, one graph")
    axes.set(xlabel="reported neighbours", ylabel="seconds", title="Time is a straight line in what is written")
    axes.grid(which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)

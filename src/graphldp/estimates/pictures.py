"""Statistics as pictures, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphldp.errors import DataError

if TYPE_CHECKING:
    from graphldp.estimates.rows import Estimate, Statistics

_BLUE, _LINE = "#0b5fff", "#3c4450"


def drawn(found: Statistics) -> Figure:
    """Histogram and mixing beside each other, as far as there are rows."""
    bars, cells = found.about("share with degree"), found.about("friendships between")
    if not bars and not cells:
        raise DataError("There is neither a histogram nor mixing between groups to draw.")
    figure, axes = plt.subplots(1, bool(bars) + bool(cells), figsize=(5 * (bool(bars) + bool(cells)), 4), squeeze=False)
    if bars:
        _histogram(axes[0, 0], bars)
    if cells:
        _mixing(axes[0, -1], cells)
    figure.tight_layout()
    return figure


def _histogram(axes: Axes, bars: tuple[Estimate, ...]) -> None:
    places = np.arange(len(bars))
    axes.bar(places, [max(row.value, 0.0) for row in bars], color=_BLUE, alpha=0.7)
    for end, row in zip(places, bars, strict=True):
        axes.plot([end, end], [row.low, row.high], color=_LINE, linewidth=1.5)
    axes.set_xticks(places, [row.of for row in bars], rotation=45, ha="right")
    axes.set(xlabel="friends", ylabel="share of users", ylim=(0, None))


def _mixing(axes: Axes, cells: tuple[Estimate, ...]) -> None:
    names = list(dict.fromkeys(row.of for row in cells))
    table = np.full((len(names), len(names)), np.nan)
    for row in cells:
        one, two = names.index(row.of), names.index(row.to)
        table[one, two] = table[two, one] = row.value
        error = (row.high - row.low) / 2
        for x, y in {(one, two), (two, one)}:
            axes.text(x, y, f"{row.value:,.0f}\n±{error:,.0f}", ha="center", va="center", fontsize=8)
    axes.imshow(np.maximum(table, 0.0), cmap="Blues", vmax=np.nanmax(table) * 1.6)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title("friendships, 95 %", fontsize=10)

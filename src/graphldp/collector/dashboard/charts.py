"""Pictures as numbers: where the bars of a histogram go. The template draws them as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 200
_BARS = 24
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Bar:
    """One bar: its place in the picture, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    low: int
    high: int
    count: int

    @property
    def span(self) -> str:
        """The values it counts, in words."""
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Histogram:
    """Bars, and the marks below them."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, int], ...]
    top: int


def histogram(values: Sequence[int]) -> Histogram | None:
    """Bars of equal, round width over all values; None where there are none."""
    if not values:
        return None
    step = _round_step((max(values) - min(values) + 1) / _BARS)
    first = math.floor(min(values) / step)
    counts = [0] * (math.floor(max(values) / step) - first + 1)
    for value in values:
        counts[math.floor(value / step) - first] += 1
    top, width = max(counts), WIDTH / len(counts)
    bars = tuple(
        Bar(
            x=round(place * width + 1, 1),
            y=round(HEIGHT - HEIGHT * count / top, 1),
            width=round(max(width - 2, 1), 1),
            height=round(HEIGHT * count / top, 1),
            low=(first + place) * step,
            high=(first + place + 1) * step - 1,
            count=count,
        )
        for place, count in enumerate(counts)
    )
    every = max(1, math.ceil(len(bars) / 8))
    ticks = tuple((round(bar.x + bar.width / 2, 1), bar.low) for bar in bars[::every])
    return Histogram(bars, ticks, top)


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is not below."""
    scale = 1
    while True:
        for step in _STEPS:
            if step * scale >= least:
                return step * scale
        scale *= 10

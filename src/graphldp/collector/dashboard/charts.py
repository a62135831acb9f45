"""The numbers of charts: where bars go. The templates draw them as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphldp.estimates import Estimate


WIDTH, HEIGHT = 640, 200
_DAYS = 60
_STEPS = (1, 2, 5)
_GROUPS, _CELL = 12, 56  # groups in a picture, and the size of a cell


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: its place in the picture, the line of its interval, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    low: float
    high: float
    row: Estimate


@dataclass(frozen=True)
class Histogram:
    """Bars, the marks below them, and what the top of the picture stands for."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    top: float


def histogram(rows: Sequence[Estimate]) -> Histogram | None:
    """Shares with a line as long as their interval; None where there are none."""
    if not rows:
        return None
    top, width = max(max(row.high for row in rows), 0.01), WIDTH / len(rows)

    def height(share: float) -> float:
        return round(HEIGHT * max(share, 0.0) / top, 1)

    bars = tuple(
        Bar(
            *(round(place * width + 1, 1), HEIGHT - height(row.best), round(max(width - 2, 1), 1), height(row.best)),
            *(HEIGHT - height(row.low), HEIGHT - height(row.high)),
            row,
        )
        for place, row in enumerate(rows)
    )
    every = max(1, math.ceil(len(bars) / 8))
    ticks = tuple((round(bar.x + bar.width / 2, 1), bar.row.of.split(" ")[0]) for bar in bars[::every])
    return Histogram(bars, ticks, top)


@dataclass(frozen=True)
class MixingCell:
    """A cell of two groups: where it is, how dark, and how many friendships are between them."""

    x: int
    y: int
    dark: float
    row: Estimate


@dataclass(frozen=True)
class MixingMatrix:
    """Cells of groups by groups, both ways; the names at the sides, the size of a cell, and how many are left out."""

    cells: tuple[MixingCell, ...]
    names: tuple[tuple[int, str], ...]
    size: int
    left_out: int


def matrix(rows: Sequence[Estimate], connected: Sequence[Estimate]) -> MixingMatrix | None:
    """Who is friends with whom, as dark as the share of pairs that are friends; None where there are no groups.

    Args:
        rows: friendships between groups.
        connected: the shares of pairs, in the same order.
    """
    names = list(dict.fromkeys(row.of for row in rows))
    shown = names[:_GROUPS]
    darkest = max((row.value for row in connected), default=0.0)
    if not shown or darkest <= 0:
        return None
    cells = []
    for row, share in zip(rows, connected, strict=True):
        if row.of in shown and row.to in shown:
            dark = round(0.7 * max(share.value, 0.0) / darkest, 3)
            places = {(shown.index(row.of), shown.index(row.to)), (shown.index(row.to), shown.index(row.of))}
            cells += [MixingCell(_CELL * x, _CELL * y, dark, row) for x, y in sorted(places)]
    marks = tuple((_CELL * place, name) for place, name in enumerate(shown))
    return MixingMatrix(tuple(cells), marks, _CELL * len(shown), len(names) - len(shown))


@dataclass(frozen=True)
class Arrived:
    """A bar of the arrivals: a day, or some days together."""

    x: float
    y: float
    width: float
    height: float
    first: date
    last: date
    count: int
    so_far: int

    @property
    def span(self) -> str:
        """Its days, in words."""
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True)
class Arrivals:
    """Bars from the first day to the last, the marks below them, and what the top stands for."""

    bars: tuple[Arrived, ...]
    ticks: tuple[tuple[float, str], ...]
    top: int


def arrivals_chart(counts: Mapping[date, int]) -> Arrivals | None:
    """One bar a day, or one for several days where there would be too many; None where nothing came in yet."""
    if not counts:
        return None
    first, last = min(counts), max(counts)
    step = _round_step(((last - first).days + 1) / _DAYS)
    places = (last - first).days // step + 1
    found = [0] * places
    for day, count in counts.items():
        found[(day - first).days // step] += count
    top, width, so_far, bars = max(found), WIDTH / max(places, 7), 0, []
    for place, count in enumerate(found):
        so_far += count
        begin = first + timedelta(days=place * step)
        end = min(begin + timedelta(days=step - 1), last)
        height = round(HEIGHT * count / top, 1)
        x, y = round(place * width + 1, 1), round(HEIGHT - height, 1)
        bars.append(Arrived(x, y, round(max(width - 2, 1), 1), height, begin, end, count, so_far))
    every = max(1, math.ceil(places / 6))
    ticks = tuple((round(bar.x + bar.width / 2, 1), f"{bar.first:%d %b}") for bar in bars[::every])
    return Arrivals(tuple(bars), ticks, top)


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is not below."""
    scale = 1
    while True:
        for step in _STEPS:
            if step * scale >= least:
                return step * scale
        scale *= 10

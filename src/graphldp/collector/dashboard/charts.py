"""Pictures as numbers: where bars go. The templates draw them as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from graphldp.collector.communities.disclosure import LEAST_PER_BAR
from graphldp.collector.communities.friends_by_group import FriendsByGroup, GroupMean

WIDTH, HEIGHT = 640, 200
NARROW = 400  # fits a phone, with words above what they say
_BARS = 24
_DAYS = 60
_STEPS = (1, 2, 5)
_GROUPS, _ROW, _LONGEST = 24, 36, 40  # groups in a picture, how high one is, and letters of a name above it
_MARKS = 4


@dataclass(frozen=True)
class Bar:
    """One bar: its place in the picture, and what it stands for. The outermost ones have one end, or none."""

    x: float
    y: float
    width: float
    height: float
    low: int | None
    high: int | None
    count: int

    @property
    def span(self) -> str:
        """The values it counts, in words."""
        if self.low is None:
            return "any" if self.high is None else f"{self.high} or less"
        if self.high is None:
            return f"{self.low} or more"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"

    @property
    def mark(self) -> str:
        """What stands below it."""
        if self.low is None:
            return "any" if self.high is None else f"≤ {self.high}"
        return f"≥ {self.low}" if self.high is None else f"{self.low}"


@dataclass(frozen=True)
class Histogram:
    """Bars, the marks below them, and what the top of the picture stands for."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    top: float


def histogram(values: Sequence[int]) -> Histogram | None:
    """Bars of equal, round width, or joined ones where fewer than three users would have a bar to themselves.

    A joined bar is as high as its parts are on average. The two smallest and the two largest values count as the third
    one from their end, so that no end of the picture shows where one user is. None where there are too few values.
    """
    if len(values) < 2 * LEAST_PER_BAR:
        return None
    ordered = sorted(values)
    lowest, highest = ordered[LEAST_PER_BAR - 1], ordered[-LEAST_PER_BAR]
    step = _round_step((highest - lowest + 1) / _BARS)
    first = math.floor(lowest / step)
    counts = [0] * (math.floor(highest / step) - first + 1)
    for value in values:
        counts[math.floor(min(max(value, lowest), highest) / step) - first] += 1
    groups = _joined(counts)
    top, width = max(count / (stop - start) for start, stop, count in groups), WIDTH / len(counts)
    bars = tuple(
        Bar(
            x=round(start * width + 1, 1),
            y=round(HEIGHT - HEIGHT * count / (stop - start) / top, 1),
            width=round(max((stop - start) * width - 2, 1), 1),
            height=round(HEIGHT * count / (stop - start) / top, 1),
            low=None if start == 0 else (first + start) * step,
            high=None if stop == len(counts) else (first + stop) * step - 1,
            count=count,
        )
        for start, stop, count in groups
    )
    every = max(1, math.ceil(len(bars) / 8))
    ticks = tuple((round(bar.x + bar.width / 2, 1), bar.mark) for bar in bars[::every])
    return Histogram(bars, ticks, round(top, 1))


@dataclass(frozen=True)
class Arrived:
    """A bar of the arrivals: a day, or some days together.

    Args:
        x: its left edge.
        y: its top.
        width: of the bar.
        height: likewise.
        first: its first day.
        last: its last.
        count: reports that came in.
        so_far: with all that came before.
    """

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


@dataclass(frozen=True)
class Dot:
    """A group: a dot at its mean, and a line as far as noise may have put it off."""

    group: GroupMean
    y: int
    x: float
    left: float
    right: float

    @property
    def label(self) -> str:
        """Its name, cut off where it is long."""
        name = self.group.name
        return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


@dataclass(frozen=True)
class Dots:
    """Groups below each other, the largest mean first, the marks below them, and how many are left out."""

    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, str], ...]
    height: int
    left_out: int


def group_chart(found: FriendsByGroup | None) -> Dots | None:
    """Where means stand on one scale that begins at 0, or below where noise does."""
    if found is None:
        return None
    ranked = sorted(found.groups, key=lambda group: -group.mean)
    shown = ranked[:_GROUPS]
    low = min(0.0, *(group.mean - group.margin for group in shown))
    high = max(group.mean + group.margin for group in shown)
    step = _round_step(max(high, 1e-3) * 1000 / _MARKS) / 1000
    marks = [step * mark for mark in range(max(1, math.ceil(high / step)) + 1)]
    scale = NARROW / (marks[-1] - low)

    def place(value: float) -> float:
        return round((value - low) * scale, 1)

    dots = []
    for row, group in enumerate(shown):
        ends = group.mean, group.mean - group.margin, group.mean + group.margin
        dots.append(Dot(group, _ROW * row + _ROW - 10, *map(place, ends)))
    ticks = tuple((place(value), f"{value:g}") for value in marks)
    return Dots(tuple(dots), ticks, _ROW * len(dots), len(ranked) - len(dots))


def _joined(counts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Where bars start and stop, and their counts: nobody or enough. The last place has enough to begin with."""
    groups: list[tuple[int, int, int]] = []
    for place, count in enumerate(counts):
        if groups and 0 < groups[-1][2] < LEAST_PER_BAR:
            start, _, so_far = groups.pop()
            groups.append((start, place + 1, so_far + count))
        else:
            groups.append((place, place + 1, count))
    return groups


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is not below."""
    scale = 1
    while True:
        for step in _STEPS:
            if step * scale >= least:
                return step * scale
        scale *= 10

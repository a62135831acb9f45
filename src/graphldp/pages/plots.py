"""Charts as SVG text: sharp at any size, coloured by CSS variables so that they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from graphldp.pages import style

_WIDTH, _PLOT_HEIGHT = 460, 250
_LEFT, _RIGHT, _TOP, _AXIS = 58, 14, 10, 46
_LEGEND = 20
Ends = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """One line of a chart.

    Args:
        key: its colour, see :func:`graphldp.pages.style.slot`.
        label: in the legend.
        points: (x, y, the ends of the error bar or None).
        across: a dashed line over the whole width at the first point's y.
        band: (x, low, high), an area behind the line.
        dots: (x, y), a cloud behind the line.
        marked: whether points have marks.
    """

    key: str
    label: str
    points: Sequence[tuple[float, float, Ends | None]]
    across: bool = False
    band: Sequence[tuple[float, float, float]] = field(default=())
    dots: Sequence[tuple[float, float]] = field(default=())
    marked: bool = True


@dataclass(frozen=True)
class Axis:
    """An axis.

    Args:
        label: what it shows.
        kind: ``"linear"``, ``"log"``, ``"log1p"`` (log of 1 + x, for counts that may be 0) or ``"places"``: evenly
            spaced places for a few values.
        values: the ticks of ``"places"``, and of ``"log"`` where given.
        low: the axis begins here or below, where given.
    """

    label: str
    kind: str = "linear"
    values: Sequence[float] = ()
    low: float | None = None


def chart(series: Sequence[Series], x: Axis, y: Axis, title: str) -> str:
    """A chart with its legend, as SVG.

    Args:
        series: the lines.
        x: the horizontal axis.
        y: the vertical axis.
        title: for readers of the page who do not see it.
    """
    xs = [p[0] for s in series if not s.across for p in s.points] + [d[0] for s in series for d in s.dots]
    ys = [v for s in series for p in s.points for v in (p[1], *(p[2] or ()))]
    ys += [v for s in series for b in s.band for v in b[1:]] + [d[1] for s in series for d in s.dots]
    right, bottom = _WIDTH - _RIGHT, _TOP + _PLOT_HEIGHT
    place_x, ticks_x = _scale(x, xs or list(x.values), _LEFT, right)
    place_y, ticks_y = _scale(y, ys, bottom, _TOP)
    parts = []
    for value, text in ticks_y:
        at = round(place_y(value)) + 0.5
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{at + 4}" text-anchor="end">{text}</text>')
    for value, text in ticks_x:
        at = round(place_x(value)) + 0.5
        parts.append(f'<line class="axis" x1="{at}" x2="{at}" y1="{bottom}" y2="{bottom + 5}"/>')
        parts.append(f'<text class="tick" x="{at}" y="{bottom + 19}" text-anchor="middle">{text}</text>')
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{bottom}.5" y2="{bottom}.5"/>')
    parts.append(f'<text x="{(_LEFT + right) / 2}" y="{bottom + 39}" text-anchor="middle">{escape(x.label)}</text>')
    middle = (_TOP + bottom) / 2
    turned = f'transform="rotate(-90 14 {middle})"'
    parts.append(f'<text x="14" y="{middle}" text-anchor="middle" {turned}>{escape(y.label)}</text>')
    moving = [s for s in series if not s.across]
    for place, each in _numbered(series):
        shift = 0.0
        if x.kind == "places" and not each.across and len(moving) > 1:  # error bars stand beside each other
            shift = 7.0 * (moving.index(each) - (len(moving) - 1) / 2)
        parts += _draw(each, place, _shifted(place_x, shift), place_y, right, _told(each, x, y))
    legend, height = _legend(series, bottom + _AXIS)
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title, quote=True)}">{"".join(parts)}{legend}</svg>'
    )


def standalone(svg: str) -> str:
    """A chart as a file of its own, with its colours inside."""
    head = f"<style>{style.variables()}{style.PICTURE}svg{{background:var(--paper)}}</style>"
    cut = svg.index(">") + 1
    return svg[:cut] + head + svg[cut:]


def _numbered(series: Sequence[Series]) -> list[tuple[int, Series]]:
    """Each with its place among those of its kind, which decides its mark, or its dashes where it goes across."""
    return [(sum(s.across == each.across for s in series[:at]), each) for at, each in enumerate(series)]


def _told(each: Series, x: Axis, y: Axis) -> Callable[[float, float, Ends | None], str]:
    """The text that a reader sees who points at a place of a line."""

    def told(a: float, b: float, bar: Ends | None) -> str:
        spread = f", {_short(bar[0])} to {_short(bar[1])}" if bar else ""
        where = "" if each.across else f", {x.label} {_number(a)}"
        return f"<title>{escape(f'{each.label}{where}: {y.label} {_short(b)}{spread}')}</title>"

    return told


def _draw(
    each: Series,
    place: int,
    px: Callable[[float], float],
    py: Callable[[float], float],
    right: float,
    told: Callable[[float, float, Ends | None], str],
) -> list[str]:
    colour = f"var(--{style.slot(each.key)})"
    parts = []
    if each.band:
        there = [f"{px(a):.1f},{py(high):.1f}" for a, _, high in each.band]
        back = [f"{px(a):.1f},{py(low):.1f}" for a, low, _ in reversed(each.band)]
        parts.append(f'<polygon class="band" fill="{colour}" points="{" ".join(there + back)}"/>')
    for a, b in each.dots:
        parts.append(f'<circle class="dot" cx="{px(a):.1f}" cy="{py(b):.1f}" r="1.8" fill="{colour}"/>')
    if each.across:
        level = f"{py(each.points[0][1]):.1f}"
        ends = f'x1="{_LEFT}" x2="{right}" y1="{level}" y2="{level}"'
        line = f'<line class="line" stroke="{colour}" stroke-dasharray="{broken(place)}" {ends}/>'
        return [*parts, f'<g class="point">{told(*each.points[0])}<line class="near" {ends}/>{line}</g>']
    path = " ".join(f"{px(a):.1f},{py(b):.1f}" for a, b, _ in each.points)
    parts.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
    for a, b, bar in each.points:
        at, up = px(a), py(b)
        if bar:
            low, high = py(bar[0]), py(bar[1])
            parts.append(
                f'<path class="bar" stroke="{colour}" fill="none" '
                f'd="M{at:.1f} {high:.1f}V{low:.1f}M{at - 3:.1f} {high:.1f}h6M{at - 3:.1f} {low:.1f}h6"/>'
            )
        if each.marked:
            near = f'<circle class="near" cx="{at:.1f}" cy="{up:.1f}" r="9"/>'
            parts.append(f'<g class="point">{told(a, b, bar)}{near}{mark(place, at, up, colour)}</g>')
    return parts


def _shifted(place: Callable[[float], float], shift: float) -> Callable[[float], float]:
    return lambda value: place(value) + shift


def _legend(series: Sequence[Series], top: float) -> tuple[str, int]:
    parts, x, y = [], _LEFT, top + 14
    for place, each in _numbered(series):
        width = 44 + 7.2 * len(each.label)
        if x > _LEFT and x + width > _WIDTH:
            x, y = _LEFT, y + _LEGEND
        colour = f"var(--{style.slot(each.key)})"
        dash = f' stroke-dasharray="{broken(place)}"' if each.across else ""
        ends = f'x1="{x}" x2="{x + 20}" y1="{y - 4}" y2="{y - 4}"'
        parts.append(f'<line class="line" stroke="{colour}"{dash} {ends}/>')
        if each.marked and not each.across:
            parts.append(mark(place, x + 10, y - 4, colour))
        parts.append(f'<text x="{x + 25}" y="{y}">{escape(each.label)}</text>')
        x += round(width)
    return "".join(parts), int(y + 10)


def _scale(
    axis: Axis, values: Sequence[float], start: float, stop: float
) -> tuple[Callable[[float], float], list[tuple[float, str]]]:
    """The scale of an axis: where a value lies between two pixels, and the ticks."""
    if axis.kind == "places":
        places = {value: start + (i + 0.5) * (stop - start) / len(axis.values) for i, value in enumerate(axis.values)}
        return lambda value: places[value], [(value, _number(value)) for value in axis.values]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if axis.low is not None:
        low = min(low, axis.low)
    if axis.kind == "log":
        bottom, top = math.floor(math.log10(max(low, 1e-12))), math.ceil(math.log10(max(high, 1e-12)))
        top = max(top, bottom + 1)
        if axis.values:
            ends = math.log10(min(axis.values)) - 0.05, math.log10(max(axis.values)) + 0.05
            return _line(*ends, start, stop, math.log10), [(v, _number(v)) for v in axis.values]
        every = -(-(top - bottom) // 6)
        marks = [(10.0**e, _power(e)) for e in range(bottom, top + 1, every)]
        return _line(bottom, top, start, stop, lambda v: math.log10(max(v, 1e-12))), marks
    if axis.kind == "log1p":
        end = math.log10(1 + max(high, 1))
        marks = [(v, _number(v)) for v in (0, 1, 3, *(10**e for e in range(1, 7))) if math.log10(1 + v) <= end]
        return _line(0, end * 1.02, start, stop, lambda v: math.log10(1 + v)), marks
    step = _step(high - low)
    first, last = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    last = last if last > first else first + step
    count = round((last - first) / step)
    ticks = [round(first + i * step, 10) for i in range(count + 1)]
    return _line(first, last, start, stop, lambda v: v), [(v, _number(v)) for v in ticks]


def _line(
    low: float, high: float, start: float, stop: float, map_: Callable[[float], float]
) -> Callable[[float], float]:
    return lambda value: start + (map_(value) - low) / (high - low) * (stop - start)


def _step(span: float) -> float:
    if span <= 0:
        return 0.1
    raw = span / 5
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)


def _power(exponent: int) -> str:
    """A power of ten: small ones in full, others as 10ⁿ."""
    if -2 <= exponent <= 2:
        return f"{10.0**exponent:,g}"
    return f"10{str(exponent).translate(str.maketrans('0123456789-', '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'))}"


def _short(value: float) -> str:
    return f"{value:.3f}" if 0 <= value <= 1 else f"{value:,.4g}"


def _number(value: float) -> str:
    return f"{value:,.10g}"


_SHAPES = (  # a path from the middle, and whether it is filled
    ("m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z", True),
    ("m-3.3 -3.3h6.6v6.6h-6.6z", True),
    ("m0 -4.4l4.2 7.4h-8.4z", True),
    ("m0 -4.8l4.2 4.8l-4.2 4.8l-4.2 -4.8z", True),
    ("m-1.4 -4h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6v-2.8h2.6z", True),
    ("m0 4.4l4.2 -7.4h-8.4z", True),
    ("m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2", False),
    ("m0 -5l1.2 3.4h3.6l-2.9 2.2l1.1 3.5l-3 -2.1l-3 2.1l1.1 -3.5l-2.9 -2.2h3.6z", True),
    ("m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z", False),
    ("m-3.1 -3.1h6.2v6.2h-6.2z", False),
    ("m0 -4.2l4 7h-8z", False),
    ("m0 -4.6l4 4.6l-4 4.6l-4 -4.6z", False),
)
_DASHES = ("6 4", "2 3", "10 3 2 3", "12 5", "4 2", "8 3 2 3 2 3")


def mark(place: int, x: float, y: float, colour: str) -> str:
    """The mark of a chart's line by its place in it, as SVG."""
    shape, filled = _SHAPES[place % len(_SHAPES)]
    paint = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="1.8"'
    return f'<path class="mark" d="M{x:.1f} {y:.1f}{shape}" {paint}/>'


def broken(place: int) -> str:
    """How a line across a chart is broken, by its place in it."""
    return _DASHES[place % len(_DASHES)]

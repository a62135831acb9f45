"""The shapes of points and lines: a chart can be read without its colours, up to twelve lines of it."""

from __future__ import annotations

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


def dash(place: int) -> str:
    """How a line across a chart is broken, by its place in it."""
    return _DASHES[place % len(_DASHES)]

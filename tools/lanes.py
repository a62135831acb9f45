"""Pictures of a device and what leaves it, as SVG: lanes from left to right, with a wall between them.

``tools.report_pictures`` says what each of them holds.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.pages import style

WIDTH, WALL, LEFT, RIGHT = 660, 330, 12, 366
CELL, PITCH = 9.0, 11.5
STYLE = """svg{background:var(--paper)}
.friend{fill:var(--dprr)}
.stranger{fill:none;stroke:var(--rr);stroke-width:2}
.nobody{fill:none;stroke:var(--rule)}
.faint{fill:var(--soft);fill-opacity:.4}
.pill{fill:var(--wash);stroke:var(--rule)}
.chosen{fill:var(--dprr);stroke:none}
svg.chart text.on{fill:var(--paper)}
.wall{stroke:var(--soft);stroke-dasharray:3 4}
.way{stroke:var(--ink);stroke-width:1.5;fill:none}
svg.chart .head{font-weight:600}"""
KEYS = (("f", "a friend"), ("s", "a stranger, named by chance"), ("n", "not named"))


class Drawing(NamedTuple):
    """A piece of SVG with its upper left corner at the origin, and its height."""

    svg: str
    height: float = CELL + 1


NOTHING = Drawing("", 0)


class Lane(NamedTuple):
    """One line of a picture.

    Args:
        way: ``"out"`` or ``"in"`` through the wall, ``"stays"`` in front of it, or ``"head"``: words alone.
        device: the words above what the device holds.
        held: what it holds.
        sent: the words above what is on the other side.
        seen: what is there.
    """

    way: str
    device: str
    held: Drawing = NOTHING
    sent: str = ""
    seen: Drawing = NOTHING


def text(x: float, y: float, words: str, kind: str = "tick", anchor: str = "start") -> str:
    """Words, of a class of the style."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def box(kind: str, x: float, y: float, width: float, height: float, rest: str = "") -> str:
    """A rectangle, of a class of the style."""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{rest}/>'


def placed(x: float, y: float, drawing: Drawing) -> str:
    """A drawing at a place."""
    return f'<g transform="translate({x:g} {y:g})">{drawing.svg}</g>' if drawing.svg else ""


def beside(*drawings: tuple[float, Drawing]) -> Drawing:
    """Drawings in one line, each at its x."""
    tall = max(each.height for _, each in drawings)
    return Drawing("".join(placed(x, (tall - each.height) / 2, each) for x, each in drawings), tall)


def cells(marks: Iterable[str]) -> Drawing:
    """A cell for each other user: f a friend, s a stranger who is named, b a busy user, n nobody; a space is a gap."""
    parts, x = [], 0.5
    for mark in marks:
        if mark == " ":
            x += PITCH / 2
            continue
        parts.append(box({"f": "friend", "b": "faint"}.get(mark, "nobody"), x, 0.5, CELL, CELL))
        if mark == "s":
            parts.append(f'<circle class="stranger" cx="{x + CELL / 2:g}" cy="{CELL / 2 + 0.5:g}" r="3"/>')
        x += PITCH
    return Drawing("".join(parts))


def shades(values: Iterable[float]) -> Drawing:
    """Real numbers, one for each other user: the larger, the darker."""
    strengths = np.clip((np.array([*values]) + 2) / 5, 0.03, 1.0)
    parts = (
        box("friend", k * PITCH + 0.5, 0.5, CELL, CELL, f' fill-opacity="{dark:.2f}"')
        for k, dark in enumerate(strengths)
    )
    return Drawing("".join(parts))


def pills(words: Iterable[str], chosen: Collection[int] = ()) -> Drawing:
    """Words in boxes, some of them filled."""
    parts, x = [], 0.5
    for place, each in enumerate(words):
        wide = 7.4 * len(each) + 14
        kinds = ("pill chosen", "on") if place in chosen else ("pill", "ink")
        parts.append(box(kinds[0], x, 0.5, wide, 20, ' rx="5"') + text(x + wide / 2, 15, each, kinds[1], "middle"))
        x += wide + 6
    return Drawing("".join(parts), 21)


def gauges(shares: Sequence[float], names: Sequence[str]) -> Drawing:
    """Numbers between their public ends."""
    parts = []
    for place, (share, name) in enumerate(zip(shares, names, strict=True)):
        x = place * 96 + 0.5
        parts += [box("pill", x, 0.5, 80, 9), box("friend", x, 0.5, 80 * share, 9), text(x, 24, name)]
    return Drawing("".join(parts), 26)


def matrix(bits: NDArray[np.bool_], marked: Collection[int] = (), width: float = 4, height: float = 4) -> Drawing:
    """Bits, a row for each user; those of which row and column are marked stand out, or all if none is."""
    rows, columns = bits.shape
    ink = {"faint": "", "friend": ""}
    for row, column in zip(*(each.tolist() for each in np.nonzero(bits)), strict=True):
        kind = "friend" if not marked or (row in marked and column in marked) else "faint"
        wide = width - 0.5
        ink[kind] += f"M{column * width + 0.5:g} {row * height + 0.5:g}h{wide:g}v{height - 0.5:g}h{-wide:g}z"
    edge = box("nobody", 0.5, 0.5, columns * width, rows * height)
    paths = (f'<path class="{kind}" d="{path}"/>' for kind, path in ink.items() if path)
    return Drawing(edge + "".join(paths), rows * height + 1)


def arrow(y: float, way: str) -> str:
    """An arrow through the wall, or as far as it."""
    if way == "stays":
        return f'<path class="way" d="M{WALL - 24} {y:g}h16m0 -5v10"/>'
    start, ahead = (WALL - 24, 1) if way == "out" else (WALL + 24, -1)
    return f'<path class="way" d="M{start} {y:g}h{48 * ahead}m{-6 * ahead} -4l{6 * ahead} 4l{-6 * ahead} 4"/>'


def picture(title: str, lanes: Iterable[Lane], *, keyed: bool = True) -> str:
    """The device on the left, what leaves it on the right, and a wall between them.

    Args:
        title: for readers who do not see it.
        lanes: from top to bottom.
        keyed: whether a last line says what cells mean.
    """
    parts, y = [text(LEFT, 18, "her device", "head"), text(RIGHT, 18, "the server", "head")], 32.0
    for lane in lanes:
        if lane.way == "head":
            parts.append(text(LEFT, y + 16, lane.device, "head"))
            y += 24
            continue
        tall = max(lane.held.height, lane.seen.height)
        parts += [text(LEFT, y + 12, lane.device), text(RIGHT, y + 12, lane.sent)]
        parts += [placed(LEFT, y + 19, lane.held), placed(RIGHT, y + 19, lane.seen), arrow(y + 19 + tall / 2, lane.way)]
        y += tall + 33
    parts.append(f'<path class="wall" d="M{WALL} 6V{y - 8:g}"/>')
    return standing(title, "".join(parts) + (keys(y) if keyed else ""), y + (20 if keyed else 0))


def keys(y: float) -> str:
    """The key of what cells mean."""
    parts, x = [], float(LEFT)
    for mark, words in KEYS:
        parts.append(placed(x, y, cells(mark)) + text(x + 16, y + 9, words))
        x += 36 + 6.6 * len(words)
    return "".join(parts)


def standing(title: str, inner: str, height: float) -> str:
    """A picture as a file of its own, for light and for dark."""
    sheet = f"<style>{style.variables()}{style.PICTURE}{STYLE}</style>"
    return lean(
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(title, quote=True)}">{sheet}{inner}</svg>'
    )


def lean(svg: str) -> str:
    """A file without the colours that it does not use."""
    used = {*re.findall(r"var\(--([\w-]+)\)", svg)}
    return re.sub(r"--([\w-]+):#\w+;", lambda each: each[0] if each[1] in used else "", svg)

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from graphldp.experiments.plans.methods import METHODS
from graphldp.mechanisms.named import colour_of
from graphldp.pages.plots import Axis, Ends, Series, chart, standalone
from graphldp.pages.style import colours

SVG = "{http://www.w3.org/2000/svg}"


def draw(*series: Series, x: Axis | None = None, y: Axis | None = None) -> ElementTree.Element:
    text = chart(series, x or Axis("x"), y or Axis("y"), 'a "title" & more')
    return ElementTree.fromstring(text)


def marks(svg: ElementTree.Element) -> list[tuple[float, float]]:
    """The centres of a series' marks, without the one in the legend."""
    found = [p.attrib["d"] for p in svg.iter(f"{SVG}path") if p.attrib["class"] == "mark"]
    centres = [re.match(r"M([-\d.]+) ([-\d.]+)m", each) for each in found]
    return [(float(each[1]), float(each[2])) for each in centres if each][:-1]


def test_places_are_evenly_spaced_and_larger_is_higher() -> None:
    points: list[tuple[float, float, Ends | None]] = [
        (0.0, 0.5, (0.4, 0.6)),
        (0.1, 0.6, None),
        (0.5, 0.9, (0.85, 0.95)),
    ]
    svg = draw(Series("dprr", "DPRR", points), x=Axis("λ", "places", (0.0, 0.1, 0.5)))
    (a, top), (b, middle), (c, low) = marks(svg)
    assert b - a == pytest.approx(c - b, abs=0.2)
    assert top > middle > low  # SVG counts from the top
    assert len([p for p in svg.iter(f"{SVG}path") if p.attrib["class"] == "bar"]) == 2


def test_a_logarithmic_axis() -> None:
    svg = draw(Series("dprr", "DPRR", [(1.0, 1.0, None), (2.0, 10.0, None), (3.0, 100.0, None)]), y=Axis("s", "log"))
    (_, one), (_, ten), (_, hundred) = marks(svg)
    assert one - ten == pytest.approx(ten - hundred, abs=0.2)


def test_across_is_dashed_and_unmarked() -> None:
    svg = draw(Series("nonpriv-full", "NonPriv-Full", [(0.0, 0.9, (0.8, 1.0))], across=True))
    dashes = [line for line in svg.iter(f"{SVG}line") if "stroke-dasharray" in line.attrib]
    assert len(dashes) == 2  # the line and its legend
    assert not marks(svg)


@pytest.mark.parametrize("points", [[], [(1.0, 0.0, None)], [(1.0, 0.7, None), (2.0, 0.7, None)], [(0.0, 1e9, None)]])
def test_few_and_equal_points_draw_without_error(points: list[tuple[float, float, Ends | None]]) -> None:
    for kind in ("linear", "log1p"):
        text = ElementTree.tostring(draw(Series("rr", "RR", points), y=Axis("y", kind)), encoding="unicode")
        assert "nan" not in text
        assert "inf" not in re.sub("info?", "", text)


def test_everything_stays_inside() -> None:
    points = [(float(v), math.exp(v), (math.exp(v) / 2, math.exp(v) * 2)) for v in range(8)]
    svg = draw(Series("dprr", "DPRR", points), y=Axis("y"))
    width, height = (float(v) for v in svg.attrib["viewBox"].split()[2:])
    assert all(0 <= x <= width and 0 <= y <= height for x, y in marks(svg))


def test_a_file_of_its_own_brings_its_colours_for_light_and_dark() -> None:
    text = standalone(chart([Series("dprr", "DPRR", [(1.0, 2.0, None)])], Axis("x"), Axis("y"), "t"))
    ElementTree.fromstring(text)
    assert "--dprr:" in text
    assert "prefers-color-scheme:dark" in text


def test_every_method_has_a_colour() -> None:
    assert METHODS.keys() <= colours().keys()


def test_a_mechanism_of_one_s_own_has_a_colour() -> None:
    own = "own@0123456789ab:<HalfResponse>"
    text = standalone(chart([Series(own, "half", [(1.0, 2.0, None)])], Axis("x"), Axis("y"), "t"))
    used = re.search(r"var\(--(spare-\d)\)", text)
    assert used is not None
    assert f"--{used[1]}:{colour_of(own)[0]}" in text
    assert own not in text


def test_lines_are_told_apart_without_colour() -> None:
    lines = [Series("dprr", f"line {place}", [(1.0, float(place), None)]) for place in range(12)]
    across = [Series("rr", f"across {place}", [(1.0, 0.5, None)], across=True) for place in range(4)]
    svg = draw(*across, *lines)
    shapes = [p for p in svg.iter(f"{SVG}path") if p.attrib["class"] == "mark"]
    looks = [(p.attrib["d"].partition("m")[2], p.attrib["fill"] == "none") for p in shapes]
    assert len(looks) == 2 * 12  # in the picture, then in the legend
    assert looks[:12] == looks[12:]
    assert len(set(looks)) == 12
    dashes = [line.attrib["stroke-dasharray"] for line in svg.iter(f"{SVG}line") if "stroke-dasharray" in line.attrib]
    assert len(set(dashes)) == 4


def test_pointing_at_a_mark_tells_its_value() -> None:
    svg = draw(
        Series("dprr", "A & B", [(0.5, 0.71649, (0.7, 0.73))]),
        Series("rr", "all", [(0.5, 0.9, None)], across=True),
        x=Axis("ε"),
    )
    told = [each.findtext(f"{SVG}title") for each in svg.iter(f"{SVG}g")]
    assert told == ["A & B, ε 0.5: y 0.716, 0.700 to 0.730", "all: y 0.900"]

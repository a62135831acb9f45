"""Slots as people write them, and a QR code of a link: what scanners need around it, and a limit in words."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from graphldp.collector.actions.inviting import parse_slots, svg
from graphldp.errors import ParameterError

LINK = "https://reports.example.org/join#2.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG/cats"


def test_it_is_dark_on_white_within_a_border_of_four_modules() -> None:
    drawn = ElementTree.fromstring(svg(LINK))
    ground, code = (each.attrib for each in drawn[0])
    assert (ground["fill"], code["stroke"]) == ("#fff", "#000")
    assert code["d"].startswith("M4 4.5h7")  # the upper bar of the first corner's square
    assert int(drawn.attrib["width"]) == 8 * (37 + 2 * 4)  # version 5: as small as for any other link of this length
    assert svg(LINK) != svg(LINK.replace("cats", "dogs"))


def test_a_link_that_is_too_long() -> None:
    with pytest.raises(ParameterError, match="too long"):
        svg("https://" + "x" * 3000)


@pytest.mark.attack("collector")
def test_a_slot_counts_once_however_often_it_is_named() -> None:
    """The same four million slots, a hundred times over."""
    assert parse_slots("5, 0-3 2–4,0", 9) == [0, 1, 2, 3, 4, 5]
    assert len(parse_slots("0-3999999 " * 100, 4_000_000)) == 4_000_000
    for wrong in ("", "9", "3-1", "-1", "x", "1-"):
        with pytest.raises(ParameterError, match="slots from 0 to 8"):
            parse_slots(wrong, 9)

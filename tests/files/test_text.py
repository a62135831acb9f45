from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphldp.files.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;cm0gLXJm\x07", "\\x1b]52;c;cm0gLXJm\\x07"),  # writes to the clipboard
        ("\x9b31m", "\\x9b31m"),  # the eight-bit form of the same escape
        ("ann\u202eaob", "ann\\u202eaob"),  # turns the direction of writing
        ("one\r\ntwo\x7f", "one\\r\\ntwo\\x7f"),
        ("\udc80\U000e0041", "\\udc80\\U000e0041"),  # half a pair, and an invisible tag
        ("Zoë · 李 · 🙂", "Zoë · 李 · 🙂"),
        (7, "7"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: object, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_every_text_becomes_printable_and_stays_so(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown
    assert shown == text or not text.isprintable()

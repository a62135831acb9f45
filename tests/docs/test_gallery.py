"""The gallery: examples that fit on a screen. The build executes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.markdown import DOCS, name_of

EXAMPLES = sorted((DOCS / "gallery").glob("*.py"))
CODE = re.compile(r"(?m)^(?!# [^%!]|#$|# %%).+")  # a command after a comment's # is a line of a notebook, too


def test_there_are_eight_and_all_are_listed() -> None:
    listed = re.findall(r"(?m)^\| \[.+?\]\((.+?)\)", (DOCS / "gallery" / "index.md").read_text("utf-8"))
    assert len(EXAMPLES) == 8
    assert sorted(listed) == [path.name for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_is_short(path: Path) -> None:
    assert len(CODE.findall(path.read_text("utf-8"))) <= 20

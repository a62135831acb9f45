"""What tests read from a page of Markdown: its blocks of code, its links, its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
_FENCE = re.compile(r"(?ms)^(?:<!-- not run: (?P<reason>.+?) -->\n+)?```(?P<language>\S*)\n(?P<code>.*?)^```$")


def name_of(page: Path) -> str:
    """For the names of tests and for messages."""
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A block of code.

    Args:
        language: as its fence says, or nothing.
        code: its lines.
        line: where they begin on the page, from 1.
        reason: why a test does not run it, as a comment before it says.
    """

    language: str
    code: str
    line: int
    reason: str | None


def blocks(page: Path) -> Iterator[Block]:
    """All blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start("code")) + 1
        yield Block(found["language"], found["code"], line, found["reason"])


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """What a link may name after the ``#``, as GitHub and the site make it from headings."""
    headings = re.findall(r"(?m)^#+ +(.+)$", prose(page))
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each).replace("`", "").strip().lower() for each in headings]
    return {re.sub(r"[^\w\- ]", "", each).replace(" ", "-") for each in plain}

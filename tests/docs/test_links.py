"""No page has a dead link. Links that leave the repository are read, and not followed: tests have no network."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.docs.markdown import DOCS, PAGES, anchors, name_of, prose

MINE = re.compile(r"\]\(([^)\s]+)\)")


def wrong(page: Path, target: str) -> bool:
    if "://" in target:
        parts = urlsplit(target)
        return parts.scheme != "https" or "." not in parts.netloc
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    return not there.exists() or bool(anchor and there.suffix == ".md" and anchor not in anchors(there))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert not [target for target in MINE.findall(prose(page)) if wrong(page, target)]


def test_dead_links_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `two` [three](x.md) – ε\n\n```\n# four\n```\n")
    assert anchors(page) == {"one-two-three--ε"}
    assert not wrong(page, "#one-two-three--ε")
    assert not wrong(page, "https://example.org/x")
    for target in ("#four", "other.md", "page.md#five", "http://example.org", "https://nowhere"):
        assert wrong(page, target)


def matching(folder: Path, entry: str) -> list[Path]:
    there = (folder / entry).resolve()
    return list(there.parent.glob(f"{there.name}.md"))


def test_every_page_is_on_the_site() -> None:
    """Each page of docs is named by the table of contents of another one."""
    docs = [page for page in PAGES if page.is_relative_to(DOCS)]
    listed = set()
    for page in docs:
        for found in re.findall(r"(?s)```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8")):
            entries = [line for line in found.splitlines() if line and not line.startswith(":")]
            listed |= {found for entry in entries for found in matching(page.parent, entry)}
    assert {name_of(page) for page in docs} - {name_of(page) for page in listed} == {"docs/index.md"}


@pytest.mark.parametrize("word", ["triangles", "Mastodon", "liar", "ethics", "Windows", "Ray"])
def test_a_search_finds(word: str) -> None:
    """The site's index holds the words of all pages: somebody has to have written those that people look for."""
    assert [page for page in PAGES if page.is_relative_to(DOCS) and re.search(rf"\b{word}\b", prose(page))]

"""Pages for readers: one question each, no page too long, and what most people look for two clicks away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.markdown import DOCS, PAGES, name_of

STUBS = {DOCS / "project" / f"{name}.md" for name in ("changelog", "contributing", "security")}
SCRIPTS = sorted(DOCS.glob("*/*.py"))
ON_SITE = [page for page in (*PAGES, *SCRIPTS) if page.is_relative_to(DOCS) and page not in STUBS]
LOOKED_FOR = (
    "tutorials/install.md",
    "tutorials/first_labels.py",
    "guides/surveys.md",
    "guides/own-graphs.md",
    "guides/operator.md",
    "mechanisms/dprr.md",
    "concepts/threat-model.md",
)


def written(page: Path) -> str:
    """What somebody wrote: no generated table and no code; of a script, its comments."""
    text = page.read_text("utf-8")
    if page.suffix == ".py":
        return "\n".join(line.removeprefix("#").strip() for line in text.splitlines() if re.match(r"#(?! %%)", line))
    return re.sub(r"(?s)<!-- table .*?<!-- end -->|```.*?```", "", text)


@pytest.mark.parametrize("page", [page for page in ON_SITE if page != DOCS / "index.md"], ids=name_of)
def test_a_page_begins_with_its_question(page: Path) -> None:
    title, question, *_ = [line for line in written(page).splitlines() if line]
    assert title.startswith("# ")
    assert re.match(r"\*[^*]+(\?|…[^*]*)\*", question)


def test_pages_are_short() -> None:
    words = {name_of(page): len(re.findall(r"\w[\w'’-]*", written(page))) for page in (*PAGES, *SCRIPTS)}
    assert {name: count for name, count in words.items() if count > 2500} == {}
    assert sum(words.values()) <= 45_000


def leads_to(page: Path) -> set[Path]:
    """Pages that a reader sees links to: in the text, and in its table of contents."""
    text = page.read_text("utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    for found in re.findall(r"(?s)```\{toctree\}\n(.*?)```", text):
        targets += [f"{line}.*" for line in found.splitlines() if line and not line.startswith(":")]
    there = ((page.parent / target) for target in targets if "://" not in target)
    return {found for each in there if each.parent.is_dir() for found in each.resolve().parent.glob(each.name)}


def test_what_most_people_look_for_is_two_clicks_from_the_index() -> None:
    near = leads_to(DOCS / "index.md")
    reached = near.union(*(leads_to(page) for page in near if page.suffix == ".md"))
    assert {DOCS / name for name in LOOKED_FOR} - reached == set()


def test_no_page_is_a_diary() -> None:
    """What did not help has a page of its own."""
    diary = r"\bgoals?\b|asked for|was tried|were tried|it took|used to take"
    assert {name_of(page): found for page in ON_SITE if (found := re.findall(diary, written(page)))} == {}

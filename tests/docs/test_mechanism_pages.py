"""The pages about mechanisms: six parts each, with a picture that the mechanism itself draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.markdown import DOCS, prose
from tools.fill import fill
from tools.mechanism_figures import PAGES, TABLES, figures

from graphldp.mechanisms.named import mechanisms

PARTS = ("What is sent", "Picture", "Formula", "Privacy", "Error", "When to use it")
ABOUT_ALL = {"index", "budget", "estimators"}
HERE = DOCS / "mechanisms"
ONE_EACH = [page for page in PAGES if page.stem not in ABOUT_ALL]


@pytest.mark.parametrize("page", ONE_EACH, ids=lambda page: page.stem)
def test_a_mechanism_has_six_parts_and_its_own_picture(page: Path) -> None:
    assert tuple(re.findall(r"(?m)^## (.+)$", prose(page))) == PARTS
    parts = re.split(r"(?m)^## .+$", page.read_text())[1:]
    assert f"](figures/{page.stem}.svg)" in parts[PARTS.index("Picture")]
    assert "```math\n" in parts[PARTS.index("Formula")]
    assert "∎" in parts[PARTS.index("Privacy")]  # the proof is there, to its end


def test_every_mechanism_has_a_page() -> None:
    """The table that compares them names all, and links to a page of each."""
    table = (HERE / "index.md").read_text().partition("<!-- table compared -->")[2]
    linked = dict(re.findall(r"\| \[`(\w+)`\]\(([\w-]+)\.md", table))
    assert {*linked.values()} == {page.stem for page in ONE_EACH}
    for record in mechanisms():
        if record.kind.__module__.startswith("graphldp."):
            assert record.kind.__name__ in linked


def test_the_figures_are_what_the_mechanisms_draw() -> None:
    for file, svg in figures().items():
        assert file.read_text() == svg, f"{file.name}: run python -m tools.mechanism_figures"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "<!-- table" in page.read_text()], ids=lambda page: page.stem
)
def test_the_tables_hold_what_the_laws_say(page: Path, tmp_path: Path) -> None:
    (copy := tmp_path / page.name).write_text(page.read_text())
    fill(copy, TABLES)
    assert copy.read_text() == page.read_text(), "run python -m tools.mechanism_figures"

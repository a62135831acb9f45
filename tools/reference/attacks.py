"""Fill the lists of docs/evidence/attacks.md from the tests' own docstrings: python -m tools.reference.attacks.

An attack is a test that is marked ``@pytest.mark.attack("collector")``, or another of ``SECTIONS``, itself or with its
file. The first paragraph of its docstring says what was tried. The files are read and not run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from tools.fill import DOCS, fill, markdown

PAGES = (DOCS / "evidence" / "attacks.md",)
TESTS = DOCS.parent / "tests"
SECTIONS = ("collector", "storage", "device", "page", "learning")


class Attack(NamedTuple):
    """A test that is an attack."""

    section: str
    told: str
    test: str


@cache
def attacks() -> tuple[Attack, ...]:
    """All of them, by file and place.

    Raises:
        ValueError: for one that does not say what is tried, or is in no section.
    """
    return tuple(
        attack
        for path in sorted(TESTS.rglob("test_*.py"))
        if "mark.attack(" in (text := path.read_text(encoding="utf-8"))
        for attack in _marked(ast.parse(text), path.relative_to(TESTS).as_posix())
    )


def _marked(tree: ast.Module, path: str) -> Iterator[Attack]:
    of_all = [each.value for each in tree.body if isinstance(each, ast.Assign) and "pytestmark" in ast.unparse(each)]
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for mark in [*node.decorator_list, *(of_all if node.name.startswith("test_") else ())]:
            if not (isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.attack"):
                continue
            section = mark.args[0].value if len(mark.args) == 1 and isinstance(mark.args[0], ast.Constant) else None
            told = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
            if section not in SECTIONS or not told:
                raise ValueError(f"{path}::{node.name}: an attack has one of the sections {SECTIONS} and a docstring.")
            yield Attack(str(section), told, f"{path}::{node.name}")


def listed(section: str) -> str:
    """A section's attacks: those with one line are one, with all of its tests."""
    tests: dict[str, list[str]] = {}
    for each in attacks():
        if each.section == section:
            tests.setdefault(each.told, []).append(f"`{each.test}`")
    return markdown(["attack", "test"], [[told.replace("|", "\\|"), ", ".join(names)] for told, names in tests.items()])


TABLES: dict[str, Callable[[], str]] = {f"attacks-{section}": partial(listed, section) for section in SECTIONS}


if __name__ == "__main__":
    fill(PAGES[0], TABLES)

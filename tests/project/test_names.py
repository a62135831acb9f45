"""One word, one thing: rules about names, read from the source of every module."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import graphldp as gl
from graphldp.mechanisms import named
from graphldp.threats.named import ATTACKS, DEFENSES

SOURCE = Path(gl.__file__).parent


@cache
def trees() -> dict[str, ast.Module]:
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


def test_a_class_name_stands_once_in_the_tree() -> None:
    names = Counter(node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    twice = {name for name, count in names.items() if count > 1 and not name.startswith("_")}
    assert not twice


TABLES = {
    "mechanisms": ({word for each in named.mechanisms() for word in (each.name, each.label)}, ("mechanisms/named.py",)),
    "attacks and defenses": (
        {*ATTACKS, *DEFENSES},
        ("threats/named.py", "threats/attacks/beyond.py", "experiments/plans/adversaries.py"),
    ),
}
"""The names, and where they may stand together: in their table, where a class has variants, and where some of them are
compared."""


def listed(tree: ast.AST) -> list[tuple[int, set[str]]]:
    """The texts of every dictionary's keys, and of every tuple, list and set; but not what an experiment compares."""
    compared = {
        id(keyword.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "methods"
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in compared or not isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            continue
        parts = node.keys if isinstance(node, ast.Dict) else node.elts
        texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        found.append((node.lineno, texts))
    return found


@pytest.mark.parametrize("about", TABLES)
def test_there_is_no_table_of_names_but_one(about: str) -> None:
    """The wire has the names that devices send, with their codes; the records refer to it."""
    names, homes = TABLES[about]
    wrong = [
        f"{where}:{line} has {', '.join(sorted(texts & names))}"
        for where, tree in trees().items()
        if where not in homes and not where.startswith("wire/")
        for line, texts in listed(tree)
        if len(texts & names) > 1
    ]
    assert not wrong


@pytest.mark.parametrize(
    "source",
    [
        "COLOURS = {'rr': 'red', 'dprr': 'blue'}",
        "Name = Literal['rr', 'dprr']",
        "def draw(name):\n    return name in {'rr', 'dprr'}",
        "LABELS = [('RR', 1), 'DPRR', 'RR']",
    ],
)
def test_a_second_table_would_be_found(source: str) -> None:
    names, _ = TABLES["mechanisms"]
    assert any(len(texts & names) > 1 for _, texts in listed(ast.parse(source)))


def test_each_test_file_names_an_existing_module() -> None:
    """A file of tests stands where its module or package does; some rooms are about the whole."""
    root = Path(__file__).parents[2]
    about = {"clients", "deploy", "docs", "project", "walks"}
    wrong = []
    for file in sorted((root / "tests").rglob("test_*.py")):
        where, name = file.relative_to(root / "tests"), file.stem.removeprefix("test_")
        module = where.parent if where.parent.name == name else where.with_name(name)
        known = (SOURCE / module, root / module)
        if where.parts[0] not in about and not any(each.is_dir() or each.with_suffix(".py").exists() for each in known):
            wrong.append(where.as_posix())
    assert not wrong

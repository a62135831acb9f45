"""The reference leaves nothing out, and what it takes from the code is there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.docs.markdown import DOCS, ROOT
from tools.reference.collector import http, problems, routes, settings
from tools.reference.commands import command_tree, commands
from tools.reference.extension import MAKERS, filled, with_links
from tools.reference.names import SECTIONS, module_names, public_names
from tools.reference.speed import capacity

import graphldp as gl
from graphldp.collector.http.route_table import TABLE as ROUTES
from graphldp.collector.settings import TABLE
from graphldp.wire.problems import KINDS


def test_every_public_name_stands_on_one_page() -> None:
    shown = [name for section in SECTIONS for name in public_names(section)]
    assert sorted(shown) == sorted(gl.__all__), "SECTIONS of tools/reference/names.py says which room is on which page"


def test_every_part_stands_on_one_page() -> None:
    markers = [
        marker
        for page in DOCS.rglob("*.md")
        for marker in re.findall(r"<!-- reference (.+?) -->", page.read_text(encoding="utf-8"))
    ]
    assert sorted(markers) == sorted(MAKERS)


def public() -> Iterator[tuple[str, Any]]:
    for name in gl.__all__:
        value = getattr(gl, name)
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{each}", getattr(value, each)) for each in module_names(value))
        else:
            yield name, value


def test_no_part_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that the build does not know is an error, also one that is written in another way."""
    monkeypatch.setattr("tools.reference.extension.MAKERS", dict.fromkeys(MAKERS, str))  # as if each part were empty
    pages = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    marked = {page: text for page, text in pages.items() if "<!-- reference " in text}
    assert len(marked) > 3
    for page, text in marked.items():
        assert "<!-- reference " not in filled(text), page
    with pytest.raises(KeyError):
        filled("<!-- reference speed of-light -->")


def test_every_argument_of_a_public_name_is_documented() -> None:
    missing = []
    for name, value in public():
        text = inspect.getdoc(value) or ""
        assert text, name
        if isinstance(value, type) and issubclass(value, Exception):
            continue
        if isinstance(value, type):
            text += "".join(inspect.getdoc(base) or "" for base in value.__mro__[1:])  # a kind of something documented
        arguments = [each for each in inspect.signature(value).parameters if each not in ("args", "kwargs")]
        missing += [f"{name}({each})" for each in arguments if not re.search(rf"(?m)^ +.*\b{each}\b.*:", text)]
    assert not missing


def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from walk(each, f"{path} {name}")


def test_every_command_and_option_is_documented() -> None:
    text = commands()
    for path, command in walk(command_tree(), "graphldp"):
        assert path == "graphldp" or f"# `{path}`\n" in text
        assert command.help, path
        silent = [each.name for each in command.params if not each.help and not each.name.endswith("_completion")]
        assert not silent, path


def test_every_command_is_explained_on_a_page_for_people() -> None:
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = [(path, each) for path, each in walk(command_tree(), "graphldp") if not hasattr(each, "commands")]
    assert not [path for path, command in found if path not in text and not command.hidden]


def test_what_every_command_costs_is_said() -> None:
    told = set(re.findall(r"`([a-z -]+)`", (DOCS / "reference" / "cost.md").read_text(encoding="utf-8")))
    ends = [(path, each) for path, each in walk(command_tree(), "graphldp") if not hasattr(each, "commands")]
    found = [path.split()[1:] for path, each in ends if not each.hidden]
    assert len(found) > 40
    assert not [words for words in found if not told & {" ".join(words), " ".join(words[:2])}]


def test_every_setting_and_route_is_there() -> None:
    table, described = settings(), http()
    assert all(f"| `{each.name}` | `{each.variable}` |" in table and each.help in table for each in TABLE)
    for route in ("PUT /v1/communities/{community}/reports/{user}", "POST /v1/reports:batch", "GET /healthz"):
        assert f"## `{route}`" in described
    assert "Needs an operator's key" in described.partition("## `POST /v1/operator/communities`")[2].partition("##")[0]
    assert "`id`, `roster`, `epsilons`, `groups` (optional)" in described
    assert all(f"| `{kind}` |" in problems() for kind in KINDS)
    listed = routes()
    assert all(f"| `{each.method} {each.path}` |" in listed for each in ROUTES)


def test_what_more_reports_take_is_a_straight_line() -> None:
    rows = [line.split("|")[2:5] for line in capacity().splitlines()[2:]]
    numbers = np.array([[float(cell.replace(",", "")) for cell in row] for row in rows])
    np.testing.assert_allclose(numbers / numbers[:, 2:], [[1e-3, 0.1, 1]] * len(rows), rtol=0.01)


def test_links_that_leave_the_pages_are_named() -> None:
    links = {
        "[a](recipe.md#x)": "[a](recipe.md#x)",
        "[a](../SECURITY.md)": "[a](/project/security.md)",
        "[the page](../clients/web)": "the page (`clients/web`)",
        "[`docs/schema`](schema)": "`docs/schema`",
        "[a](nowhere.md)": "[a](nowhere.md)",
        "![a](images/demo.png)": "![a](images/demo.png)",
    }
    assert with_links(" ".join(links), DOCS) == " ".join(links.values())
    text = "[a](docs/mechanisms) [b](docs/evidence/recipe.md#x)"
    assert with_links(text, ROOT) == "[a](/mechanisms/index.md) [b](/evidence/recipe.md#x)"

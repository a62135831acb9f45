"""The reference of the site, from what the code itself says: an extension of Sphinx, see ``docs/conf.py``.

A page of ``docs/reference`` holds a line ``<!-- reference NAME -->`` where its part belongs, and the build puts it
there. Nothing of it is kept in the repository, so none of it can be out of date.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import jupytext
import typer
from fastapi import FastAPI
from fill import DOCS, markdown
from typer.cli import get_docs_for_click
from typer.core import TyperGroup

import graphldp as gl
from graphldp.cli import app as commands_app
from graphldp.collector.http.app import create_app
from graphldp.collector.settings import TABLE, load_settings
from graphldp.collector.storage.store import Store

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = DOCS.parent
# a page of the API → the rooms whose public names it shows
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "data": ("graphs", "datasets", "reports"),
    "mechanisms": ("mechanisms", "privacy"),
    "learning": ("learn", "counts"),
    "experiments": ("experiments", "pages", "threats", "errors"),
}
PUBLIC = [getattr(gl, name) for name in gl.__all__]
# pages that stand outside docs, and where the site has them
PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}


def public_names(section: str) -> list[str]:
    """The public names of a page of the API, as ``gl.__all__`` orders them."""
    return [name for name in gl.__all__ if _room(getattr(gl, name)) in SECTIONS[section]]


def _room(value: Any) -> str:
    home = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return str(home).split(".")[1]


def names(section: str) -> str:
    """One heading for each public name, and what its docstring says."""
    parts = [f"## {name}\n\n```{{eval-rst}}\n{_directive(name)}\n```" for name in public_names(section)]
    return "\n\n".join(parts)


def _directive(name: str) -> str:
    """What has Sphinx show a name; of a module, what it is for and each of its own names."""
    value = getattr(gl, name)
    if isinstance(value, ModuleType):
        members = [_member(f"{name}.{each}", getattr(value, each)) for each in module_names(value)]
        return "\n\n".join([f".. py:module:: graphldp.{name}", inspect.getdoc(value) or "", *members])
    return _member(name, value)


def _member(name: str, value: object) -> str:
    if not isinstance(value, type):
        return f".. autofunction:: graphldp.{name}"
    options = [":members:", ":show-inheritance:"]
    if any(base in PUBLIC for base in value.__mro__[1:]):  # what it inherits is shown there
        options.append(":no-inherited-members:")
    return "\n   ".join([f".. autoclass:: graphldp.{name}", *options])


def module_names(module: ModuleType) -> list[str]:
    """The public names of a module: those it lists, or those it defines."""
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", [name for name in defined if not name.startswith("_")]))


def command_tree() -> TyperGroup:
    """The command line with every command imported."""
    return _loaded(typer.main.get_group(commands_app))


def _loaded(group: TyperGroup) -> TyperGroup:
    for name in group.list_commands(typer.Context(group)):
        command = group.loaded(name) if hasattr(group, "loaded") else group.commands[name]
        command.name = name
        group.commands[name] = _loaded(command) if isinstance(command, TyperGroup) else command
    return group


def commands() -> str:
    """Every command with its arguments and options."""
    command = command_tree()
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="graphldp")
    text = re.sub(r"(?m)^\* `--(install|show)-completion`.*\n", "", text)
    # the examples at a command's foot: one block instead of a paragraph each
    text = re.sub(
        r"(?m)^Examples:\n+((?:graphldp .*\n+)+)",
        lambda found: "**Examples**:\n\n```\n" + re.sub(r"\n+", "\n", found[1]).strip() + "\n```\n\n",
        text,
    )
    return text.partition("\n")[2]  # the page has a title of its own


def http() -> str:
    """Every route of the collector, as ``/openapi.json`` describes it."""
    paths = _openapi()["paths"]
    return "\n\n".join(
        _route(method, path, route) for path, routes in paths.items() for method, route in routes.items()
    )


def _openapi() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(f"sqlite:///{folder}/collector.db")
        try:
            app: Any = create_app(load_settings(environment={}), store)
            while not isinstance(app, FastAPI):  # what stands around the application
                app = app.app
            return app.openapi()
        finally:
            store.close()


def _route(method: str, path: str, route: Mapping[str, Any]) -> str:
    parts = [f"## `{method.upper()} {path}`", route["description"]]
    if "security" in route:
        parts.append("Needs a slot's token: `Authorization: Bearer TOKEN`.")
    if body := route.get("requestBody"):
        parts.append(f"The body is `{', '.join(body['content'])}`.")
    if parameters := route.get("parameters"):
        rows = [[f"`{each['name']}`", each["in"], each["description"]] for each in parameters]
        parts.append(markdown(["parameter", "in", ""], rows))
    answers = [
        [code, answer["description"], ", ".join(f"`{each}`" for each in answer.get("content", ()))]
        for code, answer in sorted(route["responses"].items())
    ]
    parts.append(markdown(["answer", "", "body"], answers))
    return "\n\n".join(parts)


def settings() -> str:
    """Every setting of the collector."""
    rows = [[f"`{each.name}`", f"`{each.variable}`", f"{each.default}", each.help] for each in TABLE]
    return markdown(["setting", "environment variable", "default", ""], rows)


# a benchmark's columns: the name in its file → the head in the table
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "randomize": {
        "what": "graphs",
        "users": "users",
        "entries_out": "entries reported",
        "seconds": "seconds",
        "million_entries_per_s": "million entries a second",
        "dense_ratio": "against dense",
    },
    "training": {
        "graphs": "graphs",
        "method": "program",
        "threads": "threads",
        "seconds_per_epoch": "seconds an epoch",
        "processor_seconds": "processor seconds",
        "peak_mb": "peak MB",
        "ratio": "times our seconds",
        "processor_ratio": "times our processor seconds",
    },
    "gpu": {
        "graphs": "graphs",
        "seconds_per_epoch": "seconds an epoch",
        "torch_geometric": "torch_geometric's",
        "ratio": "times as fast",
    },
    "recipe": {
        "graphs": "graphs",
        "fit_seconds": "seconds to fit",
        "score_seconds": "to score",
        "accuracy": "accuracy",
        "peak_mb": "peak MB",
    },
    "roofline": {
        "kernel": "kernel",
        "milliseconds": "milliseconds",
        "gigabytes_per_s": "gigabytes a second",
        "against_a_copy": "against a copy",
    },
    "stacked": {
        "what": "trainings",
        "seconds_per_epoch": "seconds an epoch",
        "trainings_per_minute": "trainings a minute",
        "against_one_by_one": "times one by one",
    },
}


def speed(benchmark: str) -> str:
    """The results of a benchmark that are kept in the repository, and its machine."""
    kept = json.loads((ROOT / "benchmarks" / "results" / f"{benchmark}.json").read_text(encoding="utf-8"))
    columns = COLUMNS[benchmark]
    rows = [[_shown(row.get(name)) for name in columns] for row in kept["rows"] if {*row} >= {*list(columns)[:3]}]
    machine = ", ".join(f"{key} {value}" for key, value in kept["machine"].items() if key != "backend")
    return f"{markdown(list(columns.values()), rows)}\n\nMachine: {machine}."


def large() -> str:
    """What was measured of a large collection, step by step; a step that is not there was not run."""
    kept = json.loads((ROOT / "benchmarks" / "results" / "large.json").read_text(encoding="utf-8"))
    rows: list[list[str | None]] = []
    for kind in ("sqlite", "postgresql"):
        for step, numbers in kept[kind].items():
            said = [f"{name}: {_shown(value)}" for name, value in numbers.items() if not isinstance(value, dict)]
            rows.append([kind, step, "; ".join(said)])
    machine = ", ".join(f"{key} {value}" for key, value in kept["machine"].items())
    table = markdown(["database", "step", "numbers"], rows)
    return f"{kept['reports']:,} reports of {kept['communities']:,} communities.\n\n{table}\n\nMachine: {machine}."


def _shown(value: object) -> str | None:
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int | float) else str(value)


MAKERS: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "http": http,
    "large": large,
    "settings": settings,
    **{f"names {section}": partial(names, section) for section in SECTIONS},
    **{f"speed {benchmark}": partial(speed, benchmark) for benchmark in COLUMNS},
}


def filled(text: str) -> str:
    """A page with its parts in place."""
    return re.sub(r"<!-- reference ([a-z ]+) -->", lambda found: MAKERS[found[1]](), text)


def with_links(text: str, folder: Path) -> str:
    """A page of this folder, whose links lead somewhere on the site: other files of the repository are named only."""

    def link(found: re.Match[str]) -> str:
        label, path, anchor = found.groups()
        target = (folder / path).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            return found[0]  # Sphinx says what is wrong with it
        if target.is_dir() and (target / "index.md").exists():
            target /= "index.md"
        place = target.relative_to(ROOT).as_posix()
        if place in PAGES:
            return f"[{label}](/{PAGES[place]}{anchor})"
        if target.is_dir() or not target.is_relative_to(DOCS):
            return label if place in label else f"{label} (`{place}`)"
        return found[0] if folder.is_relative_to(DOCS) else f"[{label}](/{target.relative_to(DOCS).as_posix()}{anchor})"

    return re.sub(r"(?<!!)\[([^\]\n]+)\]\((?!https?:|#|/)([^)#\s]+)((?:#[^)\s]*)?)\)", link, text)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    page = app.env.doc2path(docname)
    outside = {place: name for name, place in PAGES.items()}.get(f"{docname}.md")
    if outside:  # the page is a stub: what it shows stands at the root of the repository
        source[0] = with_links((ROOT / outside).read_text(encoding="utf-8"), ROOT)
        app.env.note_dependency(str(ROOT / outside), docname=docname)
    elif page.suffix == ".md":
        source[0] = with_links(filled(source[0]), page.parent)


def _skip(app: Sphinx, kind: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Leave out what is inherited from other libraries, which document it themselves."""
    home = getattr(value, "__module__", None)
    return True if home and not home.startswith("graphldp") else None


def _write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """The tutorials once more, as notebooks to download."""
    for script in sorted((DOCS / "tutorials").glob("*.py")) if error is None else ():
        notebook = Path(os.fspath(app.outdir)) / "tutorials" / f"{script.stem}.ipynb"
        jupytext.write(jupytext.read(script, fmt="py:percent"), notebook)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", _write_notebooks)
    app.connect("source-read", _read)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

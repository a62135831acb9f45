"""The reference of the site, from what the code itself says: an extension of Sphinx, see ``docs/conf.py``.

A page of ``docs/reference`` holds a line ``<!-- reference NAME -->`` where its part belongs, and the build puts it
there. Nothing of it is kept in the repository, so none of it can be out of date.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import jupytext
from tools.fill import DOCS
from tools.reference.collector import http, problems, routes, settings
from tools.reference.commands import commands
from tools.reference.known import datasets, experiments
from tools.reference.names import SECTIONS, names
from tools.reference.speed import COLUMNS, capacity, cost, large, speed

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = DOCS.parent
# pages that stand outside docs, and where the site has them
PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
MAKERS: Mapping[str, Callable[[], str]] = {
    "capacity": capacity,
    "commands": commands,
    "cost": cost,
    "datasets": datasets,
    "experiments": experiments,
    "http": http,
    "large": large,
    "problems": problems,
    "routes": routes,
    "settings": settings,
    **{f"names {section}": partial(names, section) for section in SECTIONS},
    **{f"speed {benchmark}": partial(speed, benchmark) for benchmark in COLUMNS},
}


def filled(text: str) -> str:
    """A page with its parts in place."""
    return re.sub(r"<!-- reference (.+?) -->", lambda found: MAKERS[found[1]](), text)


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
    """The tutorials and the gallery once more, as notebooks to download."""
    for script in sorted(DOCS.glob("*/*.py")) if error is None else ():
        notebook = Path(os.fspath(app.outdir)) / script.relative_to(DOCS).with_suffix(".ipynb")
        jupytext.write(jupytext.read(script, fmt="py:percent"), notebook)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", _write_notebooks)
    app.connect("source-read", _read)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

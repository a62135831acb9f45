"""A program: run commands and look up public names as in an install without extras, and write what came of it.

It reads ``{"commands": [[…], …], "names": […]}`` from standard input. Packages of the extras are hidden from every
finder of modules, so that importing one fails as it does where it was never installed; but those of the extras that
are named as arguments.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import traceback
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

from graphldp.errors import EXTRAS, MissingExtraError

KEPT = {package for extra in sys.argv[1:] for package in EXTRAS[extra]} | {"pydantic"}  # typer brings the last
HIDDEN = {package for packages in EXTRAS.values() for package in packages} - KEPT


class Hiding:
    """A finder of modules that does not see the packages of the extras."""

    def __init__(self, finder: MetaPathFinder) -> None:
        self.finder = finder

    def find_spec(self, name: str, *more: Any) -> ModuleSpec | None:
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, *more)


def run(arguments: list[str]) -> dict[str, Any]:
    """A command's exit code and standard error; a traceback is its standard error too, as for a user."""
    from graphldp import cli

    out, err, code = io.StringIO(), io.StringIO(), 1
    sys.argv = ["graphldp", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:
            traceback.print_exc()
    return {"code": code, "err": err.getvalue()}


def look_up(name: str) -> str:
    """What a public name says: nothing, which extra is missing, or a traceback. ``A.b`` is a method, called."""
    first, _, method = name.partition(".")
    try:
        value: Any = getattr(importlib.import_module("graphldp"), first)
        if method:
            getattr(value, method)([])
    except MissingExtraError as error:
        return str(error)
    except BaseException:
        return traceback.format_exc()
    return ""


def main() -> None:
    sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]  # type: ignore[arg-type]
    assert not HIDDEN & set(sys.modules)
    asked = json.load(sys.stdin)
    said = [run(each) for each in asked["commands"]]
    print(json.dumps({"commands": said, "names": [look_up(each) for each in asked["names"]]}))


if __name__ == "__main__":
    main()

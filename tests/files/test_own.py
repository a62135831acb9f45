"""Classes of one's own by name: what is loaded, and what is refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphldp.errors import ParameterError
from graphldp.files.own import load_class, loaded_class, reference_of

CLASS = """
from __future__ import annotations
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).name

@dataclass(frozen=True)
class Mine(dict):
    size: int = field(default=3, kw_only=True)
"""


def test_a_file_is_run_once_for_each_version(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(CLASS)
    found = load_class(f"{path}:Mine", dict, "thing")
    assert (found(size=4).size, sys.modules[found.__module__].HERE) == (4, "own.py")
    assert load_class(f"{path}:Mine", dict, "thing") is found
    path.write_text(CLASS.replace("3", "5"))
    assert load_class(f"{path}:Mine", dict, "thing")().size == 5
    assert not list(tmp_path.glob("__pycache__"))


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (None, "Mine", "'thing' parameter of graphldp must be a class in a file that exists"),
        ("Mine = 3", "Mine", "must be a whole kind of dict in .*own.py. Got 'Mine'"),
        ("class Mine: pass", "Mine", "must be a whole kind of dict"),
        ("", "", "must be a whole kind of dict"),
        ("class Mine(:", "Mine", "own.py cannot be loaded: SyntaxError"),
        ("1 / 0", "Mine", "own.py cannot be loaded: ZeroDivisionError: division by zero"),
        ("import graphldp_nowhere", "Mine", "own.py cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_files_that_do_not_hold_the_class(tmp_path: Path, content: str | None, name: str, message: str) -> None:
    path = tmp_path / "own.py"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ParameterError, match=message):
        load_class(f"{path}:{name}", dict, "thing")
    with pytest.raises(ParameterError, match=message):  # nothing half loaded is left
        load_class(f"{path}:{name}", dict, "thing")


@pytest.mark.parametrize("source", ["graphldp_nowhere", "graphldp.nowhere", "no module"])
def test_modules_that_are_not_there(source: str) -> None:
    with pytest.raises(ParameterError, match="must be a class in a module that can be imported"):
        load_class(f"{source}:Mine", dict, "thing")


@pytest.mark.parametrize("reference", [":Mine", "..x:Mine", ".:Mine"])
def test_odd_references(reference: str) -> None:
    with pytest.raises(ParameterError):
        load_class(reference, dict, "thing")


def test_a_class_that_is_not_whole_is_refused() -> None:
    from collections.abc import Mapping

    with pytest.raises(ParameterError, match="a whole kind of Mapping"):
        load_class("collections.abc:Mapping", Mapping, "thing")


@pytest.mark.attack("learning")
def test_a_class_that_was_not_loaded_is_not_loaded_by_its_name(tmp_path: Path) -> None:
    """A results file whose cell or series names somebody's Python file."""
    path, trace = tmp_path / "own.py", tmp_path / "trace"
    path.write_text(f"from pathlib import Path\nPath({str(trace)!r}).touch()\nclass Mine(dict): pass\n")
    for reference in (f"{path}:Mine", "own@000000000000:Mine", "tkinter.nothing:Mine"):
        with pytest.raises(ParameterError, match="one that is loaded"):
            loaded_class(reference, dict, "thing")
    assert not trace.exists()
    found = load_class(f"{path}:Mine", dict, "thing")
    assert loaded_class(reference_of(found), dict, "thing") is found

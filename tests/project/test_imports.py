"""Imports point down only: design rules, read from the source of every module."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import graphldp as gl

ROOT = Path(gl.__file__).parent
LAYERS = (
    ("errors", "text"),
    ("allowance", "files", "intervals", "labels", "machines", "own", "partitions", "pointers", "privacy"),
    ("attributes", "bit_lists"),
    ("neighbour_lists",),
    ("interchange",),
    ("graphs", "reports"),
    ("datasets", "wire"),
    ("mechanisms",),
    ("client", "collector", "learn", "threats"),
    ("audit", "benchmarks"),
    ("experiments",),
    ("pages",),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FORBIDDEN = {"collector": {"graphs", "mechanisms", "datasets"}}  # it holds reports, and can draw none
APART = {"collector": {"client", "datasets", "graphs", "learn", "mechanisms"}, "client": {"collector", "learn"}}
TORCH = {"torch", "torch_geometric"}


class Import(NamedTuple):
    where: str
    room: str
    target: str
    typing_only: bool

    def __str__(self) -> str:
        return f"{self.where} imports {self.target}"


def module_level(body: list[ast.stmt], *, typing_only: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run when a module is imported, those under if and try too."""
    for node in body:
        yield node, typing_only
        guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for name in ("body", "orelse", "finalbody"):
                yield from module_level(getattr(node, name, []), typing_only=typing_only or guarded)
            for handler in getattr(node, "handlers", []):
                yield from module_level(handler.body, typing_only=typing_only)


def names(node: ast.stmt, module: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{module}: imports are absolute"
        if node.module == "graphldp":
            yield from (f"graphldp.{alias.name}" for alias in node.names)
        elif node.module:
            yield node.module


@cache
def imports() -> list[Import]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT)
        if where.name == "__init__.py" and len(where.parts) == 1:
            continue  # the root is the public face: it names everything, and loads it lazily
        for node, typing_only in module_level(ast.parse(path.read_text(encoding="utf-8")).body):
            for name in names(node, str(where)):
                found.append(Import(str(where), where.parts[0].removesuffix(".py"), name, typing_only))
    return found


def room_of(target: str) -> str | None:
    """The room that an import reaches; None for other packages, and for the version number."""
    parts = target.split(".")
    if parts[0] != "graphldp" or target in ("graphldp", "graphldp.__version__"):
        return None
    return gl._HOMES.get(parts[1], target).split(".")[1]


def test_every_room_is_in_the_plan() -> None:
    assert {each.room for each in imports()} <= set(LEVEL)


def test_imports_point_down_only() -> None:
    wrong = []
    for each in imports():
        room = room_of(each.target)
        if room is not None and room != each.room and LEVEL[room] >= LEVEL[each.room]:
            wrong.append(str(each))
    assert not wrong


def test_the_root_is_used_for_its_version_only() -> None:
    """``import graphldp`` inside the package could reach any room unseen."""
    wrong = []
    for path in sorted({ROOT / each.where for each in imports() if each.target == "graphldp"}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "graphldp" and node.attr != "__version__":
                wrong.append(f"{path.relative_to(ROOT)} uses graphldp.{node.attr}")
    assert not wrong


def test_a_room_stays_out_of_what_it_must_not_know() -> None:
    assert not [str(each) for each in imports() if room_of(each.target) in FORBIDDEN.get(each.room, ())]


@pytest.mark.parametrize(("room", "others"), APART.items())
def test_rooms_stay_apart_inside_functions_too(room: str, others: set[str]) -> None:
    """An import that waits until it is needed still lets one room know another."""
    wrong = []
    for path in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                reached = {room_of(name) for name in names(node, str(path))} & others
                wrong += [f"{path.relative_to(ROOT)} imports {each}" for each in reached]
    assert not wrong


SUBROOMS = {
    "mechanisms/degrees": {"mechanisms/drawing"},  # what a mechanism is builds on it
    "learn/engine": set[str](),  # tables, inference and the face build on it
    "client/sampling": set[str](),  # what draws can neither keep nor send
    "client/keeping": set[str](),
    "client/sending": {"client/keeping"},
}
"""The sub-rooms of a room that know none of its others, or these alone."""


@pytest.mark.parametrize(("subroom", "known"), SUBROOMS.items())
def test_a_sub_room_knows_nothing_of_what_builds_on_it(subroom: str, known: set[str]) -> None:
    inside = [each for each in imports() if each.where.startswith(f"{subroom}/") and not each.typing_only]
    assert inside
    own = [f"graphldp.{each.replace('/', '.')}" for each in (subroom, *known)]
    room = f"graphldp.{subroom.split('/')[0]}"
    reached = [each for each in inside if each.target.startswith(room) and not each.target.startswith(tuple(own))]
    assert not [str(each) for each in reached]


def test_only_learn_imports_torch() -> None:
    runtime = [each for each in imports() if not each.typing_only]
    assert not [str(each) for each in runtime if each.target.split(".")[0] in TORCH and each.room != "learn"]


def loaded_by(program: str) -> set[str]:
    """The packages that are loaded after running this in a fresh process."""
    program += "; import sys; print(*{name.split('.')[0] for name in sys.modules})"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_graphldp_loads_neither_torch_nor_numba() -> None:
    assert not loaded_by("import graphldp") & {"torch", "torch_geometric", "numba", "numpy"}


def test_the_client_loads_neither_torch_nor_numba() -> None:
    modules = sorted({each.where for each in imports() if each.room == "client"})
    assert modules
    program = "; ".join(f"import graphldp.{m.removesuffix('.py').replace('/', '.')}" for m in modules)
    assert not loaded_by(program.replace(".__init__", "")) & {"torch", "numba"}


def test_a_collector_starts_without_what_only_training_needs() -> None:
    assert not loaded_by("import graphldp.collector.http.server") & {"torch", "numba", "scipy", "sklearn"}


def test_the_public_names() -> None:
    assert sorted(gl.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)) == gl.__all__
    assert set(gl.__all__) == set(gl._HOMES)
    assert dir(gl) == sorted(gl.__all__)
    for name in gl.__all__:
        assert getattr(gl, name).__name__.rsplit(".")[-1] == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gl.nothing  # noqa: B018

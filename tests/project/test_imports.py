"""What imports load, and who may import what; which way imports point is import-linter's to say."""

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


def test_the_root_is_used_for_its_version_only() -> None:
    """``import graphldp`` inside the package could reach any room unseen."""
    wrong = []
    for path in sorted({ROOT / each.where for each in imports() if each.target == "graphldp"}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "graphldp" and node.attr != "__version__":
                wrong.append(f"{path.relative_to(ROOT)} uses graphldp.{node.attr}")
    assert not wrong


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


def test_the_client_and_its_commands_load_no_numpy() -> None:
    """So that members install little; and neither torch nor numba, which bring it."""
    modules = sorted({each.where for each in imports() if each.room == "client" or each.where.startswith("cli/client")})
    assert modules
    program = "; ".join(f"import graphldp.{m.removesuffix('.py').replace('/', '.')}" for m in modules)
    assert not loaded_by(program.replace(".__init__", "")) & {"torch", "numba", "numpy", "scipy"}


def test_a_collector_starts_without_what_only_training_needs() -> None:
    assert not loaded_by("import graphldp.collector.server") & {"torch", "numba", "scipy", "sklearn"}


def test_the_public_names() -> None:
    assert sorted(gl.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)) == gl.__all__
    assert set(gl.__all__) == set(vars(gl)["_HOMES"])
    assert dir(gl) == sorted(gl.__all__)
    for name in gl.__all__:
        assert getattr(gl, name).__name__.rsplit(".")[-1] == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(gl, "nothing")  # noqa: B009

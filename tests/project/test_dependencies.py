"""What the package imports is declared, and what is deployed is pinned by version and hash."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "graphldp"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# which extras a room may import from, beside what is always there
ROOMS = {
    "audit": ("draw", "client"),
    "cli": ("learn",),
    "client": ("client",),
    "collector": ("serve", "postgres", "oidc", "otel", "ray"),
    "datasets": ("draw",),
    "estimates": ("draw", "plots"),
    "experiments": ("learn", "ray"),
    "files": ("draw",),
    "graphs": ("draw", "learn"),
    "intervals": ("serve",),
    "learn": ("learn",),
    "machines": ("learn", "ray"),
    "mechanisms": ("draw", "ray"),
    "neighbour_lists": ("draw",),
    "pages": ("draw", "plots"),
    "privacy": ("draw",),
    "reports": ("draw", "learn"),
    "threats": ("draw",),
    "wire": ("serve",),
}
WITH_TORCH = {"triton"}  # comes with torch where there is a GPU, and is imported there only
LOCKS = {"client": ("client",), "collector": ("serve", "postgres"), "training": ("serve", "postgres", "learn")}


def declared(extras: Iterable[str]) -> list[Requirement]:
    texts = PROJECT["dependencies"] + [text for extra in extras for text in EXTRAS[extra]]
    found = [Requirement(text) for text in texts]
    own = {extra for each in found if each.name == "graphldp" for extra in each.extras}
    return [each for each in found if each.name != "graphldp"] + [
        Requirement(text) for extra in own for text in EXTRAS[extra]
    ]


def names(requirements: Iterable[Requirement]) -> set[str]:
    return {canonicalize_name(each.name) for each in requirements}


def imported(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every package that a file imports, at its top or inside a function."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [node.module]
            for package in {module.split(".")[0] for module in modules} - sys.stdlib_module_names - {"graphldp"}:
                yield path, package


def test_each_room_imports_only_what_its_extras_declare() -> None:
    owners = packages_distributions()
    wrong = set()
    for path, package in imported(SOURCE):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        allowed = names(declared(ROOMS.get(room, ())))
        found = {canonicalize_name(each) for each in owners.get(package, [package])}
        if package not in WITH_TORCH and not found & allowed:
            wrong.add(f"{path.relative_to(SOURCE)} imports {package}")
    assert not wrong


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "examples", "tools"])
def test_what_stands_around_the_package_imports_what_is_declared(folder: str) -> None:
    owners, allowed = packages_distributions(), names(declared(EXTRAS))
    local = {path.stem for path in (*ROOT.iterdir(), *(ROOT / folder).rglob("*"))}
    wrong = {
        f"{path.relative_to(ROOT)} imports {package}"
        for path, package in imported(ROOT / folder)
        if package not in local and not {canonicalize_name(each) for each in owners.get(package, [package])} & allowed
    }
    assert not wrong


def test_what_is_subclassed_beyond_its_promises_is_bounded() -> None:
    """The collector subclasses uvicorn's protocol, which may change in any release: no newer one than was tested."""
    (uvicorn,) = [each for each in declared(["serve"]) if each.name == "uvicorn"]
    (below,) = [Version(each.version).release for each in uvicorn.specifier if each.operator == "<"]
    tested = Version(distribution("uvicorn").version).release
    assert below[:2] == (tested[0], tested[1] + 1)


def read_lock(path: Path) -> dict[str, tuple[str, Requirement, list[str]]]:
    """Name → (version, requirement, hashes) of a file that pip and pip-audit read."""
    found: dict[str, tuple[str, Requirement, list[str]]] = {}
    for block in re.split(r"\n(?=[a-z0-9])", re.sub(r"(?m)^\s*#.*\n?", "", path.read_text(encoding="utf-8"))):
        head, *hashes = (line.strip() for line in block.strip().split("\\\n"))
        requirement = Requirement(head)
        ((operator, version),) = [(each.operator, each.version) for each in requirement.specifier]
        assert (operator, requirement.url) == ("==", None)
        assert hashes
        assert all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", each) for each in hashes)
        found[canonicalize_name(requirement.name)] = version, requirement, hashes
    return found


def needed(requirements: Iterable[Requirement]) -> set[str]:
    """These and all that they depend on here, as what is installed says."""
    todo = [(canonicalize_name(each.name), frozenset(each.extras)) for each in requirements if applies(each, ())]
    seen = set(todo)
    while todo:
        name, extras = todo.pop()
        try:
            texts = distribution(name).requires or []
        except PackageNotFoundError:  # a part that was not installed: there is nothing to ask
            continue
        for each in map(Requirement, texts):
            step = canonicalize_name(each.name), frozenset(each.extras)
            if applies(each, extras) and step not in seen:
                seen.add(step)
                todo.append(step)
    return {name for name, _ in seen}


def applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, ""))


@pytest.mark.attack("collector")
@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_everything_that_its_extras_need(name: str) -> None:
    """A swapped or undeclared dependency."""
    lock = read_lock(ROOT / "requirements" / f"{name}.txt")
    wanted = declared(LOCKS[name])
    assert needed(wanted) <= set(lock)
    for requirement in wanted:
        version, _, _ = lock[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_place_to_fetch_from(name: str) -> None:
    """Where packages come from is the operator's choice; the hashes hold it to the same bytes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"(?m)^\s*(-i|-f|--(?!hash=))", text)


def test_what_is_tested_is_what_is_locked() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    tested: dict[str, Requirement] = {canonicalize_name(each.name): each for each in pins}
    assert names(declared(EXTRAS)) == set(tested), "one line for each declared dependency"
    for name in LOCKS:
        lock = read_lock(ROOT / "requirements" / f"{name}.txt")
        for package in set(lock) & set(tested):
            assert tested[package].specifier.contains(lock[package][0]), f"{name}: {package}"

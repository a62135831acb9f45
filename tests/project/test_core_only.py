"""An install without extras: a command or a public name that needs one says which, and never ends in a traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import graphldp as gl
from graphldp.cli import app
from graphldp.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
INVITATION = json.dumps({"server": "http://127.0.0.1:9", "community": "cats", "token": "x" * 43})
GIVEN = {"source": "graphs.npz", "roster": "roster.txt", "invitation": INVITATION, "accept": "1", "epsilon": "1"}
GIVEN["out"] = "out"  # a folder where one is asked for, and a folder for the file elsewhere
SHORT = {
    ("audit",): ["client", "--draws", "100"],
}
NEEDS = {
    ("attack",): "draw",
    ("audit",): "client",
    ("bench",): "learn",
    ("client", "join"): "client",
    ("collect",): "serve",
    ("collect", "run-job"): "learn",
    ("collect", "label"): "learn",
    ("collect", "label-users"): "learn",
    ("collect", "synthesize"): "draw",
    ("collect", "train"): "learn",
    ("demo",): "learn",
    ("defend",): "draw",
    ("mechanism",): "draw",
    ("predict",): "learn",
    ("randomize",): "draw",
    ("reproduce",): "learn",
    ("serve",): "serve",
    ("train",): "learn",
}
"""Commands and groups of commands that cannot do without an extra; others may name none."""
NAMES = {
    "graphldp.DPRR": "draw",
    "graphldp.GraphSet": "draw",
    "graphldp.GINClassifier": "learn",
    "graphldp.pyg": "learn",
}
ASKED = sorted(f"graphldp.{name}" for name in gl.__all__)
BESIDE_DRAW = ["compare", "recommended", "GraphSet.from_pyg", "GraphSet.to_pyg", "Reports.to_pyg"]
"""What needs the extra learn where draw is there."""
Tree = dict[tuple[str, ...], list[str]]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every command with something for each argument that it must have."""
    for name, command in group.commands.items():
        if not path:
            command = group.loaded(name)
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
            continue
        given: list[str] = []
        for each in (each for each in command.params if each.required):
            by_type = {int: "1", float: "1"}.get(each.type_descriptor.annotation, "x.npz")
            given += [*([each.opts[0]] if each.opts[0].startswith("-") else []), GIVEN.get(each.name, by_type)]
        yield (*path, name), [*path, name, *given, *SHORT.get((*path, name), [])]


TREE: Tree = dict(commands(typer.main.get_command(app)))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What commands and names say, each in its turn, in one process: starting thirty takes a minute."""
    folder = tmp_path_factory.mktemp("core")
    (folder / "roster.txt").write_text("ann\nbob\ncid\n")
    gl.synthetic.threads(num_graphs=4, seed=0).save(folder / "graphs.npz")
    home = {"HOME": str(folder), "GRAPHLDP_CACHE": str(folder), "GRAPHLDP_TU_URL": "http://127.0.0.1:9"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GRAPHLDP_", "XDG_"))}
    names = [each.removeprefix("graphldp.") for each in ASKED]

    def ask(what: dict[str, list[Any]], *extras: str) -> dict[str, list[Any]]:
        program = [sys.executable, str(Path(__file__).with_name("without_extras.py")), *extras]
        ran = subprocess.run(
            program, input=json.dumps(what), capture_output=True, text=True, check=False, cwd=folder, env=kept | home
        )
        assert ran.returncode == 0, ran.stderr
        found: dict[str, list[Any]] = json.loads(ran.stdout)
        return found

    beside = ask({"commands": [], "names": BESIDE_DRAW}, "draw")["names"]
    return ask({"commands": list(TREE.values()), "names": names}) | {"beside": beside}


@pytest.mark.parametrize("path", TREE, ids=" ".join)
def test_a_command_says_which_extra_it_needs(path: tuple[str, ...], answers: dict[str, list[Any]]) -> None:
    answer = answers["commands"][list(TREE).index(path)]
    needed = next((NEEDS[path[:length]] for length in (len(path), 1) if path[:length] in NEEDS), None)
    assert answer["code"] in ((2,) if needed else (0, 2)), answer["err"]
    assert answer["err"].count("\n") == (answer["code"] == 2), answer["err"]
    assert needed is None or f"pip install 'graphldp[{needed}]'" in answer["err"]


@pytest.mark.parametrize("name", ASKED)
def test_a_public_name_says_which_extra_it_needs(name: str, answers: dict[str, list[Any]]) -> None:
    answer = answers["names"][ASKED.index(name)]
    if name in NAMES:
        assert answer == f"{name} needs an optional part: pip install 'graphldp[{NAMES[name]}]'."
    else:
        assert "Traceback" not in answer


@pytest.mark.parametrize("name", BESIDE_DRAW)
def test_what_draws_and_does_not_learn(name: str, answers: dict[str, list[Any]]) -> None:
    said = name if "." in name else f"graphldp.{name}"
    expected = f"{said} needs an optional part: pip install 'graphldp[learn]'."
    assert answers["beside"][BESIDE_DRAW.index(name)] == expected


def test_the_extras_are_those_of_the_package() -> None:
    """Every package that an extra asks for is known under the name by which it is imported."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    traces = ("opentelemetry-api", "opentelemetry-exporter-otlp-proto-http", "opentelemetry-sdk")
    renamed = {"scikit-learn": "sklearn", **dict.fromkeys(traces, "opentelemetry")}
    assert set(EXTRAS) == set(extras) - {"dev", "docs"}
    page = (ROOT / "docs" / "tutorials" / "install.md").read_text("utf-8")
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`(\w+)`", rows)) == set(extras) - {"dev"}
    for extra, packages in EXTRAS.items():
        extras[extra] = [each for each in extras[extra] if not each.startswith("graphldp[")]
        words = {each.split(">")[0].split("[")[0] for each in extras[extra]}
        assert {renamed.get(word, word).replace("-", "_") for word in words} <= set(packages)

"""What is loaded before a command runs: counted, not timed."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise

import pytest
import typer
from tests.cli.conftest import Command

from graphldp.cli import COMMANDS, app

ROOT = {"graphldp", "graphldp.cli", "graphldp.cli.shared", "graphldp.cli.shared.lazy", "graphldp.errors"}
ROOT |= {"graphldp.files", "graphldp.files.text", "graphldp.cli.shared.renamed"}
LISTING = {"graphldp.cli.dataset", "graphldp.cli.shared.console", "graphldp.cli.shared.options"}
LISTING |= {"graphldp.datasets", "graphldp.datasets.registry"}
LARGE = {"httpx", "matplotlib", "networkx", "numba", "numpy", "pydantic", "scipy", "sklearn", "sqlalchemy", "torch"}


def loaded(*arguments: str) -> set[str]:
    """Every module that a process has imported when a command ends.

    ``-X importtime`` would leave out what ``import_module`` loads, which is how commands are loaded here.
    """
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        f"from graphldp.cli import main; sys.argv[1:] = {list(arguments)!r}; main()"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return set(ran.stderr.decode().split())


@pytest.mark.parametrize(
    ("arguments", "ours"),
    [(("--help",), ROOT), (("--version",), ROOT), (("dataset",), ROOT | LISTING)],
    ids=["help", "version", "dataset"],
)
def test_what_is_asked_first_loads_little(arguments: tuple[str, ...], ours: set[str]) -> None:
    modules = loaded(*arguments)
    assert {each for each in modules if each.partition(".")[0] == "graphldp"} == ours
    assert not modules & LARGE
    assert len(modules) < 280  # a hundred more with pydantic, which checks values of options; 1,000 with numpy


def test_an_option_that_is_given_is_checked(command: Command) -> None:
    code, out, err = command("randomize", "synthetic:threads", "--seed", "few")
    assert (code, out) == (2, "")
    assert "'--seed'" in err
    assert command("dataset", "--root", "nowhere")[0] == 0


def test_the_first_help_loads_nothing_that_draws() -> None:
    assert not {each for each in loaded("--help") if each.startswith(("rich", "markdown_it", "pygments"))}


def test_the_first_help_shows_every_line_whole() -> None:
    group = typer.main.get_command(app)
    shown = " ".join(group.get_help(group.make_context("graphldp", [], resilient_parsing=True)).split())
    assert not [line for _, line in COMMANDS.values() if line not in shown]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_how_its_own_help_begins(name: str) -> None:
    group = typer.main.get_command(app)
    first, _, _ = group.loaded(name).help.partition("\n\n")  # type: ignore[attr-defined]
    assert " ".join(first.split()) == COMMANDS[name][1]


@pytest.mark.parametrize("arguments", [("randomize",), ("collect", "restore"), ("audit",)], ids=" ".join)
def test_help_fills_the_lines_of_a_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """A line ends where the next word has no room, whatever the lines of the source."""
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = command(*arguments, "--help")
    lines = [line.strip() for line in re.split("\n(?:Arguments|Options):", out)[0].splitlines()]
    assert code == 0
    for line, following in pairwise(lines):
        if line and following and not line.startswith("Usage"):
            assert len(line) + 1 + len(following.split()[0]) > 76

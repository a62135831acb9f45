"""How much there is to learn: commands, options and files are counted, and every help looks the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command
from tools.reference.commands import command_tree

from graphldp import cli
from graphldp.cli.shared.renamed import RENAMED

TREE = command_tree()


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, (*path, name))
        elif not each.hidden:
            yield (*path, name), each


ALL = dict(commands(TREE))


GROUPS = sorted({path[:count] for path in ALL for count in range(len(path))})


def options(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "option" and each.name != "help"]


def test_there_is_little_to_learn() -> None:
    folder = Path(cli.__file__).parent
    lengths = {path: len(path.read_text().splitlines()) for path in folder.rglob("*.py")}
    assert len(ALL) <= 50
    assert sum(len(options(each)) for each in ALL.values()) <= 280
    assert max(len(options(each)) for each in ALL.values()) <= 20
    assert len(lengths) <= 45
    assert max(lengths.values()) <= 300


def test_a_name_is_one_word_or_says_what_it_is_about() -> None:
    """Nouns are singular; no command is called as an option's value."""
    words = {word for path in ALL for word in path}
    allowed = {"class", "label-users", "statistics", "status"}
    assert not {word for word in words - allowed if word.endswith("s")}


@pytest.mark.parametrize("path", [*GROUPS, *ALL], ids=lambda path: " ".join(path) or "graphldp")
def test_every_help_fits_and_looks_alike(
    command: Command, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = command(*path, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("Usage: graphldp")
    assert not re.search(r"<(bool|path|str|int|float|list)|[╭│╰]", out)
    lines = out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert not [line for line in lines if line.endswith("-")]  # an option's name stays in one line
    assert "…" not in lines[0]
    assert len(lines) <= (70 if path != ("train",) else 50)


@pytest.mark.parametrize("path", GROUPS, ids=lambda path: " ".join(path) or "graphldp")
def test_a_group_alone_shows_its_help(command: Command, path: tuple[str, ...]) -> None:
    assert command(*path) == (2, "", command(*path, "--help")[1])


def test_an_old_letter_answers_with_its_value_beside_it(command: Command) -> None:
    assert (
        command("train", "IMDB-BINARY", "-f0.3")[2]
        == "graphldp: 'graphldp train -f' is 'graphldp train --liars' now.\n"
    )


def test_old_names_answer_with_the_new_one(command: Command) -> None:
    for old, new in RENAMED.items():
        code, out, err = command(*old.split(), "--help")
        assert (code, out, err) == (2, "", f"graphldp: 'graphldp {old}' is 'graphldp {new}' now.\n")
        words = re.split(r" -| '", new)[0].split()
        assert {tuple(words), tuple(words[:-1])} & set(ALL), new  # the last may be an argument


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("graphldp dataset REDDIT-M", "REDDIT-MULTI-5K"),
        ("graphldp randomize x -m noisy", "noisy-degrees"),
        ("graphldp reproduce acc", "accuracy-lambda"),
        ("graphldp reproduce --dataset REDDIT-B", "REDDIT-BINARY"),
        ("graphldp audit hub-l", "hub-lists"),
        ("graphldp collect community show ca", "cats"),
        ("graphldp collect label model.npz -c d", "dogs"),
    ],
)
def test_a_shell_completes_names(
    words: str, expected: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRAPHLDP_DATABASE", f"sqlite:///{tmp_path / 'collector.db'}")
    (tmp_path / "roster.txt").write_text("ann@a.example\nbob@a.example\n")
    for id in ("cats", "dogs"):
        created = command("collect", "community", "create", id, "--roster", tmp_path / "roster.txt", "-e", "1")
        assert created[0] == 0, created
    monkeypatch.setenv("_GRAPHLDP_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert expected in command()[1].split()

"""Every block of Python on a page runs, and every line of ``graphldp`` on one is a command with these options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from benchmarks.proof.mutants import ROOT, mutants
from tests.docs.markdown import PAGES, blocks, name_of, prose
from tools.reference.commands import command_tree

from graphldp.mechanisms import named

WITH_PYTHON = [page for page in PAGES if any(each.language == "python" for each in blocks(page))]
# whole trainings; the others take a second or less
LONG = {"README.md", *(f"docs/{name}.md" for name in ("concepts/liars", "evidence/audit", "evidence/recipe"))}
LONG |= {"docs/cheat-sheet.md", "docs/guides/compare.md", "docs/tutorials/quickstart.md"}
SHELL = {"", "bash", "console", "sh"}
LANGUAGES = SHELL | {"js", "json", "math", "python", "text", "{toctree}"}
NO_COMMANDS = {"sealed 1", "--install-completion"}  # words that are no command line


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] if name_of(page) in LONG else []) for page in WITH_PYTHON],
    ids=name_of,
)
def test_blocks_of_python_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(named, "_table", dict(named._table))  # a page may register a mechanism
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python" and block.reason is None:
            code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
            exec(code, names)


def test_few_blocks_are_left_out() -> None:
    """Each with a reason that a reader of the page's source sees."""
    left_out = [block.reason for page in PAGES for block in blocks(page) if block.reason is not None]
    assert len(left_out) <= 8
    assert all(reason.startswith("needs ") for reason in left_out if reason)


def lines(page: Path) -> Iterator[str]:
    """Every command line of ``graphldp`` in a page's blocks, without comments."""
    for block in blocks(page):
        if block.language in SHELL:
            for line in block.code.replace("\\\n", " ").splitlines():
                for part in re.sub(r"(^|\s)#.*", "", line).removeprefix("$ ").split("&&"):
                    if part.strip().startswith("graphldp "):
                        yield part.strip()


@pytest.fixture(scope="module")
def tree() -> Any:
    """The command line, with every command imported."""
    return command_tree()


def find(tree: Any, words: list[str]) -> tuple[Any, list[str]]:
    """The command that a line names, and what follows its name."""
    command, rest = tree, words
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        command, rest = command.commands[rest[0]], rest[1:]
    return command, rest


@pytest.mark.parametrize("page", [page for page in PAGES if any(lines(page))], ids=name_of)
def test_command_lines_parse(page: Path, tree: Any) -> None:
    for line in lines(page):
        command, rest = find(tree, shlex.split(line)[1:])
        if not {"--help", "--version"} & set(rest):
            command.make_context("graphldp", rest)


def test_every_block_is_of_a_kind_that_is_looked_at() -> None:
    assert {block.language for page in PAGES for block in blocks(page)} <= LANGUAGES


def test_command_lines_of_make_and_of_mutants_parse(tree: Any) -> None:
    """They run in ``make proof``, where a command that is gone would be seen late."""
    made = re.findall(r"(?m)^\t\$\(BIN\)/(graphldp .*)", (ROOT / "Makefile").read_text("utf-8"))
    caught = {each.catcher for each in mutants() if each.catcher.startswith("graphldp ")}
    assert made
    assert caught
    for line in (*made, *caught):
        command, rest = find(tree, shlex.split(re.sub(r"\$\(if .*\)", "1", line))[1:])
        command.make_context("graphldp", rest)


def test_a_wrong_command_line_is_seen(tree: Any) -> None:
    for line in ("train synthetic:threads --no-such-option", "train synthetic:threads --epsilon much", "train"):
        command, rest = find(tree, shlex.split(line))
        with pytest.raises(typer.TyperException):
            command.make_context("graphldp", rest)
    with pytest.raises(KeyError):
        find(tree, ["collect", "everything"])


def test_commands_in_sentences_exist(tree: Any) -> None:
    """In a sentence a command may stand without its arguments, so only names are checked."""
    wrong = []
    for page in PAGES:
        for text in re.findall(r"`graphldp ([^`]+)`", prose(page)):
            words = text.partition(" …")[0].split()
            if text in NO_COMMANDS:
                continue
            try:
                command, rest = find(tree, words)
            except KeyError:
                wrong += [f"{name_of(page)}: {text}"] * (not words[0].isupper())
                continue
            known = {"--help", *(each for option in command.params for each in [*option.opts, *option.secondary_opts])}
            wrong += [f"{name_of(page)}: {text}" for each in rest if each.startswith("--") and each not in known]
    assert not wrong


def test_installs_are_from_a_checkout_or_a_wheel() -> None:
    """There is no release on an index: a name alone would install what somebody else has put there."""
    lines = [(name_of(page), line) for page in PAGES for line in re.findall(r"pip install ([^`\n]*)", page.read_text())]
    assert len(lines) > 6
    assert [each for each in lines if re.search(r"(?:^|[\s'])graphldp(?:\[|\s|$)", each[1])] == []

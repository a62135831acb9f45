"""How a command ends, whatever it was."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
import typer
from tests.cli.conftest import Command

from graphldp import cli
from graphldp.errors import FormatError


def become(monkeypatch: pytest.MonkeyPatch, run: Callable[..., object]) -> None:
    """Make ``graphldp`` a program with this one command."""
    app = typer.Typer()
    app.command()(run)
    monkeypatch.setattr(cli, "app", app)


def interrupted(error: type[Exception]) -> None:
    """Ctrl-C where a library turns it into an error of its own, as NumPy's parser of buffer formats does."""
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        raise error("'T{' is not a valid PEP 3118 buffer format string") from None


@pytest.mark.parametrize("error", [ValueError, FormatError, OSError])
def test_ctrl_c_stays_ctrl_c_whatever_it_turns_into(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    before = signal.getsignal(signal.SIGINT)
    become(monkeypatch, lambda: interrupted(error))
    assert command() == (130, "", "graphldp: interrupted; nothing half-written was left behind.\n")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_bug_without_ctrl_c_is_shown_as_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug() -> NoReturn:
        raise ValueError("a bug")

    become(monkeypatch, bug)
    with pytest.raises(ValueError, match="a bug"):
        command()


def test_ignored_ctrl_c_stays_ignored(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a job that a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        become(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
        assert command() == (0, "", "")
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo",),
        ("demo", "--live"),
        ("collect", "invite", "cats", "--server", "https://example.org"),
    ],
    ids=" ".join,
)
def test_a_folder_is_no_files_name(command: Command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, out, err = command(*arguments, "--out", tmp_path / "page.html")
    assert (code, out) == (2, "")
    assert "'out' parameter" in err
    assert "without an ending" in err
    assert not list(tmp_path.iterdir())

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.progress import Progress
from tests.cli.conftest import Command

from graphldp.cli.shared import console
from graphldp.cli.shared.console import SafeConsole
from graphldp.files.text import printable

HOSTILE = "\x1b]0;owned\x07\x9b2J\u202eann\r\n[red]x[/y]"


def obeyed(text: str) -> set[str]:
    """The characters that a terminal acts on."""
    return {each for each in text if not each.isprintable()} - {"\n"}


@pytest.mark.attack("device")
def test_tables_and_lines_show_escapes_instead_of_sending_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences in names and errors."""
    console.show([{"name": HOSTILE, "users": 3}], as_json=False, title="t")
    console.show_one({"name": HOSTILE}, as_json=False)
    console.err.print(f"Forgot {HOSTILE}", markup=False)
    shown = capsys.readouterr()
    assert not obeyed(shown.out) | obeyed(shown.err)
    assert shown.out.count(printable(HOSTILE)) == 2


def test_names_are_shown_letter_by_letter(capsys: pytest.CaptureFixture[str]) -> None:
    console.show([{"name": ":cat:"}], as_json=False)
    console.show_one({"name": ":cat:"}, as_json=False)
    console.err.print(":cat:")
    shown = capsys.readouterr()
    assert (shown.out + shown.err).count(":cat:") == 3


def test_json_says_the_same_without_what_cannot_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    console.show([{"name": HOSTILE + "Zoë\U000e0041"}], as_json=True)
    text = capsys.readouterr().out
    assert not obeyed(text)
    assert "Zoë" in text
    assert json.loads(text) == [{"name": HOSTILE + "Zoë\U000e0041"}]


def test_people_read_yes_and_no_and_programs_true_and_false(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"open": True, "closed": False, "label": None, "users": 1234}
    console.show_one(row, as_json=False)
    assert capsys.readouterr().out.split() == ["open", "yes", "closed", "no", "label", "–", "users", "1,234"]
    console.show([row], as_json=False)
    assert "│ yes  │     no │     – │ 1,234 │" in capsys.readouterr().out
    console.show([row], as_json=True)
    assert json.loads(capsys.readouterr().out) == [row]


def test_rich_keeps_its_own_colours_and_bars() -> None:
    terminal = SafeConsole(file=io.StringIO(), force_terminal=True, color_system="standard")
    terminal.print("[red]a[/red]", "b\x1b[2Jc")
    with Progress(console=terminal) as bar:
        bar.add_task("d\x1b[2Je")
    assert isinstance(terminal.file, io.StringIO)
    text = terminal.file.getvalue()
    assert "\x1b[31ma\x1b[0m b\\x1b" in text
    assert "\x1b[2J" not in text


def test_an_error_repeats_a_name_without_its_escapes(command: Command, tmp_path: Path) -> None:
    code, out, err = command("predict", "--evaluate", tmp_path / "none", tmp_path / "no\x1b[2J\u202efile")
    assert (code, out) == (2, "")
    assert "no\\x1b[2J\\u202efile" in err
    assert not obeyed(err)


def test_a_narrow_table_shows_every_letter(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    row = {name: f"{name}-{'x' * 30}-end" for name in ("first", "second", "third")}
    console.show([row], as_json=False)
    lines = [line.strip("│┃").replace("┃", "│").split("│") for line in capsys.readouterr().out.splitlines()]
    cells = ["".join(line[place].strip() for line in lines if len(line) == 3) for place in range(3)]
    assert cells == [name + value for name, value in row.items()]

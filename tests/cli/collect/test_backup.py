"""Backups from the command line: what is asked, what is refused, and what comes back."""

from __future__ import annotations

import json
import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command
from tests.collector.people import open_cats, report, submission

from graphldp.collector.storage.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'collector.db'}"
    monkeypatch.setenv("GRAPHLDP_DATABASE", url)
    opened = Store.open(url)
    cats, tokens = open_cats(opened)
    opened.accept([submission(cats, user, tokens[user], report(user)) for user in (0, 1)])
    yield opened
    opened.close()


def read(command: Command, *arguments: str | Path) -> Any:
    code, out, err = command("collect", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_there_and_back(command: Command, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    assert read(command, "backup", file) == {"file": str(file), "bytes": file.stat().st_size}
    assert read(command, "verify", file) == {"communities": 1, "reports": 2, "problems": []}
    token = store.invite("cats", [2])[2]
    store.accept([submission(store.community("cats"), 2, token, report(2))])
    assert read(command, "verify")["reports"] == 3
    restored = read(command, "restore", file, "--yes")
    assert (restored["communities"], restored["reports"]) == (1, 2)
    assert store.holdings.of("cats")[0].held == [0, 1]


def test_nothing_is_replaced_unasked(
    command: Command, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.backup"
    read(command, "backup", file)
    before = file.read_bytes()
    store.holdings.delete("cats", 0)
    for arguments in (("backup", file), ("restore", file)):
        code, out, err = command("collect", *arguments)  # pytest's standard input is no terminal
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "--yes" in err
    master, slave = pty.openpty()
    with os.fdopen(slave, "r") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        for arguments in (("backup", file), ("restore", file)):
            os.write(master, b"n\n")
            code, _, err = command("collect", *arguments)
            assert code == 2
            assert "Nothing was changed." in err
        assert file.read_bytes() == before
        os.write(master, b"y\n")
        code, _, err = command("collect", "backup", file)
        assert code == 0
        assert "Replace it?" in err
    os.close(master)
    assert file.read_bytes() != before


def test_what_is_wrong_is_told(command: Command, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE reports SET noisy_degree = 99 WHERE user = 1")
    code, out, _ = command("collect", "verify", "--json")
    assert code == 1
    assert json.loads(out)["problems"] == ["cats, epoch 1, slot 1: another noisy degree than its report's."]
    read(command, "backup", file)  # better than none
    assert command("collect", "verify", file)[0] == 1
    for wrong, said in ((file, "damaged"), (tmp_path / "none", "No such file"), (tmp_path, "s a directory")):
        code, out, err = command("collect", "restore", wrong, "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
    code, _, err = command("collect", "backup", tmp_path / "no" / "folder")
    assert (code, err.count("\n")) == (2, 1)


def test_a_broken_database_is_put_aside(command: Command, store: Store, tmp_path: Path) -> None:
    file, path = tmp_path / "a.backup", tmp_path / "collector.db"
    read(command, "backup", file)
    store.close()
    path.write_bytes(b"broken" * 1000)
    code, _, err = command("collect", "restore", file)
    assert code == 2
    assert "cannot be used" in err
    assert path.read_bytes() == b"broken" * 1000  # nothing is done unasked
    code, _, err = command("collect", "restore", file, "--yes")
    assert code == 0
    (aside,) = tmp_path.glob("collector.db.damaged-*")
    assert aside.name in err
    assert "deleted or withdrawn since the backup is not known here" in err
    assert aside.read_bytes() == b"broken" * 1000
    assert store.holdings.of("cats")[0].held == [0, 1]

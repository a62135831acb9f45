"""Backups, and the keys to which clients seal what relays carry."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.services import Collector
from tests.cli.collect.conftest import read
from tests.cli.conftest import Command
from tests.collector.people import open_cats, report, submission

from graphldp import wire
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


def test_there_and_back(command: Command, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    assert read(command, "collect", "backup", file) == {"file": str(file), "bytes": file.stat().st_size}
    assert read(command, "collect", "verify", file) == {"communities": 1, "reports": 2, "problems": []}
    token = store.invite("cats", [2])[2]
    store.accept([submission(store.community("cats"), 2, token, report(2))])
    assert read(command, "collect", "verify")["reports"] == 3
    restored = read(command, "collect", "restore", file, "--yes")
    assert (restored["communities"], restored["reports"]) == (1, 2)
    assert store.holdings.of("cats")[0].held == [0, 1]


def test_nothing_is_replaced_unasked(
    command: Command, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.backup"
    read(command, "collect", "backup", file)
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
    read(command, "collect", "backup", file)  # better than none
    assert command("collect", "verify", file)[0] == 1
    for wrong, said in ((file, "damaged"), (tmp_path / "none", "No such file"), (tmp_path, "s a directory")):
        code, out, err = command("collect", "restore", wrong, "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
    code, _, err = command("collect", "backup", tmp_path / "no" / "folder")
    assert (code, err.count("\n")) == (2, 1)


def test_a_broken_database_is_put_aside(command: Command, store: Store, tmp_path: Path) -> None:
    file, path = tmp_path / "a.backup", tmp_path / "collector.db"
    read(command, "collect", "backup", file)
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


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder; what SQLite notes of its readers left out."""
    files = [path for path in folder.iterdir() if path.is_file() and not path.name.endswith("-shm")]
    return {path.name: path.read_bytes() for path in files}


@pytest.mark.attack("storage")
def test_no_database_is_taken_for_a_backups_place(command: Command, store: Store, tmp_path: Path) -> None:
    """Back up into the database's own file, a link to it, another collector's, one beside them, or a device."""
    other = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    own = tmp_path / "collector.db"
    (tmp_path / "link").symlink_to(own)
    (tmp_path / "same").hardlink_to(own)
    (tmp_path / "log").hardlink_to(f"{own}-wal")
    (tmp_path / "folder").mkdir()
    before = contents(tmp_path)
    names = ["collector.db", "link", "same", "log", "other.db", "folder/../collector.db"]
    names += [f"{base}{end}" for base in ("collector.db", "other.db") for end in ("-wal", "-shm", "-journal", ".lock")]
    for name in names:
        code, out, err = command("collect", "backup", tmp_path / name, "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1), name
        assert "'FILE' parameter" in err
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "folder"):
        code, out, err = command("collect", "backup", tmp_path / name, "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1), name
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "pipe").unlink()
    by_link = ("--database", f"sqlite:///{tmp_path / 'link'}")
    for name in ("collector.db-wal", "collector.db.lock", "log"):  # they lie beside the file that the link names
        assert command("collect", "backup", tmp_path / name, "--yes", *by_link)[0] == 2
    for name in ("collector.db", "link", "same"):
        code, out, err = command("collect", "restore", tmp_path / name, "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1), name
    assert contents(tmp_path) == before
    read(command, "collect", "backup", tmp_path / "a.backup")
    read(command, "collect", "backup", tmp_path / "a.backup", "--yes")  # one backup in place of another
    other.close()


@pytest.mark.attack("storage")
def test_nothing_is_restored_under_a_server(command: Command, store: Store, tmp_path: Path) -> None:
    """Restore under a server that has the database open by another link."""
    read(command, "collect", "backup", tmp_path / "a.backup")
    (tmp_path / "link").symlink_to(tmp_path / "collector.db")
    with Collector(f"sqlite:///{tmp_path / 'collector.db'}"):
        code, out, err = command("collect", "restore", tmp_path / "a.backup", "--yes")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "Stop it first" in err
        by_link = ("--database", f"sqlite:///{tmp_path / 'link'}")
        assert command("collect", "restore", tmp_path / "a.backup", "--yes", *by_link)[0] == 2
        (tmp_path / "same.db").hardlink_to(tmp_path / "collector.db")
        with closing(sqlite3.connect(tmp_path / "collector.db")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that the file is whole by its other name
        by_link = ("--database", f"sqlite:///{tmp_path / 'same.db'}")
        code, out, err = command("collect", "restore", tmp_path / "a.backup", "--yes", *by_link)
        assert (code, out) == (2, "")
        assert "a hard link" in err or "has it open" in err  # by that name the file may have lost its log
    (tmp_path / "same.db").unlink()
    read(command, "collect", "restore", tmp_path / "a.backup", "--yes")


@pytest.mark.attack("storage")
def test_who_owns_the_database_owns_its_lock(command: Command, store: Store, tmp_path: Path) -> None:
    """Restore as root what a service's user owns: her server could not open the lock any more."""
    file = tmp_path / "collector.db"
    read(command, "collect", "backup", tmp_path / "a.backup")
    store.close()
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    read(command, "collect", "restore", tmp_path / "a.backup", "--yes")
    assert (tmp_path / "collector.db.lock").stat().st_uid == file.stat().st_uid


def test_a_new_database_knows_of_no_deletion_and_says_so(command: Command, store: Store, tmp_path: Path) -> None:
    read(command, "collect", "backup", tmp_path / "a.backup")
    url = f"sqlite:///{tmp_path / 'new.db'}"
    Store.open(url).close()
    code, _, err = command("collect", "restore", tmp_path / "a.backup", "--yes", "--database", url)
    assert code == 0
    assert "delete those again" in err


def test_sealing_keys(command: Command, database: str) -> None:
    Store.open(database).close()
    assert read(command, "collect", "sealing") == []
    first = read(command, "collect", "sealing", "--rotate")
    second = read(command, "collect", "sealing", "--rotate", "--overlap-days", "7")
    assert wire.key_id(bytes.fromhex(second["published"])).hex() == second["key"]
    listed = read(command, "collect", "sealing")
    assert [(row["key"], row["opens until"] == "–") for row in listed] == [(second["key"], True), (first["key"], False)]
    last = read(command, "collect", "sealing", "--rotate", "--overlap-days", "0")
    assert [row["key"] for row in read(command, "collect", "sealing")] == [last["key"], first["key"]]
    for wrong in ("-1", "nan", "4000"):
        code, _, err = command("collect", "sealing", "--rotate", f"--overlap-days={wrong}")
        assert (code, err.count("\n")) == (2, 1)
        assert "'overlap_days' parameter" in err

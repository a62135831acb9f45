from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphldp.files.whole import written_whole


def test_whole(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a") as file:
        file.write(b"new")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError, ValueError])
def test_the_old_file_stays(tmp_path: Path, stop: type[BaseException]) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def half() -> None:
        with written_whole(tmp_path / "a") as file:
            file.write(b"half")
            raise stop

    with pytest.raises(stop):
        half()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX's pipes")
def test_a_place_that_holds_no_file_is_named(tmp_path: Path) -> None:
    """And not the temporary name, which says nothing to a reader. A pipe or a device is never replaced by a file."""
    os.mkfifo(tmp_path / "pipe")
    for path, kind, said in (
        (tmp_path / "nowhere" / "a", FileNotFoundError, f"there is no such folder: '{tmp_path / 'nowhere'}'"),
        (tmp_path, IsADirectoryError, f"is a folder, not a file: '{tmp_path}'"),
        (tmp_path / "pipe", FileExistsError, f"is a device or a pipe, and is not replaced: '{tmp_path / 'pipe'}'"),
    ):
        with pytest.raises(kind, match=re.escape(said)), written_whole(path):
            pass


@pytest.mark.attack("storage")
def test_a_database_is_never_written_over(tmp_path: Path) -> None:
    """Give a database, a file beside it or a link to it as the place for a table, a page, a model or an export."""
    base = tmp_path / "a.db"
    with closing(sqlite3.connect(base)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE kept (number INTEGER)")
        connection.commit()
        (tmp_path / "link.csv").symlink_to(base)
        (tmp_path / "same.csv").hardlink_to(base)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert {"a.db", "a.db-wal", "a.db-shm"} <= before.keys()
        for name in (*before, "a.db-journal", "a.db.lock"):
            with pytest.raises(FileExistsError, match="is a database"), written_whole(tmp_path / name):
                pass
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with written_whole(tmp_path / "notes-wal") as file:  # no base, and so nobody's
        file.write(b"new")

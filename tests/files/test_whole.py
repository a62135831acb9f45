from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphldp.files.whole import delete_left, passing_folder, written_whole


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


def test_a_place_that_holds_no_file_is_named(tmp_path: Path) -> None:
    """And not the temporary name, which says nothing to a reader."""
    for path, kind, said in (
        (tmp_path / "nowhere" / "a", FileNotFoundError, f"there is no such folder: '{tmp_path / 'nowhere'}'"),
        (tmp_path, IsADirectoryError, f"is a folder, not a file: '{tmp_path}'"),
    ):
        with pytest.raises(kind, match=re.escape(said)), written_whole(path):
            pass


HOLDER = """
import sys, threading
from pathlib import Path
from graphldp.files.whole import passing_folder
with passing_folder(sys.argv[2], Path(sys.argv[1])) as folder:
    (folder / "reports.npz").write_bytes(b"reports")
    print(folder, flush=True)
    threading.Event().wait()
"""


def killed(parent: Path, kind: str, meanwhile: Callable[[Path], object] = Path.exists) -> Path:
    """The folder of a process that is killed while it uses it."""
    command = [sys.executable, "-c", HOLDER, str(parent), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        meanwhile(folder)
        process.kill()
    return folder


def test_a_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    theirs = tmp_path / "graphldp-test-of-somebody"  # it has no lock of ours
    theirs.mkdir()

    def meanwhile(folder: Path) -> None:
        with passing_folder("graphldp-test-", tmp_path) as own:
            assert {own, folder} < set(tmp_path.iterdir())
        assert (own.exists(), folder.stat().st_mode & 0o077) == (False, 0)

    folder = killed(tmp_path, "graphldp-test-", meanwhile)
    assert (folder / "reports.npz").exists()
    delete_left("graphldp-test-", tmp_path)
    assert list(tmp_path.iterdir()) == [theirs]

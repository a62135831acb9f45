from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("graphldp.files.folders", reason="needs POSIX's locks")
from graphldp.files.folders import delete_left, passing_folder

HOLDER = """
import sys, threading
from pathlib import Path
from graphldp.files.folders import passing_folder
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


@pytest.mark.attack("collector")
def test_a_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    """Kill a server during an export, or a command during a backup, a check or a training."""
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

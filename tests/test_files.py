from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphldp.files import written_whole


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

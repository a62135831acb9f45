from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphldp.errors import FormatError
from graphldp.files.archives import grows_too_much, kind_of, read_arrays, read_set, write_set

HUGE = 1 << 40


def with_header(shape: tuple[int, ...], descr: str = "<i8", data: bytes = b"") -> bytes:
    """An array file that claims this shape, with these bytes after its header."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"shape": shape, "fortran_order": False, "descr": descr})
    return file.getvalue() + data


def archive(path: Path, content: bytes, pack: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", pack) as file:
        file.writestr("a.npy", content)
    return path


def overlapping(path: Path) -> Path:
    """A thousand names for the same megabyte."""
    archive(path, with_header((1 << 17,), data=bytes(1 << 20)))
    content = path.read_bytes()
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entry = content[start:end]
    entries = b"".join(entry.replace(b"a.npy", b"%05d" % number) for number in range(1000))
    tail = bytearray(content[end:])
    tail[8:12] = (1000).to_bytes(2, "little") * 2
    tail[12:16] = len(entries).to_bytes(4, "little")
    path.write_bytes(content[:start] + entries + tail)
    return path


BOMBS: dict[str, Callable[[Path], Path]] = {
    "packed": lambda path: archive(path, with_header((1 << 25,), data=bytes(1 << 28)), zipfile.ZIP_DEFLATED),
    "a large shape": lambda path: archive(path, with_header((1 << 27,))),
    "an absurd shape": lambda path: archive(path, with_header((HUGE, HUGE))),
    "negative lengths": lambda path: archive(path, with_header((-1, -1), data=bytes(8))),
    "numbers of no bytes": lambda path: archive(path, with_header((HUGE,), "<U0")),
    "objects": lambda path: archive(path, with_header((1,), "|O", bytes(8))),
    "more than is claimed": lambda path: archive(path, with_header((1,), data=bytes(16))),
    "overlapping parts": overlapping,
}


@pytest.mark.attack("learning")
@pytest.mark.parametrize("bomb", BOMBS)
def test_what_does_not_account_for_its_bytes_is_refused_unread(bomb: str, tmp_path: Path) -> None:
    """An `.npz` that claims huge arrays."""
    path = BOMBS[bomb](tmp_path / "a.npz")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"a\.npz: not a saved thing, or damaged\."):
            read_arrays(path, "a saved thing")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {
        "numbers": np.arange(12).reshape(3, 4),
        "turned": np.asfortranarray(np.eye(3)[:2]),
        "word": np.array("ann"),
        "nothing": np.zeros((0, 5)),
        "flag": np.array(True),
    }
    with (tmp_path / "a.npz").open("wb") as file:
        np.savez(file, **arrays)
    back = read_arrays(tmp_path / "a.npz", "a saved thing")
    assert set(back) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype
    assert set(read_arrays(tmp_path / "a.npz", "a saved thing", "word")) == {"word"}
    with pytest.raises(FormatError):
        read_arrays(tmp_path / "a.npz", "a saved thing", "missing")
    with pytest.raises(FormatError, match="there is no such file"):
        read_arrays(tmp_path / "none.npz", "a saved thing")


def test_real_growth_is_allowed_and_a_bomb_is_not() -> None:
    assert not grows_too_much(33_000_000, 6_200_000)  # REDDIT-BINARY
    assert not grows_too_much(1 << 20, 1)  # small files may be exceptions
    assert grows_too_much(306_000_000, 306_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "set.npz"


def test_a_file_gives_back_what_was_written(path: Path) -> None:
    write_set(path, "Crowd", 3, {"lists": np.arange(4), "name": "a", "directed": True, "labels": None})
    found = read_set(path, "Crowd", 3)
    np.testing.assert_array_equal(found.pop("lists"), np.arange(4))
    assert found == {"name": "a", "directed": True}  # no key for None, and neither kind nor format among the values
    assert [type(value) for value in found.values()] == [str, bool]
    assert kind_of(path) == "Crowd"


@pytest.mark.parametrize(
    ("kind", "newest", "message"),
    [("Crowd", 2, r"format 3 is newer than this graphldp reads \(2\)"), ("Reports", 3, "holds a Crowd, not a Reports")],
)
def test_a_file_for_somebody_else(kind: str, newest: int, message: str, path: Path) -> None:
    write_set(path, "Crowd", 3, {})
    with pytest.raises(FormatError, match=message):
        read_set(path, kind, newest)


@pytest.mark.parametrize("version", [None, "one", [1, 1], 1.0])
def test_a_file_without_a_format(version: Any, path: Path) -> None:
    np.savez(path, kind="Crowd", **({} if version is None else {"format": version}))
    with pytest.raises(FormatError, match="not a saved Crowd, or damaged"):
        read_set(path, "Crowd", 1)


def test_a_file_that_does_not_say_what_it_is(path: Path) -> None:
    np.savez(path, format=1)
    with pytest.raises(FormatError, match="holds something else, not a Crowd"):
        read_set(path, "Crowd", 1)
    with pytest.raises(FormatError, match="not a file of graphs or reports"):
        kind_of(path)
